// The outcome of what the user did, where it was done; it stays until the next one.
import type { Failure } from '../../client/failure.js'
import { Moment } from './moment.js'

export type Outcome =
  | { readonly type: 'done'; readonly text: string; readonly at: number; readonly href?: string }
  | { readonly type: 'failed'; readonly failure: Failure; readonly at: number }

export function ResultLine({ outcome }: { readonly outcome: Outcome | undefined }) {
  return (
    <p class={`result ${outcome ? `result-${outcome.type}` : ''}`} role="status">
      {outcome && (
        <>
          {outcome.type === 'done' ? outcome.text : outcome.failure.text}
          {outcome.type === 'failed' && outcome.failure.hint !== undefined && <> {outcome.failure.hint}</>}{' '}
          <Moment at={outcome.at} as="time" />
          {outcome.type === 'done' && outcome.href !== undefined && (
            <>
              {' '}
              <a href={outcome.href}>Timeline</a>
            </>
          )}
        </>
      )}
    </p>
  )
}
