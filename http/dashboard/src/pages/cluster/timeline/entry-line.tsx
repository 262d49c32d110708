// One entry of a timeline in a line: when, what, where, how long; steps open below it.

import type { Entry, EntryStep, Tone } from '../../../model/cluster/timeline.js'
import type { State } from '../../../model/state.js'
import { StateMark } from '../../../parts/basic/state-mark.js'
import { now } from '../../../store/clock.js'
import { renderClock, renderFullMoment } from '../../../text/moments.js'
import { renderDuration } from '../../../text/numbers.js'
import { kindWords } from './days.js'

const states: Readonly<Record<Tone, State | undefined>> = { error: 'broken', warning: 'degraded', plain: undefined }

export interface EntryLineProps {
  readonly entry: Entry
  /** Name of its server. */
  readonly server?: string
  /** Link to its moment. */
  readonly href: string
  /** It lasted at the moment that is shown. */
  readonly isMarked?: boolean
}

export function EntryLine({ entry, server, href, isMarked = false }: EntryLineProps) {
  const { at, kind, tone, code, text, change, steps, user, lasts, until } = entry
  const state = states[tone]
  const isOver = kind === 'finding' && !lasts
  const by = user !== undefined && !text.startsWith(user) && kind !== 'setting'
  return (
    <li id={entry.id} class={`entry ${isOver ? 'entry-over' : ''} ${isMarked ? 'entry-marked' : ''}`}>
      <a class="entry-time number" href={href} title={`${renderFullMoment(at)}: the cluster at this moment`}>
        {renderClock(at)}
      </a>
      <span class="entry-mark">{state && <StateMark state={state} word={tone} compact />}</span>
      <span class="entry-kind">{kindWords[kind] ?? kind}</span>
      <div class="entry-text">
        {change ? (
          <p>
            <span class="mono">{change.name}</span>{' '}
            {change.before === '' ? <span class="muted">nothing</span> : <del>{change.before}</del>}
            <span class="hidden"> became </span>
            <span aria-hidden="true"> → </span>
            <ins>{change.after === '' ? 'nothing' : change.after}</ins>
            {user !== undefined && <span class="muted"> by {user}</span>}
          </p>
        ) : (
          <p>
            {server !== undefined && !text.includes(server) && <strong>{server} </strong>}
            {text}
            {by && <span class="muted"> by {user}</span>}
            {kind === 'finding' && code !== undefined && <span class="muted entry-code"> {code}</span>}
          </p>
        )}
        {steps.length > 0 && <Steps steps={steps} from={at} />}
      </div>
      <span class="entry-lasts number">
        {until !== undefined ? renderDuration(until - at) : lasts ? <Lasts since={at} kind={kind} /> : ''}
      </span>
    </li>
  )
}

/** Alone in a component: the clock moves these lines only. */
const Lasts = ({ since, kind }: { readonly since: number; readonly kind: Entry['kind'] }) => (
  <span class="entry-lasting">
    {kind === 'finding' ? 'open' : 'running'} {renderDuration(Math.max(now.value - since, 0))}
  </span>
)

const Steps = ({ steps, from }: { readonly steps: readonly EntryStep[]; readonly from: number }) => (
  <details class="entry-steps">
    <summary>{steps.length === 1 ? '1 step' : `${steps.length} steps`}</summary>
    <ol>
      {steps.map(({ at, text, tone, tookMs, state }, index) => (
        <li key={`${at} ${index}`} class={tone === 'plain' ? undefined : `step-${tone}`}>
          <span class="number muted" title={renderFullMoment(at)}>
            +{renderDuration(Math.max(at - from, 0))}
          </span>
          <span>
            {text}
            {state !== undefined && state !== 'done' && <span class="muted"> ({state})</span>}
          </span>
          <span class="number muted">{tookMs === undefined ? '' : renderDuration(tookMs)}</span>
        </li>
      ))}
    </ol>
  </details>
)
