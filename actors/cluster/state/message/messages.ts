// What the runtime reports to the behaviour and asks of it, besides what the outside may ask.

import type { SqlTls } from '../../../../lib/effect/index.js'
import type { Backup, LogStorage } from '../../../../lib/model/backup.js'
import type { LogLevel } from '../../../../lib/model/event.js'
import type { LogModule } from '../../../../lib/model/log-module.js'
import type { LogOutcome, Memory, Pause } from '../../../../lib/model/memory.js'
import type { Appointment } from '../../../../lib/model/operation/appointment.js'
import type { RunningRecovery } from '../../../../lib/model/operation/cluster-recovery.js'
import type { Crash } from '../../../../lib/model/operation/crash.js'
import type { HostTaskTable } from '../../../../lib/model/operation/host-task.js'
import type { Job, JobProgress, JobTask } from '../../../../lib/model/operation/job.js'
import type { Operation, Plan } from '../../../../lib/model/operation/operation.js'
import type { NewServer } from '../../../../lib/model/operation/recovery.js'
import type { Roll, RollCommand } from '../../../../lib/model/operation/roll.js'
import type { ServiceAction } from '../../../../lib/model/operation/services.js'
import type { Return } from '../../../../lib/model/operation/way-back.js'
import type { HeldLock, LockWait } from '../../../../lib/model/server/lock-wait.js'
import type { Presence } from '../../../../lib/model/server/presence.js'
import type { FreshLogin, Reading, SlowReading, SourceLogin } from '../../../../lib/model/server/reading.js'
import type { ServerId } from '../../../../lib/model/server/server.js'
import type { ServerAct, SlowSettings } from '../../../../lib/model/server/server-act.js'
import type { FileSystem } from '../../../../lib/model/server/watched.js'
import type { Standing } from '../../../../lib/model/tenure.js'
import type { ProxyReading } from '../../../../lib/proxy/kit/index.js'
import type { TrialSettings } from '../../../../lib/trial/step.js'
import type { ClusterProtocol } from '../../../protocol/cluster.js'
import type { ClusterState } from '../state.js'
import type { EndedRead } from '../unread.js'
import type { ActPermit } from './act-permit.js'

/** Messages from the runtime to the actor, besides those that others may send. */
export type RuntimeProtocol = ClusterProtocol & {
  observed: { in: { reading: Reading }; out: void }
  'observed-slowly': { in: { reading: SlowReading }; out: void }
  /** What came of a login of the replication account that was asked for. */
  'observed-login': { in: { server: ServerId; login: SourceLogin }; out: void }
  /** What came of a fresh login of the manager's own account that was asked for; absent: the server was not reached. */
  'observed-fresh-login': { in: { server: ServerId; login?: FreshLogin }; out: void }
  'observed-presence': { in: { server: ServerId; presence: Presence }; out: void }
  /** The lock that the applier of a server waits for; without `wait`: it waits for none any more. */
  'observed-lock-wait': { in: { server: ServerId; wait?: LockWait }; out: void }
  'observed-held-lock': { in: { server: ServerId; lock?: HeldLock }; out: void }
  /** File systems as the host of a server lists them. */
  /** The job table of a server as last read. */
  'read-job-table': { in: { server: ServerId; table: HostTaskTable }; out: void }
  'observed-disks': { in: { server: ServerId; fileSystems: readonly FileSystem[] }; out: void }
  /** How binary logs are stored now; without `storage`: they are no longer. */
  'observed-logs': { in: { storage?: LogStorage }; out: void }
  /** A capture of the server has begun by a finding, or (no `trigger`) it has ended. */
  capturing: { in: { server: ServerId; trigger?: string }; out: void }
  'observed-proxy': { in: { reading: ProxyReading }; out: void }
  'observed-outside': { in: { alive: boolean; detail: string }; out: void }
  /** `lostMs`: all the time that the thread lost to lateness so far; absent: it was not asked. */
  tick: { in: { lostMs?: number }; out: void }
  tenure: { in: { tenure: Standing; confirmed?: number }; out: void }
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
  /** A job that was asked for, began or ended. */
  'noted-job': { in: { job: Job }; out: void }
  'job-line': { in: { job: number; service: ServerId; line: string }; out: void }
  /** How far a running job is, for the event stream. */
  'job-progress': { in: { job: number; service: ServerId; task: JobTask; progress: JobProgress }; out: void }
  /** The records of the cluster's backups, newest last; how full their place is, percent, where that is reported. */
  'read-backups': { in: { backups: readonly Backup[]; fullPercent?: number }; out: void }
  /** The slow log of a server as it was before a capture began; without it, none is under way there. */
  'keep-slow-settings': { in: { server: ServerId; slow?: SlowSettings }; out: void }
  /** The server was probed after the request to end its maintenance. */
  'maintenance-ended': { in: { user: string; server: ServerId }; out: void }
  /** The binary log of a server, which has this history, is about to be deleted on request, or, with an outcome, that is over. */
  'history-reset': { in: { server: ServerId; outcome?: LogOutcome; history?: string }; out: void }
  /** A read on request came to nothing because what it reads is not there, or (no `reason`) it did not. */
  'read-ended': { in: EndedRead; out: void }
  /** Replication of a server is stopped for a moment, or, without `pause`, that is over. */
  'keep-pause': { in: { server: ServerId; pause?: Pause }; out: void }
  /** How far the recovery of all servers is; without `kept` it is over: `filled` are copies of the primary that are to follow it. */
  'keep-recovery': { in: { kept?: RunningRecovery; filled?: readonly ServerId[] }; out: void }
  /** What is remembered of a new server; without `kept` nothing. */
  'keep-new-server': { in: { server: ServerId; kept?: NewServer }; out: void }
  /** What is remembered of the return of a server; without `kept` nothing. */
  'keep-return': { in: { server: ServerId; kept?: Return }; out: void }
  /** A named test changes settings in the memory of the manager; without any, the saved ones are used again. */
  'try-settings': { in: { settings?: TrialSettings }; out: void }
  /** Begins rolling work in the state; the runtime carries it out. */
  'open-roll': { in: Omit<ClusterProtocol['begin-roll']['in'], 'wait'>; out: Roll }
  /** Cancels what runs in the state, or dismisses what stopped. */
  'end-roll': { in: ClusterProtocol['cancel-roll']['in'] & { revoked?: string }; out: Roll | undefined }
  /** What rolling work does next, when nothing of it is under way; undefined: ask again in a moment. */
  'step-roll': { in: object; out: RollCommand | undefined }
  /** A server's turn was carried out, failed, or was refused before it began, since the primary role is being moved. */
  'rolled-server': { in: { server: ServerId; failure?: string; gaveWay?: boolean }; out: void }
  /** The role was not handed over. */
  'roll-refused': { in: { reason: string }; out: void }
  /** The manager ended work: its user may not have it any more, and why. */
  'note-revoked': { in: { work: string; reason: string }; out: void }
  /** The scheduled switchover as it was written to disk. */
  'keep-appointment': { in: { appointment: Appointment }; out: void }
  /** First probes are over: decisions begin, with what is to be done and known of an operation that was interrupted. */
  recover: { in: { settled?: { plan?: Plan; memory: Memory } }; out: void }
  stepped: { in: { operation: Operation }; out: void }
  ended: { in: { operation: Operation; crash?: Crash }; out: void }
}
