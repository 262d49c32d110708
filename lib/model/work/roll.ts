// Rolling work: one server after the other, the cluster serving all the while. Plain data, kept on disk at every step.
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
  readonly startedAt: number
  /** Who is to be the primary when it ends. */
  readonly home: ServerId
  /** The primary that it knows of: another one that came without its doing ends it. */
  readonly primary: ServerId
  /** In the order in which they have their turns. */
  readonly servers: readonly RollServer[]
  readonly phase: 'running' | 'succeeded' | 'stopped' | 'cancelled'
  /** The role is being handed over, to this server or to whom the election finds. */
  readonly moving?: { readonly candidate?: ServerId }
  /** Switchovers that failed in a row, why the last one did, and when the next may begin. */
  readonly refused?: { readonly times: number; readonly reason: string; readonly until: number }
  /** What it waits for, since when, and how much of it is left where that can be counted. */
  readonly waiting?: { readonly text: string; readonly since: number; readonly left?: number }
  /** Who asked for its end. */
  readonly cancelledBy?: string
  /** Only this replica has a turn; the role does not move. */
  readonly only?: ServerId
  /** A person accepts that the primary is the only other server with the data while one is filled. */
  readonly force?: true
  /** Why it ended as it did, when it did not simply succeed. */
  readonly message?: string
  readonly endedAt?: number
}

/** acting: its turn has begun. returning: it is to be back and to catch up. */
export interface RollServer {
  readonly server: ServerId
  readonly state: 'waiting' | 'acting' | 'returning' | 'done' | 'skipped' | 'failed'
  /** It is in maintenance for its turn. */
  readonly maintained?: true
  readonly actedAt?: number
  /** When its turn had been carried out: what was seen of it before is history. */
  readonly backAt?: number
  /** What it must have applied before the next one has its turn. */
  readonly reach?: GtidSet
  readonly message?: string
  readonly endedAt?: number
}

/** What is to be done next, by whoever has written the run down before. */
export type RollCommand =
  /** `again`: the turn was begun by a manager that was ended. */
  | { readonly type: 'act'; readonly server: ServerId; readonly kind: RollKind; readonly again?: true }
  /** Hand the role over, to this server or to whom the election finds. */
  | { readonly type: 'move'; readonly candidate?: ServerId }

export type RunningRoll = Roll & { readonly phase: 'running' }

export const isRolling = (roll: Roll | undefined): roll is RunningRoll => roll?.phase === 'running'

/** Servers that are in maintenance for as long as the run says so, whatever was asked for besides. */
export const maintainedBy = (roll: Roll | undefined): readonly ServerId[] =>
  roll?.servers.flatMap(({ server, maintained }) => (maintained ? server : [])) ?? []

export const rollTitles: Readonly<Record<RollKind, string>> = {
  restart: 'rolling restart',
  reprov: 'rolling reprovision',
  optimize: 'rolling optimize',
}
