// A rolling run: one server after the other while the cluster stays available. Plain data, saved at every step.
import type { Asker } from '../../access/index.js'
import type { GtidSet } from '../server/gtid.js'
import type { ServerId } from '../server/server.js'

/** `restart` and `reprov` end with the former primary; `optimize` rebuilds the tables of the replicas. */
export const rollKinds = ['restart', 'reprov', 'optimize'] as const

export type RollKind = (typeof rollKinds)[number]

export interface Roll {
  /** `rolling-restart-20261121T074012345`: unique in the cluster. */
  readonly id: string
  readonly kind: RollKind
  readonly owner: string
  /** Absent: begun by a schedule, or by an older version, which did not keep it. */
  readonly asker?: Asker
  readonly startedAt: number
  /** The server that is to be primary when it ends. */
  readonly home: ServerId
  /** The primary known to the run: a primary change by anything else ends it. */
  readonly primary: ServerId
  /** In the order in which they are processed. */
  readonly servers: readonly RollServer[]
  readonly phase: 'running' | 'succeeded' | 'stopped' | 'cancelled'
  /** A switchover is running, to this server or to the elected candidate. */
  readonly moving?: { readonly candidate?: ServerId }
  /** Consecutive failed switchovers, the reason of the last failure, and the earliest time of the next attempt. */
  readonly refused?: { readonly times: number; readonly reason: string; readonly until: number }
  /** What it waits for, since when, and the remainder where that can be counted. */
  readonly waiting?: { readonly text: string; readonly since: number; readonly left?: number }
  /** User who cancelled it. */
  readonly cancelledBy?: string
  /** Why it is not permitted to go on: the manager cancelled it. */
  readonly revoked?: string
  /** Only this replica is processed; the primary does not change. */
  readonly only?: ServerId
  /** The user accepts that the primary is the only other server with the data while one is rebuilt. */
  readonly force?: true
  /** Reason of the result, unless it succeeded. */
  readonly message?: string
  readonly endedAt?: number
}

/** acting: work on it has started. returning: waiting until it is back and caught up. */
export interface RollServer {
  readonly server: ServerId
  readonly state: 'waiting' | 'acting' | 'returning' | 'done' | 'skipped' | 'failed'
  /** It is in maintenance while it is processed. */
  readonly maintained?: true
  readonly actedAt?: number
  /** When the work on it was done: earlier readings of it are outdated. */
  readonly backAt?: number
  /** Position it must have applied before the next server is processed. */
  readonly reach?: GtidSet
  readonly message?: string
  readonly endedAt?: number
}

/** The next action; the run is saved before it is carried out. */
export type RollCommand =
  /** `again`: the work was started by a manager process that has ended. */
  | { readonly type: 'act'; readonly server: ServerId; readonly kind: RollKind; readonly again?: true }
  /** Switch over, to this server or to the elected candidate. */
  | { readonly type: 'move'; readonly candidate?: ServerId }

export type RunningRoll = Roll & { readonly phase: 'running' }

export const isRolling = (roll: Roll | undefined): roll is RunningRoll => roll?.phase === 'running'

/** Servers that the run keeps in maintenance, whatever else was requested. */
export const maintainedBy = (roll: Roll | undefined): readonly ServerId[] =>
  roll?.servers.flatMap(({ server, maintained }) => (maintained ? server : [])) ?? []

/** Whether a server is being rebuilt: what it runs with at the moment is neither its old configuration nor its new one yet. */
export const isRebuilt = (roll: Roll | undefined, id: ServerId): boolean =>
  isRolling(roll) &&
  roll.kind === 'reprov' &&
  roll.servers.some(({ server, state }) => server === id && state === 'acting')

export const rollTitles: Readonly<Record<RollKind, string>> = {
  restart: 'rolling restart',
  reprov: 'rolling reprovision',
  optimize: 'rolling optimize',
}
