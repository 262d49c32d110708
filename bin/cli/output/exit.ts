// How the client ends: one exit status per kind of outcome, documented in share/doc/cli.md and `manager-cli --help`.
import type { Reply } from '../../../http/client/connection.js'
import { type FailureCode, failures } from '../../../lib/base/failures.js'
import type { Failure } from '../../../lib/base/result.js'
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
  [EXIT.refused, 'refused by a safety rule; nothing was changed'],
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

const byCode: Readonly<Partial<Record<FailureCode, number>>> = {
  'bad-name': EXIT.usage,
  'bad-request': EXIT.usage,
  'file-unreadable': EXIT.usage,
  'too-large': EXIT.usage,
  'unknown-topology': EXIT.usage,
  'wrong-method': EXIT.usage,
  'wrong-scope': EXIT.usage,
  'wrong-value': EXIT.usage,
  'data-exists': EXIT.refused,
  'is-primary': EXIT.refused,
  'long-writes': EXIT.refused,
  'replication-login': EXIT.refused,
  'event-scheduler': EXIT.refused,
  'no-candidate': EXIT.refused,
  'no-primary': EXIT.refused,
  'primary-alive': EXIT.refused,
  'not-replicating': EXIT.refused,
  'primary-failed': EXIT.refused,
  'protected-thread': EXIT.refused,
  'unsafe-statement': EXIT.refused,
  vetoed: EXIT.refused,
  'wrong-state': EXIT.refused,
  'too-often': EXIT.refused,
  'bound-reached': EXIT.refused,
  'email-unconfirmed': EXIT.refused,
  'locked-out': EXIT.login,
  'login-queue-full': EXIT.login,
  'no-grant': EXIT.login,
  'not-logged-in': EXIT.login,
  'setting-grant': EXIT.login,
  'wrong-credentials': EXIT.login,
  'archive-missing': EXIT.notFound,
  'nothing-runs': EXIT.notFound,
  'unknown-account': EXIT.notFound,
  'unknown-change': EXIT.notFound,
  'unknown-cluster': EXIT.notFound,
  'unknown-commit': EXIT.notFound,
  'unknown-job': EXIT.notFound,
  'unknown-proxy': EXIT.notFound,
  'unknown-route': EXIT.notFound,
  'unknown-server': EXIT.notFound,
  'setting-without-effect': EXIT.notFound,
  'unknown-setting': EXIT.notFound,
  'unknown-table': EXIT.notFound,
  'unknown-test': EXIT.notFound,
  'unknown-tag': EXIT.notFound,
  'unknown-token': EXIT.notFound,
  'unknown-runbook': EXIT.notFound,
  'unknown-alert': EXIT.notFound,
  'unknown-silence': EXIT.notFound,
  'unknown-user': EXIT.notFound,
  'unknown-variable': EXIT.notFound,
  'already-registered': EXIT.conflict,
  'cluster-exists': EXIT.conflict,
  'operation-running': EXIT.conflict,
  'server-exists': EXIT.conflict,
  'tag-conflict': EXIT.conflict,
  'user-exists': EXIT.conflict,
  'deadline-passed': EXIT.timeout,
  'rolled-back': EXIT.undone,
  unreachable: EXIT.unreachable,
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

export const exitOfCode = (code: FailureCode): number => byCode[code] ?? EXIT.error

export const exitOfFailure = ({ code, message }: Failure): Exit => new Exit(exitOfCode(code), message)

/** The outcome of a reply that is no success: by its problem document, else by its status and text. */
export function exitOfReply({ status, headers, body }: Reply): Exit {
  const problem = headers['content-type']?.includes('problem+json') ? readProblem(body) : undefined
  if (!problem) return new Exit(byStatus[status] ?? EXIT.error, firstLine(body) || `HTTP ${status}`)
  const { code, title, detail, hint } = problem
  const exit = code !== undefined && code in failures ? exitOfCode(code as FailureCode) : byStatus[status]
  return new Exit(exit ?? EXIT.error, [detail ?? title ?? `HTTP ${status}`, hint].filter(Boolean).join('\n'))
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
