// Messages of what runs on the hosts of databases, and of their logs.
import type { HostReport } from '../../../lib/backup/hosts/order-book.js'
import type { ServerId } from '../../../lib/model/server/server.js'
import type { Asked, JobTicket } from './work.js'

/** Jobs that a person or the schedule asks for. */
export const hostJobs = [
  'run-jobs',
  'logs',
  'backup-error-log',
  'backup-slowquery-log',
  'analyze',
  'log-tables',
] as const

export type HostJob = (typeof hostJobs)[number]

/** By what a host shows that its lines are its own: sealed with the password of the monitor, or the token of its order. */
export type HostProof =
  | { readonly sealed: string }
  | { readonly token: string; readonly server: string; readonly log: string }

/** What a host asks for and reports where it asks the manager for its tasks. */
export type HostAsk =
  | { readonly type: 'wanted' }
  | { readonly type: 'take' }
  | { readonly type: 'report'; readonly report: HostReport }

export type HostMessages = {
  /** The text for the host; failure `unknown-job`: nothing for it. */
  'ask-host-order': { in: { server: ServerId; task: string; ask: HostAsk }; out: string }
  /** Answers when the job has ended (`wait`) or is queued. */
  'begin-host-job': { in: Asked & { server: ServerId; task: HostJob; wait: boolean }; out: JobTicket }
  /** Lines that a script on a host writes about a task. */
  'host-log': { in: { server: ServerId; task: string; proof: HostProof }; out: void }
}
