// What the views are rendered from: what a cluster actor knows, as plain values. The names are those of its state, so
// that the state with a few additions is an input.

import type { TagView } from '../../../../actors/protocol/manager/configurator.js'
import type { Need } from '../../../../actors/protocol/manager/face.js'
import type { LogLine } from '../../../../actors/protocol/manager/log-line.js'
import type { ClusterUser } from '../../../../lib/access/index.js'
import type { PolicySettings } from '../../../../lib/decide/backup/policy.js'
import type { ClusterFigures } from '../../../../lib/metrics/figures.js'
import type { Backup } from '../../../../lib/model/backup.js'
import type { FleetRow } from '../../../../lib/model/fleet/row.js'
import type { Memory } from '../../../../lib/model/memory.js'
import type { HostTaskTable } from '../../../../lib/model/operation/host-task.js'
import type { Job } from '../../../../lib/model/operation/job.js'
import type { Operation } from '../../../../lib/model/operation/operation.js'
import type { Roll } from '../../../../lib/model/operation/roll.js'
import type { ServiceSpec } from '../../../../lib/model/operation/services.js'
import type { TrafficFigures } from '../../../../lib/model/operation/traffic.js'
import type { ServerId } from '../../../../lib/model/server/server.js'
import type { Snapshot } from '../../../../lib/model/snapshot.js'
import type { FailoverVerdict } from '../../../../lib/model/verdict.js'
import type { ProxyTarget } from '../../../../lib/proxy/kit/index.js'
import type { WatchedProxy } from '../../../../lib/proxy/standing.js'

/** How long, since `since` and until `at`, the cluster was up, could fail over, and was semi-synchronous. */
export interface Availability {
  readonly since: number
  readonly at: number
  readonly upMs: number
  readonly failableMs: number
  readonly syncMs: number
}

/** Rows of its error log; bytes of its tables, or of the thousand largest. */
export interface LastRead {
  readonly errorLog?: readonly Readonly<Record<string, unknown>>[]
  readonly tables?: { readonly data: number; readonly index: number }
}

export interface ViewInput {
  readonly snapshot: Snapshot
  /** The row of the fleet. */
  readonly fleetRow: FleetRow
  readonly memory: Memory
  readonly verdict: FailoverVerdict
  readonly lastOperation?: Operation
  /** The latest rolling work. */
  readonly roll?: Roll
  readonly proxies: readonly WatchedProxy[]
  /** Where they should send writes and reads. */
  readonly routes?: ProxyTarget
  /** Newest first; bounded by the actor. */
  readonly log: readonly LogLine[]
  /** Oldest first. */
  readonly jobs?: readonly Job[]
  /** The job tables of servers, as last read. */
  readonly jobTables?: Readonly<Record<ServerId, HostTaskTable>>
  /** As last read, oldest first. */
  readonly backups?: readonly Backup[]
  /** By what they are judged. */
  readonly policy?: PolicySettings
  /** Databases and proxies, by configuration. */
  readonly services?: readonly ServiceSpec[]
  readonly sla: Availability
  readonly now: number
  /** Settings as the wire shows them: secrets masked, keys in lower camel case. */
  readonly config: Readonly<Record<string, unknown>>
  /** What may stand in its lists of tags. */
  readonly tags?: readonly TagView[]
  readonly workingDirectory: string
  /** This monitor decides here (false: another one does). */
  readonly active: boolean
  /** Every server was probed since the actor started; absent: true. */
  readonly ready?: boolean
  /** Services of the cluster were provisioned by an orchestrator. */
  readonly provisioned: boolean
  /** Judgements of the cluster since the actor started. */
  readonly ticks?: number
  /** The flags of each server that stand. */
  readonly needs?: Readonly<Record<ServerId, readonly Need[]>>
  /** Closed periods, oldest first. */
  readonly slaHistory?: readonly Availability[]
  readonly users?: readonly ClusterUser[]
  /** Queries per second by server, where two slow readings allow it. */
  readonly queryRates?: Readonly<Record<ServerId, number>>
  readonly figures?: ClusterFigures
  /** What was last read of each server on request. */
  readonly lastReads?: ReadonlyMap<ServerId, LastRead>
  /** Writes of the manager for demonstrations. */
  readonly traffic?: TrafficFigures
}
