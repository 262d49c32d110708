// How the client ends: one exit status per kind of outcome, documented in share/doc/cli.md and `manager-cli --help`.
import type { Reply } from '../../../http/client/connection.js'
import { type FailureCode, failures, hintOf } from '../../../lib/base/failures.js'
import type { Failure } from '../../../lib/base/result.js'
import { inOwnWords, type OwnNames } from './own-words.js'
import { INTERRUPTED } from './prompt.js'

export const EXIT = {
  ok: 0,
  error: 1,
  usage: 2,
  refused: 3,
  login: 4,
  notFound: 5,
  conflict: 6,
  timeout: 7,
  undone: 8,
  unreachable: 9,
  losses: 10,
  interrupted: INTERRUPTED,
} as const

export const exitTexts: readonly [status: number, meaning: string][] = [
  [EXIT.ok, 'done'],
  [EXIT.error, 'the manager, a database or the command failed; of status and check cluster: an error is open'],
  [EXIT.usage, 'the command line, or a value in it, is wrong'],
  [EXIT.refused, 'refused by a rule, or in the present state; nothing was changed'],
  [EXIT.login, 'not logged in, or the grant is missing'],
  [EXIT.notFound, 'no such cluster, server, setting or path'],
  [EXIT.conflict, 'another operation is running, or the object already exists'],
  [EXIT.timeout, 'no reply in time; the operation may still be running'],
  [EXIT.undone, 'the operation failed and was undone; the old primary is writable'],
  [EXIT.unreachable, 'the manager cannot be reached, or is not trusted'],
  [
    EXIT.losses,
    'the primary role moved, but a step after that failed: a server does not follow, a script failed, events do not run',
  ],
  [EXIT.interrupted, 'interrupted'],
]

/** An outcome that ends the program: an exit status and a message. */
export class Exit extends Error {
  readonly status: number
  constructor(status: number, message: string) {
    super(message)
    this.status = status
  }
}

