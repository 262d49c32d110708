// What this instance sees of a cluster, as it reports it to the arbitrator: pure.
import type { ClusterReport } from '../../../lib/lease/index.js'
import { isMinor } from '../../../lib/model/operation/operation.js'
import { addressText } from '../../../lib/model/server/server.js'
import { findServer, type Snapshot } from '../../../lib/model/snapshot.js'

export interface Seen {
  readonly cluster: string
  readonly sight: Omit<ClusterReport, 'cluster' | 'term'>
  /** When the cluster was asked what it sees: a primary that fails in the answer may have begun to after that. */
  readonly at: number
}

export interface SightContext {
  readonly cluster: string
  readonly at: number
  readonly now: number
  readonly split: boolean
  /** Since when no primary is known, where none is. */
  readonly blindSince: number
}

/** Undefined before every server was probed. */
export function sightOf(snapshot: Snapshot, { cluster, at, now, split, blindSince }: SightContext): Seen | undefined {
  const { servers } = snapshot
  if (servers.some(({ observation }) => observation === 'unseen')) return undefined
  const primary = findServer(snapshot, snapshot.primary)
  const answers = primary?.observation === 'answered'
  // While it moves the role itself, what the others see of the new primary is no reason to stop it.
  const moves = snapshot.operation !== undefined && !isMinor(snapshot.operation)
  const failing = !answers && !moves
  const since = answers || moves ? (primary?.observedAt ?? now) : (primary?.failingSince ?? blindSince)
  return {
    ...{ cluster, at },
    sight: {
      ...{ primary: primary ? addressText(primary) : '', failing, split },
      sinceMs: Math.max(0, now - since),
      alive: servers.filter(({ observation }) => observation === 'answered').length,
      servers: servers.length,
    },
  }
}
