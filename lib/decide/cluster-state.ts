// The state of a cluster in one word, for views of the whole fleet; judged by the words of condition.ts.
import type { FindingCode } from '../model/findings.js'
import type { FleetState } from '../model/fleet/row.js'
import type { Memory } from '../model/memory.js'
import type { Snapshot } from '../model/snapshot.js'
import { judgeCondition } from './condition.js'

/** Warnings of weight: data or the next failover are at risk as long as one is open. The others advise, or announce. */
export const weightyWarnings: ReadonlySet<FindingCode> = new Set<FindingCode>([
  ...(['WARN0003', 'WARN0004', 'WARN0023', 'WARN0087', 'WARN0091', 'WARN0100', 'WARN0101', 'WARN0171'] as const),
  ...(['WARN0182', 'WARN0186', 'WARN0232', 'WARN0233', 'WARN0234', 'WARN0235', 'WARN0237', 'WARN0238'] as const),
  ...([
    'WARN0079',
    'WARN0242',
    'WARN0251',
    'WARN0264',
    'WARN0320',
    'WARN0322',
    'WARN0340',
    'WARN0362',
    'WARN0400',
    'WARN0410',
    'WARN0411',
  ] as const),
])

/** The state of a cluster whose servers were all probed since the start. */
export function judgeState(
  snapshot: Pick<Snapshot, 'servers' | 'primary' | 'findings'>,
  memory: Pick<Memory, 'discovered'>,
): FleetState {
  const { up, running, failable, healthy } = judgeCondition(snapshot, memory)
  if (!up) return 'down'
  if (!running) return 'broken'
  const isWhole = snapshot.servers.every(({ observation, maintenance }) => maintenance || observation === 'answered')
  const isCalm = !snapshot.findings.some(({ code }) => weightyWarnings.has(code))
  return failable && healthy && isWhole && isCalm ? 'healthy' : 'degraded'
}

/** The memory with the state and since when it has been so. */
export function noteState(
  memory: Memory,
  snapshot: Pick<Snapshot, 'servers' | 'primary' | 'findings'>,
  now: number,
): Memory {
  const state = judgeState(snapshot, memory)
  return memory.condition?.state === state ? memory : { ...memory, condition: { state, since: Math.round(now) } }
}

/** Printed to share/doc/health.md, in the order in which they are judged. */
export const stateMeanings: readonly (readonly [state: FleetState, means: string])[] = [
  ['unknown', 'The actor of the cluster does not answer, or not every server was probed since it started.'],
  ['down', 'The cluster is not *up*: no primary takes writes.'],
  ['broken', 'It is not *running*: a finding of severity *error* is open.'],
  [
    'degraded',
    `It is not *failable* or, as a condition, not *healthy*; or a server outside of maintenance does not answer; or a warning of weight is open: ${[...weightyWarnings].join(', ')}.`,
  ],
  ['healthy', 'None of these.'],
]
