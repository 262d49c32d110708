// All servers of a cluster at one instant, as decisions see them: immutable plain data.
import type { Finding } from './finding.js'
import type { Operation } from './operation/operation.js'
import type { DelayHour } from './server/delay-hour.js'
import type { GtidSet } from './server/gtid.js'
import type { SeenHeldLock, SeenLockWait } from './server/lock-wait.js'
import { channelNamed } from './server/own-channel.js'
import type { Presence, Rival, Rivalry } from './server/presence.js'
import type {
  Channel,
  CommitWaits,
  FreshLogin,
  Observation,
  ServerState,
  SlowReading,
  SourceLogin,
} from './server/reading.js'
import type { ServerId, ServerSpec } from './server/server.js'
import type { Volume } from './server/watched.js'
import type { Standing } from './tenure.js'

export type Topology =
  | 'primary-replica'
  | 'multi-tier'
  | 'multi-primary'
  | 'ring'
  | 'galera'
  | 'group-replication'
  | 'active-passive'
  | 'unknown'

/** member: of a Galera cluster, and not the one that writes are sent to. */
export type Role = 'primary' | 'replica' | 'relay' | 'member' | 'standalone' | 'unknown'

/** What was received on one replication channel. */
export interface Arrival {
  /** When the channel last received anything (event, heartbeat, a new connection), by the probes; the first probe counts. */
  readonly at: number
  /** Since when its receiving thread was seen not running; absent while it runs. */
  readonly downSince?: number
  /** Latest reported lag, seconds; kept while the database answers NULL because its source is gone. */
  readonly lagSeconds?: number
}

/** The name of a server's state; `wire.ts` has the texts that clients know. */
export type StateName =
  | 'primary'
  | 'replica'
  | 'replica-error'
  | 'replica-late'
  | 'relay'
  | 'relay-error'
  | 'relay-late'
  | 'standalone'
  | 'synced'
  | 'donor'
  | 'unsynced'
  | 'suspect'
  | 'failed'
  | 'auth-error'
  | 'maintenance'

/** States in which a server that is not the primary may be read from. */
export const readableStates: ReadonlySet<StateName> = new Set<StateName>(['replica', 'relay', 'synced'])

/** How fast the executed transactions of a server grow. */
export interface WritePace {
  readonly at: number
  readonly count: number
  readonly perSecond: number
}

/** What is known of one server: its configuration, the latest observation, and the memory of earlier ones. */
export interface ServerSnapshot extends ServerSpec {
  readonly role: Role
  readonly stateName: StateName
  readonly previousStateName: StateName
  /** Latest observation and its time; 'unseen' before the first. */
  readonly observation: Observation | 'unseen'
  readonly observedAt: number
  readonly probeMs: number
  /** Failed probes in a row, and when the first of them was. 0 and absent while it answers. */
  readonly failures: number
  readonly failingSince?: number
  /** Probes in a row that were refused, and when the first of them was: conclusive evidence needs two, 50 ms apart. */
  readonly refusals: number
  readonly refusedSince?: number
  /** Its process was seen to have ended since it last answered: refused as conclusive evidence needs. */
  readonly ended?: true
  readonly error?: { readonly code: string; readonly message: string }
  /**
   * Latest reported state, kept while it does not answer; absent when it never answered. Its sets are those of this cluster:
   * without what only a foreign channel brought (`gtid.foreign`).
   */
  readonly state?: ServerState
  /** The same state as the server reported it, where that is another: with the history of other clusters. */
  readonly reported?: ServerState
  /** The channel by which it follows this cluster; null: none of its channels does. Absent where it has no channel. */
  readonly ownChannel?: string | null
  /** Its channels to sources that are no servers of this cluster; absent where it has none. */
  readonly foreignChannels?: readonly string[]
  /**
   * Why its own channel is not certain, or would not be once it is gone. several: channels follow servers of this cluster, and
   * none has the configured name. taken: a channel to another cluster has that name. Absent where nothing is in doubt.
   */
  readonly channelDoubt?: 'several' | 'taken'
  /** Streams that no server without such a channel holds, and when they were first seen; absent where there are none. */
  readonly strange?: Readonly<Record<string, number>>
  readonly stateAt?: number
  /** When that was asked for; absent: with the begin of the latest probe. */
  readonly stateFrom?: number
  readonly slow?: SlowReading
  /** The latest login of the replication account; `outdated`: the account has changed since. Absent before the first. */
  readonly login?: SourceLogin & { readonly outdated?: true }
  /** The latest fresh login of the manager's own account. Absent before the first. */
  readonly freshLogin?: FreshLogin
  /** The file systems of its files; absent where they are not read. */
  readonly volumes?: readonly Volume[]
  /** How far it was behind, by the hour, oldest first; absent where that is not counted. */
  readonly delays?: readonly DelayHour[]
  /** Statements between its two latest slow probes, and those of them that its slow log counts. */
  readonly slowStatements?: { readonly slow: number; readonly all: number }
  /** Which manager acts on it; absent when that was never read. */
  readonly presence?: Presence
  /** The latest commits that took seconds, and when they were seen. */
  readonly commitWaits?: CommitWaits & { readonly at: number }
  /** The lock that its applier waits for; absent while it waits for none. */
  readonly lockWait?: SeenLockWait
  /** A lock on it that a session holds, read where the server lists its locks; absent where none is held, and where it does not. */
  readonly heldLock?: SeenHeldLock
  /** The source among the members that its main channel follows. */
  readonly sourceId?: ServerId
  /** `now()` when its channel last received anything (event or heartbeat) that was seen to arrive. */
  readonly lastReceivedAt?: number
  /** By channel name: what came in, for the silence of a source and the delay of an applier. */
  readonly arrivals?: Readonly<Record<string, Arrival>>
  /** When a restart was noticed between two probes. */
  readonly restartedAt?: number
  /** The manager did not ask for the latest restart, nor was the server in maintenance. */
  readonly restartedUnasked?: true
  /** Whether replication was stopped, and by no error, when its process had just started; absent where that was not seen. */
  readonly startedStopped?: boolean
  /** Whether it was read-only when its process had just started; absent where that was not seen. */
  readonly startedReadOnly?: boolean
  /** Since when every answered probe took longer than SLOW_ANSWER_MS. */
  readonly slowAnswersSince?: number
  /** When it was first seen open or closed, and with the sources, as it is now; absent where no reading differed. */
  readonly turnedAt?: number
  /** When it was last seen open for writes. */
  readonly writableAt?: number
  /** When it was last seen closed for writes. */
  readonly closedAt?: number
  /** When it was last seen acknowledging as a semi-synchronous replica. */
  readonly inSyncAt?: number
  /** Transactions that it executed, at a probe, and how many a second since the one before; absent before the second. */
  readonly writes?: WritePace
  /** When its semi-synchronous source side was last seen enabled. */
  readonly semiSourceAt?: number
  /** Transactions of its own writing that the primary holds and it lost: it is no replica in good standing. By origin. */
  readonly missingOwn?: GtidSet
  /** GTIDs that name other transactions on the primary, which it passed over: no replica in good standing either. By origin. */
  readonly ambiguous?: GtidSet
  /** First seen without ever having had a primary since the total outage (`haveNoMasterOnStart`). */
  readonly startedWithoutPrimary: boolean
  /** This server shut down on request (stop action), so that its absence is no failure. */
  readonly stoppedOnRequest: boolean
}

