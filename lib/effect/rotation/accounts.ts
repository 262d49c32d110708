// Checks and changes the accounts of a password rotation on the servers themselves.
import { done, fail, ok, type Result } from '../../base/result.js'
import { MASK } from '../../base/secret.js'
import { SECOND } from '../../base/time.js'
import { openSession } from '../../connect/sql/mysql2-session.js'
import type { SqlSession } from '../../connect/sql/session.js'
import type { Dialect, Rows, Statement } from '../../dialect/index.js'
import { changesOf, type LoginChanges, type PasswordChange } from '../../model/operation/rotation.js'
import type { EffectServer } from '../kit/server.js'
import { parsed } from '../kit/statements.js'
import { ensureMayRotate } from './privileges.js'

/** Longest time of one statement on an account: a semi-synchronous primary waits for a replica. */
const STATEMENT_MS = 10 * SECOND
/** Longest wait for a replica in one step; the next step waits on. */
const REPLAY_SECONDS = 2

/** A server whose accounts are changed. */
export interface RotationServer {
  readonly server: EffectServer
  readonly isPrimary: boolean
  /** For a replica without configured delay: where its transactions come from in the end. */
  readonly primary?: EffectServer
}

/**
 * Whether the accounts on these servers can be rotated. A second password that no rotation left (`left`) belongs to
 * others: it is not removed. Failures `unsupported`: accounts that cannot be rotated, and where; `wrong-state`: a new session
 * of the manager may not change them (judged if `granted` asks for it). `settles`: accounts with two passwords are to be
 * corrected first.
 */
export async function inspectAccounts(
  servers: readonly EffectServer[],
  { logins, left, granted }: { readonly logins: LoginChanges; readonly left: boolean; readonly granted: boolean },
): Promise<Result<{ readonly settles: boolean }>> {
  let settles = false
  for (const server of servers) {
    const inspected = await onServer(server, async (session) => {
      const permitted = granted ? await ensureMayRotate(session, server) : done
      if (!permitted.ok) return permitted
      for (const change of changesOf(logins)) {
        const rows = await rowsOf(session, server.dialect.accounts(change.user))
        const fit = rows.ok ? server.dialect.judgeAccounts(rows.value, change) : rows
        if (!fit.ok) return fit
        const { second } = fit.value
        if (second !== undefined && !left)
          return fail('unsupported', `${second}, and no rotation left them: ALTER USER … DISCARD OLD PASSWORD first`)
        settles ||= second !== undefined
      }
      return done
    })
    if (!inspected.ok) return masked(named(server, inspected), logins)
  }
  return ok({ settles })
}

/** `admit`: the accounts accept the new passwords besides the old ones; `narrow`: only the new ones. */
export type AccountStep = 'admit' | 'narrow'

/** Changes the accounts on one server after the other; the first failure ends it. */
export async function changeAccounts(
  servers: readonly RotationServer[],
  step: AccountStep,
  logins: LoginChanges,
): Promise<Result<void>> {
  for (const one of servers) {
    const { server, isPrimary } = one
    const { dialect } = server
    const changed = await onServer(server, async (session) => {
      const isLogged = isPrimary && (await takesWrites(session))
      // A correction on a single server must not become an errant transaction.
      const quiet = isLogged ? done : await rowsOf(session, { sql: 'SET SESSION sql_log_bin = 0', values: [] })
      if (!quiet.ok) return quiet
      const awaited = isPrimary || step !== 'admit' ? done : await awaitReplayed(one, session, logins)
      if (!awaited.ok) return awaited
      for (const change of changesOf(logins)) {
        const accounts = await changeAccount(session, dialect, { step, change })
        if (!accounts.ok) return accounts
      }
      return done
    })
    const opened = changed.ok && step === 'admit' ? await tryLogin(server, logins.monitor) : changed
    if (!opened.ok) return masked(named(server, opened), logins)
  }
  return done
}

/**
 * Where a replica that accepts on its own what the primary has logged would lose the old password as it replays that, the
 * replay is waited for. One that lags on purpose does not keep the others waiting for hours.
 */
