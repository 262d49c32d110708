// Whether the replication account can log in on a server, so that others could replicate from it: by logging in with it.
import { randomBytes } from 'node:crypto'
import type { Result } from '../base/result.js'
import { errorNumber, type OpenSession, type SqlSession, type SqlTarget } from '../connect/sql/session.js'
import {
  accountHosts,
  asReplica,
  identify,
  parseIdentity,
  type Rows,
  repairCertificate,
  repairDefaults,
  repairLogin,
  repairTls,
  type Statement,
} from '../dialect/index.js'
import { instanceText, isSameInstance, type ServerInstance } from '../model/server/instance.js'
import { type AddressProof, isLoginDenied, type SourceLogin } from '../model/server/reading.js'
import { statedAddress } from '../settings/kit/address.js'

/** What replicas log in with, as configured. */
export interface ReplicationLogin {
  readonly user: string
  readonly password: string
  /** They connect with TLS, whatever the manager does. */
  readonly tls: boolean
  /** `replication-hosts`: where replicas reach servers. Absent: nowhere else than the manager. */
  readonly hosts?: readonly string[]
}

export interface SourceLoginTry {
  readonly target: SqlTarget
  /** Which server it is, as it said itself; absent where it does not say it. */
  readonly instance?: ServerInstance
  readonly login: ReplicationLogin
  readonly open: OpenSession
  /** Asks the server on a session of the manager's own account. */
  readonly ask: (statement: Statement) => Promise<Result<readonly Rows[]>>
  readonly now: () => number
}

/** The server has no room for a login at present: that says nothing of the account. */
const TOO_MANY_CONNECTIONS = 1040

/** Digests of accounts are compared within this process only, and tell nothing of passwords to anyone who reads them. */
const salt = randomBytes(16).toString('hex')

interface Requirement extends Required<Pick<SourceLogin, 'requires' | 'repair'>> {
  readonly text: string
  /** Whether the manager has it. */
  readonly has: (tls: SqlTarget['tls']) => boolean
}

/** By `ssl_type` of the account. */
const requirements: Readonly<Record<string, Requirement>> = {
  ANY: {
    ...{ requires: 'tls', repair: repairTls, has: (tls) => tls !== undefined },
    text: 'the account requires TLS; the manager uses none to try with',
  },
  X509: {
    ...{ requires: 'certificate', repair: repairCertificate, has: (tls) => tls?.cert !== undefined },
    text: 'the account requires a certificate; the manager has none to try with',
  },
  // Which one is not compared: one that is let in was accepted already.
  SPECIFIED: {
    ...{ requires: 'certificate', repair: repairCertificate, has: () => false },
    text: 'the account requires a certain certificate or cipher; the manager has no such one to try with',
  },
}

/**
 * `denied` only where replicas would be denied as well: there is no such account, or there is one that fits the manager's
 * address; or what a replica asks first fails in a session with the defaults of the server (its init_connect, its limits). An account for
 * other addresses only, or one that asks for TLS or a certificate where the manager uses none, proves nothing.
 */
export async function trySourceLogin(request: SourceLoginTry): Promise<SourceLogin> {
  const [login, over] = await Promise.all([tryLogin(request), proveAddress(request)])
  return over ? { ...login, over } : login
}

/**
 * Opens a session of the manager's own account at the address that is stated for the server: the server that answers says who it is.
 * Undefined where none is stated, or it is the manager's own.
 */
async function proveAddress({
  target,
  instance,
  login: { hosts = [] },
  open,
}: SourceLoginTry): Promise<AddressProof | undefined> {
  const stated = statedAddress(hosts, target)
  if (!stated || (stated.host === target.host && stated.port === target.port)) return undefined
  const { expected: _, server: __, ...login } = target
  const opened = await open({ ...login, ...stated })
  if (!opened.ok) return { ...stated, leads: 'unknown', message: opened.failure.message }
  const answer = await opened.value.run(identify.sql, identify.values, target.connectTimeoutMs)
  opened.value.close()
  if (!answer.ok) return { ...stated, leads: 'unknown', message: answer.failure.message }
  const found = parseIdentity(answer.value).identity.instance
  if (!found || !instance) return { ...stated, leads: 'unknown', message: 'the server does not say which one it is' }
  return isSameInstance(found, instance)
    ? { ...stated, leads: 'there', message: '' }
    : { ...stated, leads: 'elsewhere', message: `another server answers there: ${instanceText(found)}` }
}

async function tryLogin({ target, login, open, ask, now }: SourceLoginTry): Promise<SourceLogin> {
  const { user, password } = login
  const opened = await open({ ...target, user, password, bare: true })
  const seen = { at: now(), user }
  if (opened.ok) {
    const refusal = await refusalOf(opened.value, target)
    opened.value.close()
    return refusal === undefined ? { ...seen, state: 'accepted', message: '' } : { ...seen, ...refusal }
  }
  const { message } = opened.failure
  const error = errorNumber(opened.failure)
  if (error === 0 || error === TOO_MANY_CONNECTIONS) return { ...seen, state: 'unknown', message, unreached: true }
  if (!isLoginDenied(error)) return { ...seen, state: 'unknown', message }
  const hosts = await ask(accountHosts(user, salt))
  const [row] = hosts.ok ? (hosts.value[0] ?? []) : []
  const [accounts, fitting] = [Number(row?.accounts ?? 1), Number(row?.fitting ?? 0)]
  const digest = row?.digest ? { accounts: String(row.digest) } : {}
  const required = fitting > 0 ? requirements[String(row?.requirement ?? '')] : undefined
  if (required && !required.has(target.tls)) {
    const { requires, repair, text } = required
    return { ...seen, ...digest, state: 'unknown', requires, repair, message: `${message}; ${text}` }
  }
  const comparable = login.tls === (target.tls !== undefined)
  const proven = accounts === 0 || (fitting > 0 && comparable)
  const elsewhere = row !== undefined && accounts > 0 && fitting === 0
  return {
    ...{ ...seen, ...digest, state: proven ? 'denied' : 'unknown', message, repair: repairLogin(user, accounts > 0) },
    ...(elsewhere ? { elsewhere } : {}),
  }
}

/** Asks what the receiver of a replica asks first. A server that does not answer at all shows nothing. */
async function refusalOf(
  session: SqlSession,
  { connectTimeoutMs }: SqlTarget,
): Promise<Pick<SourceLogin, 'state' | 'message' | 'repair' | 'unreached'> | undefined> {
  const answer = await session.run(asReplica, [], connectTimeoutMs)
  if (answer.ok) {
    if (answer.value.every((rows) => rows.length > 0)) return undefined
    return { state: 'denied', message: 'sessions begin with sql_select_limit=0', repair: repairDefaults }
  }
  const { message } = answer.failure
  if (errorNumber(answer.failure) === 0) return { state: 'unknown', message, unreached: true }
  return { state: 'denied', message, repair: repairDefaults }
}
