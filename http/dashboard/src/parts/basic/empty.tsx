// What stands where nothing else can: nothing there, not there yet, not permitted, not obtained.
import type { ComponentChildren } from 'preact'
import type { Failure } from '../../client/failure.js'

export const Empty = ({ children }: { readonly children: ComponentChildren }) => <p class="empty">{children}</p>

export const Loading = ({ what = 'Loading' }: { readonly what?: string }) => (
  <p class="loading" role="status">
    <span class="busy" aria-hidden="true" /> {what}…
  </p>
)

/** A failure with what to do, and another attempt where one can help. */
export const Failed = ({ failure, onRetry }: { readonly failure: Failure; readonly onRetry?: () => void }) => (
  <div class={failure.status === 403 ? 'failed failed-forbidden' : 'failed'} role="alert">
    <p>{failure.text}</p>
    {failure.hint !== undefined && <p class="muted">{failure.hint}</p>}
    {onRetry && failure.status !== 403 && (
      <button type="button" class="button" onClick={onRetry}>
        Retry
      </button>
    )}
  </div>
)
