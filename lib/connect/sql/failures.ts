// Classifies errors of the MySQL protocol: nothing listens, no answer, login refused, or statement refused.
import { printable } from '../../base/printable.js'
import { type Failure, fail, type Result } from '../../base/result.js'
import { UnprovenKey } from './known-keys.js'

/** The server's error for a refused statement or an ended session. */
export interface ServerError {
  readonly errno: number
  readonly sqlMessage: string
}

/** The properties of errors of mysql2 and Node that are used. */
interface WireError {
  readonly code?: string
  /** Positive: the server's error number; negative: the operating system's. */
  readonly errno?: number
  readonly message?: string
  readonly sqlMessage?: string
  readonly errors?: readonly { readonly message: string }[]
}

/**
 * The network has no route to the host, or the manager's own system blocks the connection (forbidden route, no port or file
 * descriptor left): no evidence about the server itself, so it counts as silence.
 */
const unreachable = new Set([
  'EHOSTUNREACH',
  'ENETUNREACH',
  'EHOSTDOWN',
  'ENETDOWN',
  'ETIMEDOUT',
  'EINVAL',
  'EACCES',
  'EPERM',
  'EADDRNOTAVAIL',
  'EMFILE',
  'ENFILE',
  'ENOBUFS',
])

/** The host name has no address at present: a fault of the name service, which says nothing about the server. */
const unresolved = new Set(['ENOTFOUND', 'EAI_AGAIN', 'EAI_FAIL', 'EAI_NODATA', 'EAI_NONAME'])

/** The connection was refused or closed by the peer. */
const gone = new Set(['ECONNREFUSED', 'ECONNRESET', 'ECONNABORTED', 'EPIPE', 'PROTOCOL_CONNECTION_LOST', 'ENOENT'])

/** Server is shutting down (1053): counts as gone. */
const shuttingDown = 1053

/**
 * The server ended this session: killed (MariaDB 1927, MySQL 3169), shut down (1053), idle for too long (MySQL 4031).
 * https://mariadb.com/kb/en/mariadb-error-codes/
 */
const sessionEnded = new Set([shuttingDown, 1927, 3169, 4031])

/** Classifies an error before the end of the login. Any error packet but "shutting down" proves a living server. */
export function loginFailure(error: unknown, address: string): Result<never> {
  const wire = wireError(error)
  const message = `${address}: ${wordsOf(wire)}`
  if (error instanceof UnprovenKey) return fail('sql-key-unproven', message)
  if (isServerError(wire)) return fail(wire.errno === shuttingDown ? 'sql-refused' : 'sql-rejected', message)
  if (unresolved.has(wire.code ?? '')) return fail('sql-unresolved', message)
  if (unreachable.has(wire.code ?? '')) return fail('sql-silent', message)
  return fail(gone.has(wire.code ?? '') ? 'sql-refused' : 'sql-rejected', message)
}

/**
 * Nothing listens at any address of the server: the only refusal that shows that its process has ended. A session that was lost or a
 * login that was cut off (`sql-refused` as well) may be of a server that lives.
 */
export const nothingListens = ({ code, message }: Failure): boolean =>
  code === 'sql-refused' && message.split('; ').every((each) => /\bconnect ECONNREFUSED\b/.test(each))

/** Classifies an error of a statement: a lost session is `sql-refused`, everything else `sql-failed`. */
export function statementFailure(error: unknown, address: string): Result<never> {
  const wire = wireError(error)
  const message = `${address}: ${wordsOf(wire)}`
  if (isServerError(wire)) return fail(sessionEnded.has(wire.errno) ? 'sql-refused' : 'sql-failed', message)
  if (unreachable.has(wire.code ?? '')) return fail('sql-silent', message)
  return fail(gone.has(wire.code ?? '') ? 'sql-refused' : 'sql-failed', message)
}

/** The server's init_connect failed, at the first statement of an account that it applies to. */
const isInitConnect = ({ message }: Pick<Failure, 'message'>): boolean =>
  message.includes(': error 1184: ') && message.includes('init_connect')

/** The first statement of a session is part of the login: a server that ends the session there has refused it. */
export function rejectedAtStart<T>(answer: Result<T>): Result<T> {
  if (answer.ok || !isInitConnect(answer.failure)) return answer
  const { message } = answer.failure
  return fail(
    'sql-rejected',
    `${message}. The server runs init_connect for each login without the privilege CONNECTION ADMIN (MariaDB), CONNECTION_ADMIN (MySQL) or SUPER, and it fails: correct init_connect`,
  )
}

/** A server answers and does not let the manager in, or the manager does not trust it with the password: it is alive. */
export const isLoginRefused = ({ code }: Pick<Failure, 'code'>): boolean =>
  code === 'sql-rejected' || code === 'sql-key-unproven'

/** The server's error number in a failure's message, as the functions above write it; 0 when it has none. */
export const errorNumber = ({ message }: Failure): number => Number(/: error (\d+): /.exec(message)?.[1] ?? 0)

const isServerError = (wire: WireError): wire is WireError & { errno: number } => (wire.errno ?? 0) > 0

function wordsOf(wire: WireError): string {
  // The server's own words.
  if (isServerError(wire)) return `error ${wire.errno}: ${printable(wire.sqlMessage ?? wire.message ?? '')}`
  const words = wire.message || wire.errors?.map(({ message }) => message).join('; ')
  return words || wire.code || 'connection failed'
}

const wireError = (error: unknown): WireError =>
  typeof error === 'object' && error !== null ? error : { message: String(error) }
