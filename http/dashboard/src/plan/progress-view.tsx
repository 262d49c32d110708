// Work that runs or has ended: its steps with the time each took, and what is left to know of it.
import { now } from '../store/clock.js'
import { renderDuration } from '../text/numbers.js'
import type { Progress, ProgressStep } from './progress.js'

const verdicts: Readonly<Record<Progress['ending'], readonly [text: string, tone: string]>> = {
  running: ['Running', 'running'],
  succeeded: ['Succeeded', 'good'],
  lossy: ['Succeeded, incomplete', 'lossy'],
  undone: ['Undone', 'lossy'],
  failed: ['Failed', 'failed'],
  interrupted: ['Interrupted: the manager stopped in the middle of it', 'lossy'],
}

export function ProgressView({ progress }: { readonly progress: Progress }) {
  const { title, owner, ending, startedAt, endedAt, message, losses, steps } = progress
  const [word, tone] = verdicts[ending]
  const done = steps.filter(({ state }) => state !== 'waiting' && state !== 'running').length
  return (
    <div class="progress">
      <p class={`plan-verdict plan-${tone}`} role="status">
        {ending === 'running' && <span class="busy" aria-hidden="true" />} {word}
        <span class="muted number">
          {endedAt === undefined
            ? `${renderDuration(Math.max(now.value - startedAt, 0))} so far`
            : `after ${renderDuration(Math.max(endedAt - startedAt, 0))}`}
        </span>
      </p>
      <p class="muted">
        {title}
        {owner !== undefined && `, asked by ${owner}`}
        {steps.length > 0 && `, ${done} of ${steps.length} steps`}
      </p>
      {message !== undefined && <p>{message}</p>}
      {losses.length > 0 && (
        <ul class="plan-risks">
          {losses.map((loss) => (
            <li key={loss}>{loss}</li>
          ))}
        </ul>
      )}
      {steps.length > 0 && (
        <ol class="plan-steps">
          {steps.map((step, index) => (
            <StepLine key={`${index} ${step.text}`} step={step} />
          ))}
        </ol>
      )}
    </div>
  )
}

const signs = { waiting: '·', running: '▸', done: '✓', skipped: '–', failed: '✕' } as const

const StepLine = ({ step: { text, state, startedAt, tookMs, message } }: { readonly step: ProgressStep }) => (
  <li class={`step-${state}`}>
    <span class="step-sign" role="img" aria-label={state}>
      {signs[state]}
    </span>
    <span>
      {text}
      {message !== undefined && <small>{message}</small>}
    </span>
    <span class="number muted">
      {tookMs !== undefined
        ? renderDuration(tookMs)
        : state === 'running' && startedAt !== undefined
          ? renderDuration(Math.max(now.value - startedAt, 0))
          : ''}
    </span>
  </li>
)
