// What the effects of one cluster work with: how servers are reached, and what the cluster's owner lends them.
import type { Result } from '../../base/result.js'
import type { Command, CommandType, Reprobe } from '../../model/operation/command.js'
import type { Crash } from '../../model/operation/crash.js'
import type { ServerState, SourceFiles } from '../../model/server/reading.js'
import type { ServerId } from '../../model/server/server.js'
import type { Proxy as ProxyAdapter, ProxyTarget } from '../../proxy/kit/index.js'
import type { Notes } from './notes.js'
import type { EffectServer } from './server.js'
import type { Sessions } from './sessions.js'

export interface EffectSettings {
  /** What replicas log in with, and how they behave (`replication-credential`, `force-slave-heartbeat-time`, …). */
  readonly replication: {
    readonly user: string
    readonly password: string
    readonly heartbeatSeconds: number
    readonly connectRetrySeconds: number
    readonly tls: boolean
    /** Files that a replica shows and checks: `own` of the settings, for each; those that others use, for one that has none. */
    readonly tlsFiles?: { readonly own?: SourceFiles; readonly others?: SourceFiles }
    /** `replication-hosts`: where replicas reach servers. Absent: nowhere else than the manager. */
    readonly hosts?: readonly string[]
    /** `replication-source-name`, for a server that shows no channel of this cluster yet; '' is the default one. */
    readonly channel: string
  }
  /** `failover-log-file-keep`. */
  readonly crashFilesKept: number
  /** Path of mariadb-binlog or mysqlbinlog (`backup-mysqlbinlog-path`); '' searches the path. */
  readonly binlogTool: string
}

/** What a command read of a server along with its work, and when. Uptime and semi-synchronous status are not read. */
export interface Seen {
  readonly server: ServerId
  /** `now()` when the server reported it. */
  readonly at: number
  readonly state: ServerState
}

/** One round trip to a server as it was measured, or to the farthest of all, milliseconds; 0 where it is not known. */
export type TripMs = (server?: ServerId) => number

/** Lent by the cluster's owner. Functions are asked each time: servers and settings change while the manager runs. */
export interface EffectContext {
  readonly cluster: string
  /** Working directory of the cluster. */
  readonly directory: string
  readonly server: (id: ServerId) => EffectServer | undefined
  readonly sessions: Sessions
  readonly settings: () => EffectSettings
  readonly proxies: () => readonly ProxyAdapter[]
  /** What proxies should do when `primary` takes the writes, or no server does. */
  readonly proxyTarget: (primary: ServerId | undefined) => ProxyTarget
  /** Probes again and decides again (see `Reprobe`): the failure is why the plan must not go on. */
  readonly reprobe: (command: Reprobe, signal: AbortSignal) => Promise<Result<string>>
  /**
   * Probes the server; the failure says what it is missing of the history, so that it must not take writes. With `behind`,
   * what its running replication brings does not count.
   */
  readonly mayOpen: (server: ServerId, how?: { readonly behind?: boolean }) => Promise<Result<void>>
  /** Receives what commands read along with their work: equivalent to a reading. */
  readonly observed: (seen: Seen) => void
  /** Reads of a server what only slow probes read, now. */
  readonly probeSlowly: (server: ServerId) => Promise<void>
  readonly tripMs: TripMs
  /** What keeps a server from applying what it received, as far as its probes have seen: `its applier waits for …`. */
  readonly waits: (server: ServerId) => string | undefined
  /** A crash record was completed and written. */
  readonly crashRecorded: (crash: Crash) => void
  /** `now()` of lib/base/time. */
  readonly now: () => number
  readonly log: (line: string) => void
}

/** One command's surroundings: the context, its time limit, and what earlier commands noted. */
export interface Run {
  readonly context: EffectContext
  readonly notes: Notes
  /** Aborts when the operation is to end early. */
  readonly signal: AbortSignal
  /** `now()` when the command began. */
  readonly startedAt: number
  /** What the command may take on servers nearby, milliseconds. */
  readonly nearbyMs: number
  /** One round trip to the farthest of its servers, milliseconds. */
  readonly tripMs: number
  /** Milliseconds left of the command's time, the way to its servers included; at least 0. */
  remaining(): number
}

export type CommandOf<T extends CommandType> = Extract<Command, { readonly type: T }>

/** Performs one type of command. Never throws, safe to repeat, done within `run.remaining()`. Answers a line for people. */
export type Effect<T extends CommandType> = (command: CommandOf<T>, run: Run) => Promise<Result<string>>
