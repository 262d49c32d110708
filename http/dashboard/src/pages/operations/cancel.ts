// How work that runs or waits is ended, where that is possible.
import type { Work } from '../../model/upkeep/work.js'
import type { Action } from '../../plan/action.js'

const rolls = {
  restart: 'POST /api/clusters/:cluster/actions/cancel-rolling-restart',
  reprov: 'POST /api/clusters/:cluster/actions/cancel-rolling-reprov',
  optimize: 'POST /api/clusters/:cluster/actions/cancel-rolling-optimize',
} as const

/** An operation that moves the primary has a deadline of its own: nothing cancels it half-way. */
export function cancelOf({ cluster, kind, title, job, roll }: Work): Action | undefined {
  const of = `${title.toLowerCase()} of ${cluster}`
  const base = { title: `Cancel the ${of}`, kind: 'interrupting' } as const
  if (job !== undefined)
    return {
      ...base,
      row: 'POST /api/clusters/:cluster/jobs/:job/actions/cancel',
      params: { cluster, job },
      grant: 'cluster-process',
    }
  if (kind === 'scheduled')
    return {
      ...base,
      row: 'POST /api/clusters/:cluster/actions/cancel-switchover',
      params: { cluster },
      grant: 'cluster-switchover',
    }
  const row = kind === 'rolling' ? rolls[roll as keyof typeof rolls] : undefined
  return row && { ...base, row, params: { cluster }, grant: 'cluster-rolling' }
}
