// What orchestrators do over SQL: check whether a database answers, wait until it does, and shut it down.
import { done, fail, type Result } from '../base/result.js'
import { SECOND, sleep } from '../base/time.js'
import { openSession } from '../connect/sql/mysql2-session.js'
import { isLoginRefused, type SqlTarget, type SqlTls } from '../connect/sql/session.js'
import { addressText, type ServerAddress } from '../model/server/server.js'
import type { Run } from './index.js'

export interface Login extends Pick<SqlTarget, 'publicKeys' | 'anyKey' | 'knownKeys'> {
  readonly user: string
  readonly password: string
  /** TLS of the cluster's sessions; in clear text when absent. */
  readonly tls?: SqlTls
}

export { isLoginRefused }

const LOGIN_MS = 2 * SECOND
const CHECK_INTERVAL_MS = 100
const SHUTDOWN_MS = 10 * SECOND

/** Done when the account can log in; `sql-rejected` when the server answers but refuses it, `sql-key-unproven` when it is not trusted with the password. */
export async function tryLogin(address: ServerAddress, login: Login): Promise<Result<void>> {
  const session = await openSession({ ...address, ...login, connectTimeoutMs: LOGIN_MS })
  if (!session.ok) return session
  session.value.close()
  return done
}

/** Waits until the database answers; a refused login is an answer. `deadline-passed` when the signal ends the wait. */
export async function waitAnswer(address: ServerAddress, login: Login, signal: AbortSignal): Promise<Result<void>> {
  let last = 'it was not probed yet'
  while (!signal.aborted) {
    const answer = await tryLogin(address, login)
    if (answer.ok || isLoginRefused(answer.failure)) return done
    last = answer.failure.message
    await sleep(CHECK_INTERVAL_MS, signal)
  }
  return fail('deadline-passed', `${addressText(address)} does not answer yet: ${last}`)
}

/** A clean shutdown over SQL, and the wait until nothing listens any more. A closed port is success. */
export async function shutDown(address: ServerAddress, login: Login, { signal, log }: Run): Promise<Result<void>> {
  const session = await openSession({ ...address, ...login, connectTimeoutMs: LOGIN_MS })
  if (!session.ok) {
    if (session.failure.code !== 'sql-refused')
      return fail(session.failure.code, `cannot shut it down: ${session.failure.message}`)
    log('connection refused: it is already down')
    return done
  }
  log('SHUTDOWN')
  const executed = await session.value.run('SHUTDOWN', [], SHUTDOWN_MS)
  session.value.close()
  // A server that closes the connection before its reply carries out the shutdown.
  if (!executed.ok && executed.failure.code === 'sql-failed') return executed
  while (!signal.aborted) {
    const answer = await tryLogin(address, login)
    if (!answer.ok && answer.failure.code === 'sql-refused') return done
    await sleep(CHECK_INTERVAL_MS, signal)
  }
  return fail('deadline-passed', `${addressText(address)} was asked to shut down and still answers`)
}