/** The servers and what they form, before anything is concluded from it: all that a decision reads. */
export interface BareSnapshot {
  readonly cluster: string
  /** Milliseconds since the epoch. */
  readonly at: number
  readonly topology: Topology
  readonly servers: readonly ServerSnapshot[]
  /** The writer by the manager's belief; kept while it is down. */
  readonly primary?: ServerId
  readonly operation?: Operation
  /** The server that an operation is opening for writes, or has opened since its latest reading began. */
  readonly opening?: ServerId
  /** Another manager probes the same servers. */
  readonly rival?: Rival
  /** The same for a while after it was last seen; what it has just done is not undone. */
  readonly rivalry?: Rivalry
  /** Where several instances of the manager share the fleet: what this one is to the cluster. */
  readonly tenure?: Standing
  /** Where an arbitrator decides: when it was last known that no other instance sees the primary, which fails here; 0: it is not. */
  readonly confirmed?: number
}

export interface Snapshot extends BareSnapshot {
  readonly findings: readonly Finding[]
}

export const findServer = (
  snapshot: Pick<Snapshot, 'servers'>,
  id: ServerId | undefined,
): ServerSnapshot | undefined => (id === undefined ? undefined : snapshot.servers.find((server) => server.id === id))

/** The earliest moment that the latest state of the server may be from, milliseconds since the epoch; `stateAt` is the latest. */
export const readAt = ({
  stateAt = 0,
  probeMs,
  stateFrom = stateAt - probeMs,
}: Pick<ServerSnapshot, 'stateAt' | 'stateFrom' | 'probeMs'>): number => stateFrom

/** Its channels without those to sources that are no servers of this cluster: of several to members, all. */
export const clusterChannels = ({
  state,
  foreignChannels = [],
}: Pick<ServerSnapshot, 'state' | 'foreignChannels'>): readonly Channel[] =>
  (state?.channels ?? []).filter(({ name }) => !foreignChannels.includes(name))

/** Its channels to sources that are no servers of this cluster. */
export const channelsElsewhere = ({
  state,
  foreignChannels = [],
}: Pick<ServerSnapshot, 'state' | 'foreignChannels'>): readonly Channel[] =>
  (state?.channels ?? []).filter(({ name }) => foreignChannels.includes(name))

/** The channel that belongs to this cluster, as the latest judgement found it (`ownChannel`); the one with this name before the first. */
export const mainChannel = (
  server: Pick<ServerSnapshot, 'state' | 'ownChannel'> | undefined,
  sourceName = '',
): Channel | undefined => {
  if (!server?.state || server.ownChannel === null) return undefined
  return channelNamed(server.state.channels, server.ownChannel ?? sourceName)
}