async function awaitReplayed(
  { server: { dialect }, primary }: RotationServer,
  session: SqlSession,
  logins: LoginChanges,
): Promise<Result<void>> {
  if (dialect.capabilities.admitsAgain || primary === undefined) return done
  const left = await accountsLeft(session, dialect, logins)
  if (!left.ok || left.value === 0) return left.ok ? done : left
  let position = ''
  const read = await onServer(primary, async (source) => {
    const answer = await source.run(dialect.fastProbe, [], STATEMENT_MS)
    const state = answer.ok ? parsed(dialect, answer.value) : answer
    if (state.ok) position = dialect.positionText(state.value.gtid.executed)
    return state.ok ? done : state
  })
  if (!read.ok) return read
  const rows = await rowsOf(session, dialect.waitApplied(position, REPLAY_SECONDS))
  if (!rows.ok || Number(rows.value[0]?.reached) === 1) return rows.ok ? done : rows
  return fail('deadline-passed', 'it has not applied yet what the primary admitted')
}

/** How many statements would admit what is not admitted there yet. */
async function accountsLeft(session: SqlSession, dialect: Dialect, logins: LoginChanges): Promise<Result<number>> {
  let left = 0
  for (const change of changesOf(logins)) {
    const rows = await rowsOf(session, dialect.accounts(change.user))
    if (!rows.ok) return rows
    left += dialect.admitPassword(rows.value, change).length
  }
  return ok(left)
}

interface AccountChange {
  readonly step: AccountStep
  readonly change: PasswordChange
}

/** Changes what is not as wanted yet, and reads that it is. */
async function changeAccount(
  session: SqlSession,
  dialect: Dialect,
  { step, change }: AccountChange,
): Promise<Result<void>> {
  const wanted = step === 'admit' ? dialect.admitPassword : dialect.dropPassword
  const rows = await rowsOf(session, dialect.accounts(change.user))
  if (!rows.ok) return rows
  for (const statement of wanted(rows.value, change)) {
    const ran = await rowsOf(session, statement)
    if (!ran.ok) return ran
  }
  const after = await rowsOf(session, dialect.accounts(change.user))
  if (!after.ok) return after
  const isDone = wanted(after.value, change).length === 0
  return isDone ? done : fail('sql-failed', `the accounts of ${change.user} are not as they were changed`)
}

/** One that is about to lose the role writes no more transactions to its binary log. */
async function takesWrites(session: SqlSession): Promise<boolean> {
  const rows = await rowsOf(session, { sql: 'SELECT @@GLOBAL.read_only AS closed', values: [] })
  return rows.ok && String(rows.value[0]?.closed) === '0'
}

/** The new password opens the server: nothing is changed over to it before. */
async function tryLogin({ target }: EffectServer, { to }: PasswordChange): Promise<Result<void>> {
  const session = await openSession({ ...target, password: to })
  if (session.ok) session.value.close()
  return session.ok ? done : session
}

async function onServer(
  { target }: EffectServer,
  work: (session: SqlSession) => Promise<Result<void>>,
): Promise<Result<void>> {
  const session = await openSession(target)
  if (!session.ok) return session
  try {
    return await work(session.value)
  } finally {
    session.value.close()
  }
}

async function rowsOf(session: SqlSession, { sql, values }: Statement): Promise<Result<Rows>> {
  const answer = await session.run(sql, values, STATEMENT_MS)
  return answer.ok ? ok(answer.value[0] ?? []) : answer
}

const named = <T>({ spec }: EffectServer, result: Result<T>): Result<T> =>
  result.ok ? result : fail(result.failure.code, `${spec.name}: ${result.failure.message}`)

/** An error of a server may quote the statement. */
export function masked<T>(result: Result<T>, logins: LoginChanges): Result<T> {
  if (result.ok) return result
  const passwords = changesOf(logins).flatMap(({ from, to, back }) => (back ? [from, to] : [to]))
  const text = passwords
    .filter((password) => password !== '')
    .reduce((message, password) => message.replaceAll(password, MASK), result.failure.message)
  return fail(result.failure.code, text)
}
