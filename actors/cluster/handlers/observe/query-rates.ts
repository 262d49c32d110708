// Queries per second of each server, by the counters of two slow probes. Pure.
import { SECOND } from '../../../../lib/base/time.js'
import { textOf } from '../../../../lib/model/server/named.js'
import type { SlowReading } from '../../../../lib/model/server/reading.js'
import { findServer } from '../../../../lib/model/snapshot.js'
import type { ClusterState } from '../../state/state.js'

/** The rates with that of the server that was just read; none for one whose counter was reset. */
export function queryRates(state: Pick<ClusterState, 'snapshot' | 'queryRates'>, reading: SlowReading) {
  const { [reading.server]: _, ...others } = state.queryRates
  const before = findServer(state.snapshot, reading.server)?.slow
  const [from, to] = [before && counted(before), counted(reading)]
  if (!before || from === undefined || to === undefined || to < from || reading.at <= before.at) return others
  return { ...others, [reading.server]: (to - from) / ((reading.at - before.at) / SECOND) }
}

/** Statements that clients sent; unlike `queries` not those inside stored programs. */
function counted({ status }: SlowReading): number | undefined {
  const text = textOf(status, 'questions')
  return text === undefined ? undefined : Number(text)
}
