// Everything a cluster actor knows: plain, immutable, replaced by its handlers.
import type { Attempts } from '../../../lib/decide/failover/attempts.js'
import type { Intention } from '../../../lib/decide/observe.js'
import type { LatenessSample } from '../../../lib/decide/watching/lateness.js'
import type { SqlTls } from '../../../lib/effect/index.js'
import type { ClusterFigures } from '../../../lib/metrics/figures.js'
import type { Backup, LogStorage } from '../../../lib/model/backup.js'
import type { Finding } from '../../../lib/model/finding.js'
import type { Memory } from '../../../lib/model/memory.js'
import type { Appointment } from '../../../lib/model/operation/appointment.js'
import type { HostTaskTable } from '../../../lib/model/operation/host-task.js'
import type { Operation, Plan } from '../../../lib/model/operation/operation.js'
import type { Roll } from '../../../lib/model/operation/roll.js'
import type { ServerId } from '../../../lib/model/server/server.js'
import type { ServerSnapshot, Snapshot } from '../../../lib/model/snapshot.js'
import type { Standing } from '../../../lib/model/tenure.js'
import type { FailoverVerdict } from '../../../lib/model/verdict.js'
import type { WatchedProxy } from '../../../lib/proxy/standing.js'
import type { Settings } from '../../../lib/settings/table/index.js'
import type { Cookie } from '../../../lib/store/index.js'
import type { TrialSettings } from '../../../lib/trial/step.js'
import type { LogLine } from './log.js'
import type { Sla } from './sla.js'
import type { Unread } from './unread.js'

export interface ClusterState {
  readonly name: string
  readonly settings: Settings
  /** While a named test changes settings: these as they are saved, and as it changed them. */
  readonly trial?: { readonly saved: TrialSettings; readonly changed: TrialSettings }
  /** TLS of sessions to databases, as read from its files; absent: none. */
  readonly tls?: SqlTls
  readonly memory: Memory
  /**
   * The servers as last probed, and what the latest judgement says of them. The running operation is `snapshot.operation`;
   * ended ones are in `lastOperation`.
   */
  readonly snapshot: Snapshot
  readonly verdict: FailoverVerdict
  readonly lastOperation?: Operation
  /** Requests that are answered when their operation has ended. */
  readonly waiting: readonly { readonly operation: string; readonly reply: number }[]
  /** The latest scheduled switchover. */
  readonly appointment?: Appointment
  /** The latest rolling work, running or ended. */
  readonly roll?: Roll
  /** No decision before every server was probed once and an unfinished plan was settled. */
  readonly ready: boolean
  /** Where several instances share the fleet; absent: this manager has all clusters. */
  readonly tenure?: Standing
  /** Where an arbitrator decides: when it was last known that no other instance sees the primary, which fails here; 0: it is not. */
  readonly confirmed?: number
  /** Findings raised by running work (a failed rejoin, a saved tail), kept until their cause is gone. */
  readonly standing: readonly Finding[]
  /** Reads on request that found nothing to read. */
  readonly unread?: Unread | undefined
  /** Findings of the manager itself. */
  readonly announced: readonly Finding[]
  readonly proxies: readonly WatchedProxy[]
  readonly log: readonly LogLine[]
  readonly lastEvent: number
  readonly sla: Sla
  /** Closed periods, oldest first. */
  readonly slaHistory: readonly Sla[]
  /** Statements per second of each server, where two slow probes were made. */
  readonly queryRates: Readonly<Record<ServerId, number>>
  /** The backups of the cluster, as last read; nothing is concluded before that. */
  readonly backups?: readonly Backup[]
  /** How full their place is, percent; absent where that is no condition. */
  readonly backupsFull?: number
  /** The job tables of servers, as last read. */
  readonly jobTables?: Readonly<Record<ServerId, HostTaskTable>>
  /** The flags in the directory of each server, as last read. */
  readonly cookies: Readonly<Record<ServerId, readonly Cookie[]>>
  /** Repairs that failed, by what they were for: not tried again before the time given. */
  readonly restUntil: Readonly<Record<string, number>>
  /** What the latest operation was to do: its steps are more where it is undone. */
  readonly begun?: { readonly id: string; readonly plan: Plan }
  /** Automatic failovers that failed since the primary died; absent: none did. */
  readonly attempts?: Attempts | undefined
  /** Servers that are being captured, with the finding that began it. */
  readonly capturing?: Readonly<Record<ServerId, string>>
  /** Servers that an action of this manager works on, which may stop and start them more than once. */
  readonly acting?: readonly ServerId[]
  /** How late this thread was at the latest ticks. */
  readonly lateness?: readonly LatenessSample[]
  /** What would be done to a cluster that is only observed. */
  readonly intentions?: readonly Intention[]
  /** How the binary logs of the primary are stored; absent: they are not. */
  readonly logStorage?: LogStorage
  /** Counts and durations for the metrics. */
  readonly figures: ClusterFigures
}

/** The state with other servers in its snapshot. */
export const withServers = <S extends Pick<ClusterState, 'snapshot'>>(
  state: S,
  servers: readonly ServerSnapshot[],
): S => ({ ...state, snapshot: { ...state.snapshot, servers } })

/** The state with this operation running, or with none. */
export function withOperation(state: ClusterState, operation?: Operation): ClusterState {
  const { operation: _, ...snapshot } = state.snapshot
  return { ...state, snapshot: operation ? { ...snapshot, operation } : snapshot }
}
