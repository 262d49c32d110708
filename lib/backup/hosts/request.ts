// A task for a database's host, and what became of it.
import { fail, type Result } from '../../base/result.js'
import type { SqlTarget } from '../../connect/sql/session.js'
import type { BackupPosition } from '../../model/backup.js'
import type { HostSnapshot, HostStream, HostTask } from '../../model/operation/host-task.js'
import type { ServiceSpec } from '../../model/operation/services.js'
import type { Orchestrator } from '../../orchestrator/index.js'
import { type LogPlace, pemOf } from './order.js'
import { parsePosition } from './output.js'

export interface HostTaskRequest {
  readonly task: HostTask
  /** Absent for tasks without bytes. */
  readonly stream?: HostStream
  /** Only for `zfssnapback`. */
  readonly snapshot?: HostSnapshot
  /** From the request to the end. */
  readonly deadlineMs: number
}

export interface HostTaskRun {
  readonly signal: AbortSignal
  /** Each line of the script and its tools, as it arrives. */
  readonly log: (line: string) => void
  /** Bytes of a log that the host sends. */
  readonly data?: (bytes: Buffer) => void
  /** The script listens: the bytes can be sent now. Only for tasks that take bytes. */
  readonly waiting?: (listener: HostListener) => void
}

export interface HostListener {
  readonly host: string
  readonly port: number
  /** PEM of the certificate that it shows, by the common name `manager-host`. */
  readonly certificate: string
}

export interface HostTaskEnd {
  /** The last lines that it wrote. */
  readonly lines: readonly string[]
  /** Bytes that the script sent or took, counted on the host. */
  readonly bytes?: number
  /** By the output of the tool of a physical copy. */
  readonly position?: BackupPosition
}

/** How one host is reached, by the settings as they are now. */
export interface HostReach {
  readonly service: ServiceSpec
  readonly orchestrator: Pick<Orchestrator, 'runScript'>
  /** The account of the monitor. */
  readonly target: SqlTarget
  /** The manager runs the script itself, over a session of its own (`scheduler-jobs-ssh`). */
  readonly session: boolean
  /** A script of the operator in place of the delivered one (`onpremise-ssh-db-job-script`); '': none. */
  readonly ownScript: string
  /** Schema of the job table. */
  readonly schema: string
  /** Lines that are sent at once (`job-log-batch-size`). */
  readonly batch: number
  /** The same was ordered by an earlier life of the manager, and its end was not seen. */
  readonly earlier?: boolean
  /** Aborts when the manager ends: what is ordered stays ordered. */
  readonly manager?: AbortSignal
  /** Where lines are sent to by a script that the host runs itself. */
  readonly log?: LogPlace
}

/** Lines kept of a task: enough for the position, which tools write near their end. */
export const LINES_KEPT = 200

export const endOf = (lines: readonly string[], bytes: number | undefined): HostTaskEnd => {
  const position = parsePosition(lines)
  return { lines, ...(bytes === undefined ? {} : { bytes }), ...(position === undefined ? {} : { position }) }
}

/** The listener of a script, as it is reached from here. */
export const listenerOf = (
  { host }: ServiceSpec,
  { port, certificate }: { readonly port: number; readonly certificate: string },
): HostListener => ({ host, port, certificate: pemOf(certificate) })

/** What a failed task is reported by: its last line that says something. */
export function failedTask({ name }: ServiceSpec, task: string, lines: readonly string[]): Result<never> {
  const last = lines.findLast((line) => line.trim() !== '' && !line.startsWith('bytes: '))
  return fail('host-task-failed', `${name}: ${task} on its host failed: ${last ?? 'it wrote nothing'}`)
}
