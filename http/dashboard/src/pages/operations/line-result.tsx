// What is known of one action of several: its plan in short, how far it is, how it ended.
import type { Plan } from '../../model/plan.js'
import { StateMark } from '../../parts/basic/state-mark.js'
import type { LineState } from '../../plan/batch.js'
import { hasSucceeded } from '../../plan/batch.js'
import { ProgressView } from '../../plan/progress-view.js'
import { renderDuration } from '../../text/numbers.js'

export interface LineResultProps {
  readonly state: LineState | undefined
  /** Why the user may not. */
  readonly refused: string | undefined
  /** The sheet of this action alone. */
  readonly onOpen: () => void
}

export function LineResult({ state, refused, onOpen }: LineResultProps) {
  if (refused !== undefined) return <span class="muted">{refused}</span>
  switch (state?.type) {
    case undefined:
    case 'unplanned':
      return null
    case 'planning':
      return <span class="muted">is planned…</span>
    case 'refused':
      return <StateMark state="broken" word={state.failure.text} />
    case 'planned':
      return <PlanLine plan={state.plan} onOpen={onOpen} />
    case 'running':
      return state.progress ? <ProgressView progress={state.progress} /> : <span role="status">was sent…</span>
    case 'ended':
      return state.progress === undefined || hasSucceeded(state) ? (
        <StateMark state="healthy" word={state.progress?.message ?? 'done'} />
      ) : (
        <ProgressView progress={state.progress} />
      )
    case 'failed':
      return <StateMark state="broken" word={state.failure.text} />
    case 'unknown':
      return <StateMark state="degraded" word="No answer came: it may have been done. Check the cluster." />
  }
}

function PlanLine({ plan, onOpen }: { readonly plan: Plan; readonly onOpen: () => void }) {
  const { possible, refusal, steps, changes, pauseMs, loss, risks, confirm } = plan
  if (!possible) return <StateMark state="broken" word={refusal ?? 'The manager would refuse it.'} />
  if (confirm === 'name')
    return (
      <span class="row">
        <StateMark state="degraded" word="Needs the name of its cluster typed." />
        <button type="button" class="button" onClick={onOpen}>
          Its own sheet
        </button>
      </span>
    )
  const blocks = steps.some(({ blocksWrites }) => blocksWrites)
  const parts = [
    ...(changes.length > 0
      ? [`${changes.length} ${changes.length === 1 ? 'change' : 'changes'}`]
      : [`${steps.length} ${steps.length === 1 ? 'step' : 'steps'}`]),
    blocks ? `blocks writes${pauseMs ? ` for about ${renderDuration(pauseMs)}` : ''}` : 'blocks no writes',
    ...(loss && loss.kind !== 'none' ? [loss.text] : []),
  ]
  return (
    <details>
      <summary>{parts.join(' · ')}</summary>
      <ol class="plan-steps">
        {steps.map(({ text, blocksWrites }, index) => (
          <li key={`${index} ${text}`} class={blocksWrites ? 'blocks' : undefined}>
            <span>{text}</span>
          </li>
        ))}
      </ol>
      {risks.length > 0 && (
        <ul class="plan-risks">
          {risks.map((risk) => (
            <li key={risk}>{risk}</li>
          ))}
        </ul>
      )}
    </details>
  )
}
