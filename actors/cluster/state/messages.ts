// What the runtime reports to the behaviour and asks of it, besides what the outside may ask.

import type { SqlTls } from '../../../lib/effect/index.js'
import type { LogLevel } from '../../../lib/model/event.js'
import type { LogModule } from '../../../lib/model/log-module.js'
import type { Memory, Pause } from '../../../lib/model/memory.js'
import type { Appointment } from '../../../lib/model/operation/appointment.js'
import type { Crash } from '../../../lib/model/operation/crash.js'
import type { Operation, Plan } from '../../../lib/model/operation/operation.js'
import type { Roll, RollCommand } from '../../../lib/model/operation/roll.js'
import type { ServiceAction } from '../../../lib/model/operation/services.js'
import type { Presence } from '../../../lib/model/server/presence.js'
import type { Reading, SlowReading } from '../../../lib/model/server/reading.js'
import type { ServerId } from '../../../lib/model/server/server.js'
import type { ServerAct, SlowSettings } from '../../../lib/model/server/server-act.js'
import type { FileSystem } from '../../../lib/model/server/watched.js'
import type { ProxyReading } from '../../../lib/proxy/kit/index.js'
import type { ClusterProtocol } from '../../protocol/cluster.js'
import type { ActPermit } from './act-permit.js'
import type { ClusterState } from './state.js'
import type { EndedRead } from './unread.js'

/** Messages from the runtime to the actor, besides those that others may send. */
export type RuntimeProtocol = ClusterProtocol & {
  observed: { in: { reading: Reading }; out: void }
  'observed-slowly': { in: { reading: SlowReading }; out: void }
  'observed-presence': { in: { server: ServerId; presence: Presence }; out: void }
  /** File systems as the host of a server lists them. */
  'observed-disks': { in: { server: ServerId; fileSystems: readonly FileSystem[] }; out: void }
  /** A capture of the server has begun by a finding, or (no `trigger`) it has ended. */
  capturing: { in: { server: ServerId; trigger?: string }; out: void }
  'observed-proxy': { in: { reading: ProxyReading }; out: void }
  'observed-outside': { in: { alive: boolean; detail: string }; out: void }
  /** `lostMs`: all the time that the thread lost to lateness so far; absent: it was not asked. */
  tick: { in: { lostMs?: number }; out: void }
  'read-cookies': { in: { cookies: ClusterState['cookies'] }; out: void }
  /** The files of TLS to databases say something else than before. */
  'read-tls': { in: { tls: SqlTls | undefined }; out: void }
  /** A line for the log, from an effect. */
  noted: { in: { level: LogLevel; text: string; module?: LogModule }; out: void }
  /** May this be done now: when so, what it means for the server is noted before it begins (`dry`: only asked). */
  'permit-service': {
    in: { user: string; server: ServerId; action: ServiceAction; force: boolean; dry: boolean; byRoll?: boolean }
    out: void
  }
  /** An action ended; `stays`: what was wished of the server still holds. */
  'service-acted': { in: { server: ServerId; action: ServiceAction; stays: boolean }; out: void }
  /** May this be done to the server now, and with what. */
  'permit-act': { in: { server: ServerId; act: ServerAct }; out: ActPermit }
  /** A line of a running job, for the event stream. */
  'job-line': { in: { job: number; service: ServerId; line: string }; out: void }
  /** The slow log of a server as it was before a capture began; without it, none is under way there. */
  'keep-slow-settings': { in: { server: ServerId; slow?: SlowSettings }; out: void }
  /** The binary log of a server was deleted on request: what it held before is no longer asked of it. */
  /** The server was probed after the request to end its maintenance. */
  'maintenance-ended': { in: { user: string; server: ServerId }; out: void }
  'history-reset': { in: { server: ServerId }; out: void }
  /** A read on request came to nothing because what it reads is not there, or (no `reason`) it did not. */
  'read-ended': { in: EndedRead; out: void }
  /** Replication of a server is stopped for a moment, or, without `pause`, that is over. */
  'keep-pause': { in: { server: ServerId; pause?: Pause }; out: void }
  /** Begins rolling work in the state; the runtime carries it out. */
  'open-roll': { in: Omit<ClusterProtocol['begin-roll']['in'], 'wait'>; out: Roll }
  /** Cancels what runs in the state, or dismisses what stopped. */
  'end-roll': { in: ClusterProtocol['cancel-roll']['in']; out: Roll | undefined }
  /** What rolling work does next, when nothing of it is under way; undefined: ask again in a moment. */
  'step-roll': { in: object; out: RollCommand | undefined }
  /** A server's turn was carried out, or failed. */
  'rolled-server': { in: { server: ServerId; failure?: string }; out: void }
  /** The role was not handed over. */
  'roll-refused': { in: { reason: string }; out: void }
  /** The scheduled switchover as it was written to disk. */
  'keep-appointment': { in: { appointment: Appointment }; out: void }
  /** First probes are over: decisions begin, with what is to be done and known of an operation that was interrupted. */
  recover: { in: { settled?: { plan?: Plan; memory: Memory } }; out: void }
  stepped: { in: { operation: Operation }; out: void }
  ended: { in: { operation: Operation; crash?: Crash }; out: void }
}
