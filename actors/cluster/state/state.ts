// Everything a cluster actor knows: plain, immutable, replaced by its handlers.

import type { SqlTls } from '../../../lib/connect/sql/session.js'
import type { ClusterFigures } from '../../../lib/metrics/figures.js'
import type { ClusterEvent, LogLevel } from '../../../lib/model/event.js'
import type { Finding } from '../../../lib/model/finding.js'
import type { Memory, Pause } from '../../../lib/model/memory.js'
import type { ProxyStateName } from '../../../lib/model/server/proxy-state.js'
import type { Reading, SlowReading } from '../../../lib/model/server/reading.js'
import type { ServerAddress, ServerId } from '../../../lib/model/server/server.js'
import type { SlowSettings } from '../../../lib/model/server/server-act.js'
import type { ServerSnapshot, Snapshot, StateName } from '../../../lib/model/snapshot.js'
import type { FailoverVerdict } from '../../../lib/model/verdict.js'
import type { Command } from '../../../lib/model/work/command.js'
import type { Crash } from '../../../lib/model/work/crash.js'
import type { Operation, Plan } from '../../../lib/model/work/operation.js'
import type { Roll, RollCommand } from '../../../lib/model/work/roll.js'
import type { ServiceAction } from '../../../lib/model/work/services.js'
import type { ProxyReading } from '../../../lib/proxy/kit/index.js'
import type { WatchedProxy } from '../../../lib/proxy/standing.js'
import type { Settings } from '../../../lib/settings/table/index.js'
import type { Cookie } from '../../../lib/store/index.js'
import type { ClusterProtocol } from '../../protocol/cluster.js'
import type { LogLine } from './log.js'
import type { Sla } from './sla.js'

export interface ClusterState {
  readonly name: string
  readonly settings: Settings
  /** TLS of sessions to databases, as read from its files; absent: none. */
  readonly tls?: SqlTls
  /** What is known of each server, before roles are judged. */
  readonly servers: readonly ServerSnapshot[]
  readonly memory: Memory
  readonly snapshot: Snapshot
  readonly verdict: FailoverVerdict
  /** The running operation; ended ones are in `lastOperation`. */
  readonly operation?: Operation
  readonly lastOperation?: Operation
  /** The latest rolling work, running or ended. */
  readonly roll?: Roll
  /** No decision before every server had its first look and an unfinished plan was settled. */
  readonly ready: boolean
  /** Findings raised by running work (a failed rejoin, a saved tail), kept until their cause is gone. */
  readonly standing: readonly Finding[]
  /** Findings of the manager itself. */
  readonly announced: readonly Finding[]
  readonly proxies: readonly WatchedProxy[]
  readonly log: readonly LogLine[]
  readonly lastEvent: number
  readonly sla: Sla
  /** Closed periods, oldest first. */
  readonly slaHistory: readonly Sla[]
  /** Statements per second of each server, where two slow looks tell. */
  readonly queryRates: Readonly<Record<ServerId, number>>
  /** The flags in the directory of each server, as last read. */
  readonly cookies: Readonly<Record<ServerId, readonly Cookie[]>>
  /** Repairs that failed, by what they were for: not tried again before the time given. */
  readonly restUntil: Readonly<Record<string, number>>
  /** Counts and durations for the metrics. */
  readonly figures: ClusterFigures
}

/** What a handler asks the runtime to do; nothing else has effects. */
export type ActorCommand =
  | { readonly type: 'operate'; readonly operation: Operation; readonly plan: Plan }
  | { readonly type: 'emit'; readonly events: readonly ClusterEvent[] }
  | { readonly type: 'persist' }
  | { readonly type: 'publish' }
  | { readonly type: 'look-now' }
  /** One urgent command outside any operation. */
  | { readonly type: 'perform'; readonly command: Command }
  | {
      readonly type: 'watch'
      readonly servers: readonly ServerSnapshot[]
      readonly settings: Settings
      /** The settings describe what runs already. */
      readonly settled?: boolean
    }
  | { readonly type: 'notify-finding'; readonly finding: Finding; readonly opened: boolean }
  | { readonly type: 'notify-state'; readonly server: ServerId; readonly from: StateName; readonly to: StateName }
  | {
      readonly type: 'notify-proxy'
      readonly proxy: ServerAddress
      readonly from: ProxyStateName
      readonly to: ProxyStateName
    }
  | { readonly type: 'align-proxies' }
  /** Ends the running minor operation early, so that something urgent can begin. */
  | { readonly type: 'abort' }

/** What the runtime tells the actor, besides what the outside may ask. */
export type RuntimeProtocol = ClusterProtocol & {
  observed: { in: { reading: Reading; now: number }; out: void }
  'observed-slowly': { in: { reading: SlowReading; now: number }; out: void }
  'observed-proxy': { in: { reading: ProxyReading; now: number }; out: void }
  'observed-outside': { in: { alive: boolean; detail: string; now: number }; out: void }
  tick: { in: { now: number }; out: void }
  'read-cookies': { in: { cookies: ClusterState['cookies'] }; out: void }
  /** The files of TLS to databases say something else than before. */
  'read-tls': { in: { tls: SqlTls | undefined; now: number }; out: void }
  /** A line for the log, from an effect. */
  noted: { in: { level: LogLevel; text: string; now: number }; out: void }
  /** May this be done now: when so, what it means for the server is noted before it begins (`dry`: only asked). */
  'permit-service': {
    in: { user: string; server: ServerId; action: ServiceAction; force: boolean; dry: boolean; byRoll?: boolean }
    out: void
  }
  /** An action ended; `stays`: what was wished of the server still holds. */
  'service-acted': { in: { server: ServerId; action: ServiceAction; stays: boolean; now: number }; out: void }
  /** A line of a running job, for the event stream. */
  'job-line': { in: { job: number; service: ServerId; line: string; now: number }; out: void }
  /** The slow log of a server as it was before a capture began; without it, none is under way there. */
  'keep-slow-settings': { in: { server: ServerId; slow?: SlowSettings }; out: void }
  /** Replication of a server is stopped for a moment, or, without `pause`, that is over. */
  'keep-pause': { in: { server: ServerId; pause?: Pause }; out: void }
  /** What rolling work does next, when nothing of it is under way; undefined: look again in a moment. */
  'step-roll': { in: object; out: RollCommand | undefined }
  /** A server's turn was carried out, or failed. */
  'rolled-server': { in: { server: ServerId; failure?: string; now: number }; out: void }
  /** The role was not handed over. */
  'roll-refused': { in: { reason: string; now: number }; out: void }
  /** First looks are over: decisions begin, with what is to be done and known of an operation that was interrupted. */
  recover: { in: { settled?: { plan?: Plan; memory: Memory }; now: number }; out: void }
  stepped: { in: { operation: Operation; now: number }; out: void }
  ended: { in: { operation: Operation; crash?: Crash; now: number }; out: void }
}
