// What runs on the cluster now, step by step, and what ended last.

import type { Readiness } from '../../../model/cluster/readiness.js'
import { Panel } from '../../../parts/basic/panel.js'
import { ActionButton } from '../../../plan/action-button.js'
import { type Progress, progressOfOperation } from '../../../plan/progress.js'
import { ProgressView } from '../../../plan/progress-view.js'
import { now } from '../../../store/clock.js'

export interface RunningPanelProps {
  readonly readiness: Readiness | undefined
  readonly rolling: Progress | undefined
  readonly isStale: boolean
}

/** What ended is still news for so long. */
const NEWS = 10 * 60_000

export function RunningPanel({ readiness, rolling, isStale }: RunningPanelProps) {
  const { operation, lastOperation } = readiness ?? {}
  const shown = [
    ...(rolling && isNews(rolling) ? [rolling] : []),
    ...(operation ? [progressOfOperation(operation)] : []),
    ...(operation === undefined && lastOperation ? [progressOfOperation(lastOperation)].filter(isNews) : []),
  ]
  if (shown.length === 0) return null
  const isRunning = shown.some(({ ending }) => ending === 'running')
  return (
    <Panel title={isRunning ? 'Running now' : 'Ended just now'} stale={isStale} class="running">
      {shown.map((progress) => (
        <article key={progress.id}>
          <ProgressView progress={progress} />
          {progress.cancel && <ActionButton action={progress.cancel} />}
        </article>
      ))}
    </Panel>
  )
}

const isNews = ({ ending, endedAt }: Progress): boolean =>
  ending === 'running' || (endedAt !== undefined && now.value - endedAt < NEWS)