/** Every code: one that is added is classed here. A refusal changed nothing; an error may have. */
const byCode: Readonly<Record<FailureCode, number>> = {
  'bad-name': EXIT.usage,
  'bad-request': EXIT.usage,
  'file-unreadable': EXIT.usage,
  'too-large': EXIT.usage,
  'unknown-topology': EXIT.usage,
  'wrong-method': EXIT.usage,
  'wrong-scope': EXIT.usage,
  'wrong-value': EXIT.usage,
  'backup-refused': EXIT.refused,
  'bound-reached': EXIT.refused,
  'data-exists': EXIT.refused,
  disabled: EXIT.refused,
  'email-unconfirmed': EXIT.refused,
  'event-scheduler': EXIT.refused,
  'foreign-page': EXIT.refused,
  'is-primary': EXIT.refused,
  'last-administrator': EXIT.refused,
  'long-writes': EXIT.refused,
  'no-candidate': EXIT.refused,
  'no-channel': EXIT.refused,
  'no-primary': EXIT.refused,
  'no-recovery': EXIT.refused,
  'not-owner': EXIT.refused,
  'not-replicating': EXIT.refused,
  observing: EXIT.refused,
  'other-manager': EXIT.refused,
  'plan-changed': EXIT.refused,
  'plan-needed': EXIT.refused,
  'primary-alive': EXIT.refused,
  'primary-failed': EXIT.refused,
  'protected-thread': EXIT.refused,
  'replication-login': EXIT.refused,
  'secret-in-clear': EXIT.refused,
  'self-service-refused': EXIT.refused,
  'too-often': EXIT.refused,
  'unsafe-statement': EXIT.refused,
  unsupported: EXIT.refused,
  vetoed: EXIT.refused,
  'wrong-state': EXIT.refused,
  'locked-out': EXIT.login,
  'login-queue-full': EXIT.login,
  'no-grant': EXIT.login,
  'not-logged-in': EXIT.login,
  'registration-refused': EXIT.login,
  'setting-grant': EXIT.login,
  'wrong-credentials': EXIT.login,
  'archive-missing': EXIT.notFound,
  'no-sample': EXIT.notFound,
  'no-statement': EXIT.notFound,
  'nothing-recorded': EXIT.notFound,
  'nothing-runs': EXIT.notFound,
  'setting-without-effect': EXIT.notFound,
  'unknown-account': EXIT.notFound,
  'unknown-alert': EXIT.notFound,
  'unknown-change': EXIT.notFound,
  'unknown-cluster': EXIT.notFound,
  'unknown-commit': EXIT.notFound,
  'unknown-job': EXIT.notFound,
  'unknown-proxy': EXIT.notFound,
  'unknown-route': EXIT.notFound,
  'unknown-runbook': EXIT.notFound,
  'unknown-server': EXIT.notFound,
  'unknown-setting': EXIT.notFound,
  'unknown-silence': EXIT.notFound,
  'unknown-table': EXIT.notFound,
  'unknown-tag': EXIT.notFound,
  'unknown-test': EXIT.notFound,
  'unknown-token': EXIT.notFound,
  'unknown-user': EXIT.notFound,
  'unknown-variable': EXIT.notFound,
  'unregistered-task': EXIT.notFound,
  'already-registered': EXIT.conflict,
  'changed-elsewhere': EXIT.conflict,
  'cluster-exists': EXIT.conflict,
  'operation-running': EXIT.conflict,
  'repository-moved': EXIT.conflict,
  'server-exists': EXIT.conflict,
  'tag-conflict': EXIT.conflict,
  'user-exists': EXIT.conflict,
  'deadline-passed': EXIT.timeout,
  'rolled-back': EXIT.undone,
  unreachable: EXIT.unreachable,
  'actor-gone': EXIT.error,
  'alert-failed': EXIT.error,
  'archive-failed': EXIT.error,
  'backup-failed': EXIT.error,
  'bad-certificate': EXIT.error,
  'bad-configuration': EXIT.error,
  'bad-license': EXIT.error,
  'bad-secret': EXIT.error,
  'cannot-listen': EXIT.error,
  'check-negative': EXIT.error,
  'checksum-differs': EXIT.error,
  'file-unwritable': EXIT.error,
  'git-failed': EXIT.error,
  'git-missing': EXIT.error,
  'host-task-failed': EXIT.error,
  'http-failed': EXIT.error,
  internal: EXIT.error,
  'job-cancelled': EXIT.error,
  'job-interrupted': EXIT.error,
  'mail-failed': EXIT.error,
  'mailbox-full': EXIT.error,
  'no-key': EXIT.error,
  'no-room': EXIT.error,
  'orchestrator-failed': EXIT.error,
  'place-failed': EXIT.error,
  'proxy-failed': EXIT.error,
  quarantined: EXIT.error,
  'registration-unreachable': EXIT.error,
  'repository-away': EXIT.error,
  'repository-login': EXIT.error,
  'restore-failed': EXIT.error,
  'script-failed': EXIT.error,
  'sql-failed': EXIT.error,
  'sql-key-unproven': EXIT.error,
  'sql-refused': EXIT.error,
  'sql-rejected': EXIT.error,
  'sql-silent': EXIT.error,
  'sql-unresolved': EXIT.error,
  'ssh-host-key': EXIT.error,
  'ssh-rejected': EXIT.error,
  'ssh-unreachable': EXIT.error,
  'step-failed': EXIT.error,
  'store-unreachable': EXIT.error,
  'transfer-failed': EXIT.error,
  'transfer-stalled': EXIT.error,
  undecodable: EXIT.error,
  undecryptable: EXIT.error,
}

/** For replies that carry no code: a proxy in between, or another program. */
const byStatus: Readonly<Record<number, number>> = {
  400: EXIT.usage,
  401: EXIT.login,
  403: EXIT.login,
  404: EXIT.notFound,
  409: EXIT.conflict,
  429: EXIT.login,
  504: EXIT.timeout,
}

export const exitOfCode = (code: FailureCode): number => byCode[code]

export const exitOfFailure = ({ code, message }: Failure): Exit => new Exit(exitOfCode(code), message)

/**
 * The outcome of a reply that is no success: by its problem document, else by its status and text. `names`: what fields of the
 * request are called on the command line.
 */
export function exitOfReply({ status, headers, body }: Reply, names: OwnNames = {}): Exit {
  const problem = headers['content-type']?.includes('problem+json') ? readProblem(body) : undefined
  if (!problem) return new Exit(byStatus[status] ?? EXIT.error, firstLine(body) || `HTTP ${status}`)
  const { code, title, detail, hint } = problem
  const message = inOwnWords(detail ?? title ?? `HTTP ${status}`, names)
  if (code === undefined || !Object.hasOwn(failures, code))
    return new Exit(byStatus[status] ?? EXIT.error, [message, hint].filter(Boolean).join('\n'))
  const known = code as FailureCode
  return new Exit(exitOfCode(known), `${message}\n${hintOf(known, 'cli')}`)
}

interface Problem {
  readonly code?: string
  readonly title?: string
  readonly detail?: string
  readonly hint?: string
}

function readProblem(body: string): Problem | undefined {
  try {
    return JSON.parse(body) as Problem
  } catch {
    return undefined
  }
}

/** Pages of proxies are long; one line of text says enough. */
const firstLine = (body: string): string => body.trim().split('\n', 1)[0]?.slice(0, 300) ?? ''
