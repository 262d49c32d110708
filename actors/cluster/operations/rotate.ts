// Carries out a step of a password rotation: looks at the servers' accounts, changes them, renews the logins of replicas
// and of proxies.
import { withDeadline } from '../../../lib/base/deadline.js'
import { done, fail, ok, type Result } from '../../../lib/base/result.js'
import { MASK } from '../../../lib/base/secret.js'
import { SECOND } from '../../../lib/base/time.js'
import { openSession } from '../../../lib/connect/sql/mysql2-session.js'
import type { SqlSession } from '../../../lib/connect/sql/session.js'
import { isReachable } from '../../../lib/decide/situation/channel.js'
import {
  informed,
  judgeRotation,
  nextStep,
  type RotationStep,
  renewed,
  settled,
  type Telling,
} from '../../../lib/decide/upkeep/rotation.js'
import type { Dialect, Rows, Statement } from '../../../lib/dialect/index.js'
import { parsed } from '../../../lib/effect/kit/statements.js'
import type { ServerId } from '../../../lib/model/server/server.js'
import { findServer, type ServerSnapshot } from '../../../lib/model/snapshot.js'
import {
  changesOf,
  type LoginChanges,
  type PasswordChange,
  type Rotation,
  reversed,
} from '../../../lib/model/work/rotation.js'
import type { ProxyWatch } from '../proxies/proxies.js'
import type { ClusterCore } from '../state/core.js'
import { refuseWhileRolling } from '../state/roll.js'
import { dialectOf, targetOf } from '../state/wires.js'

/** Longest time of one statement on an account: a semi-synchronous primary waits for a replica. */
const STATEMENT_MS = 10 * SECOND
/** Longest wait for a replica in one step; the next step waits on. */
const REPLAY_SECONDS = 2
/** Longest time of one replica's turn, and of one proxy's. */
const RENEW_MS = 30 * SECOND

/** Proxies are told, too. */
export interface RotationCore extends ClusterCore {
  readonly proxies: Pick<ProxyWatch, 'list'>
}

interface Ask {
  readonly logins: LoginChanges
}

interface Turn extends Ask {
  readonly rotation: Rotation
}

/**
 * Failures: those of `judgeRotation`; `unsupported`: accounts that cannot be rotated, and where. A second password that no
 * rotation left (`left`) is somebody else's: it is not taken away.
 */
export async function permitRotation(
  actor: ClusterCore,
  { logins, left }: Ask & { readonly left: boolean },
): Promise<Result<{ readonly settles: boolean }>> {
  const { snapshot, ready, name } = actor.state
  if (!ready) return fail('wrong-state', `${name} is still being looked at for the first time`)
  const judged = refuseWhileRolling(actor.state) ?? judgeRotation(snapshot, logins.replication.user)
  if (!judged.ok) return judged
  let settles = false
  for (const { id } of snapshot.servers) {
    const seen = await onServer(actor, id, async (session, dialect) => {
      for (const change of changesOf(logins)) {
        const rows = await rowsOf(session, dialect.accounts(change.user))
        const fit = rows.ok ? dialect.judgeAccounts(rows.value, change) : rows
        if (!fit.ok) return fit
        const { second } = fit.value
        if (second !== undefined && !left)
          return fail('unsupported', `${second}, and no rotation left them: ALTER USER … DISCARD OLD PASSWORD first`)
        settles ||= second !== undefined
      }
      return done
    })
    if (!seen.ok) return masked(named(actor, id, seen), logins)
  }
  return ok({ settles })
}

/** What fails is waited for: the next step tries again. Failure `unsupported`: it cannot go on. */
export async function stepRotation(
  actor: RotationCore,
  { rotation: { waitsFor: _, ...rotation }, logins: fresh }: Turn,
): Promise<Result<Rotation>> {
  // The passwords in force are those that everything comes to use meanwhile.
  const logins = rotation.settling ? reversed(fresh) : fresh
  const { snapshot, ready } = actor.state
  if (!ready) return ok({ ...rotation, waitsFor: 'the servers are looked at for the first time' })
  const step = nextStep(rotation, snapshot, logins.replication.user)
  const performed = masked(await perform(actor, step, { rotation, logins }), logins)
  if (performed.ok || performed.failure.code === 'unsupported') return performed
  return ok({ ...rotation, waitsFor: performed.failure.message })
}

async function perform(actor: RotationCore, step: RotationStep, { rotation, logins }: Turn): Promise<Result<Rotation>> {
  switch (step.type) {
    case 'wait':
      return ok({ ...rotation, waitsFor: step.waitsFor })
    case 'adopt':
      return ok(rotation)
    case 'next':
      return ok(step.rotation)
    case 'inform':
      return ok(informed(rotation, await informProxies(actor, { rotation, logins })))
    case 'admit':
    case 'narrow': {
      const changed = await changeAccounts(actor, step, logins)
      if (!changed.ok) return changed
      return ok(step.type === 'admit' ? { ...rotation, phase: 'adopting' } : narrowed(rotation, step.leftOut))
    }
    case 'renew': {
      const { server, channels, start } = step
      const command = { type: 'renew-login', server, channels, start, timeoutMs: RENEW_MS } as const
      const done = await withDeadline(actor.context.signal, RENEW_MS, (signal) => actor.perform(command, signal))
      await actor.watch.lookAfresh(server)
      return done.ok ? ok(renewed(rotation, server)) : named(actor, server, done)
    }
  }
}

/** Tells every proxy that logs in to the servers and was not told yet. */
async function informProxies(actor: RotationCore, { rotation, logins }: Turn): Promise<Telling> {
  const renewal = {
    logins: changesOf(logins).map(({ user, to }) => ({ user, password: to })),
    servers: actor.state.snapshot.servers.map((server) => ({
      ...{ host: server.host, port: server.port, reached: isReachable(server) },
    })),
  }
  const proxies = actor.proxies.list().filter(({ name }) => !rotation.informed?.includes(name))
  const tellings = proxies.map(async ({ renewLogin, name }): Promise<Telling> => {
    if (!renewLogin) return { took: [], left: [] }
    const told = await withDeadline(actor.context.signal, RENEW_MS, (signal) => renewLogin(renewal, signal))
    const result = masked(told, logins)
    if (result.ok) return { took: [name], left: [] }
    return { took: [], left: [{ name, reason: result.failure.message }] }
  })
  const all = await Promise.all(tellings)
  return { took: all.flatMap(({ took }) => took), left: all.flatMap(({ left }) => left) }
}

function narrowed(rotation: Rotation, leftOut: string | undefined): Rotation {
  if (rotation.settling && rotation.cancelledBy === undefined) return settled(rotation)
  const isBack = rotation.back !== undefined || rotation.settling !== undefined
  const which = isBack && !rotation.settling ? 'new' : 'old'
  const message = `${leftOut} did not answer: its accounts accept the ${which} passwords until it replicates what the primary has logged`
  return {
    ...rotation,
    phase: isBack ? 'cancelled' : 'succeeded',
    ...(leftOut === undefined ? {} : { message }),
  }
}

type AccountStep = Extract<RotationStep, { readonly servers: readonly ServerId[] }>

async function changeAccounts(actor: ClusterCore, step: AccountStep, logins: LoginChanges): Promise<Result<void>> {
  for (const id of step.servers) {
    const isPrimary = id === actor.state.snapshot.primary
    const changed = await onServer(actor, id, async (session, dialect) => {
      const isLogged = isPrimary && (await takesWrites(session))
      // What is corrected on a single server is no transaction of its own.
      const quiet = isLogged ? done : await rowsOf(session, { sql: 'SET SESSION sql_log_bin = 0', values: [] })
      if (!quiet.ok) return quiet
      const awaited =
        isPrimary || step.type !== 'admit' ? done : await awaitReplayed(actor, id, { session, dialect, logins })
      if (!awaited.ok) return awaited
      for (const change of changesOf(logins)) {
        const accounts = await changeAccount(session, dialect, { type: step.type, change })
        if (!accounts.ok) return accounts
      }
      return done
    })
    const opened = changed.ok && step.type === 'admit' ? await tryLogin(actor, id, logins.monitor) : changed
    if (!opened.ok) return named(actor, id, opened)
  }
  return done
}

interface Admission {
  readonly session: SqlSession
  readonly dialect: Dialect
  readonly logins: LoginChanges
}

/**
 * Where a replica that admits by itself what the primary has logged would lose the old password as it replays that, the
 * replay is waited for. One that lags on purpose does not keep the others waiting for hours.
 */
async function awaitReplayed(actor: ClusterCore, id: ServerId, admission: Admission): Promise<Result<void>> {
  const { session, dialect, logins } = admission
  const { primary } = actor.state.snapshot
  const replica = findServer(actor.state.snapshot, id)
  const isDelayed = replica?.state?.channels.some(({ delaySeconds }) => delaySeconds > 0)
  if (dialect.capabilities.admitsAgain || primary === undefined || replica?.sourceId === undefined || isDelayed)
    return done
  const left = await accountsLeft(session, dialect, logins)
  if (!left.ok || left.value === 0) return left.ok ? done : left
  let position = ''
  const read = await onServer(actor, primary, async (source) => {
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
  readonly type: AccountStep['type']
  readonly change: PasswordChange
}

/** Changes what is not as wanted yet, and reads that it is. */
async function changeAccount(
  session: SqlSession,
  dialect: Dialect,
  { type, change }: AccountChange,
): Promise<Result<void>> {
  const wanted = type === 'admit' ? dialect.admitPassword : dialect.dropPassword
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

/** One that is about to lose the role logs nothing of its own any more. */
async function takesWrites(session: SqlSession): Promise<boolean> {
  const rows = await rowsOf(session, { sql: 'SELECT @@GLOBAL.read_only AS closed', values: [] })
  return rows.ok && String(rows.value[0]?.closed) === '0'
}

/** The new password opens the server: nothing is changed over to it before. */
async function tryLogin(actor: ClusterCore, id: ServerId, { to }: PasswordChange): Promise<Result<void>> {
  const server = findServer(actor.state.snapshot, id)
  if (!server) return done
  const session = await openSession({ ...targetOf(server, actor.state), password: to })
  if (session.ok) session.value.close()
  return session.ok ? done : session
}

async function onServer(
  actor: ClusterCore,
  id: ServerId,
  work: (session: SqlSession, dialect: Dialect) => Promise<Result<void>>,
): Promise<Result<void>> {
  const server = findServer(actor.state.snapshot, id)
  const dialect = server && dialectOf(server)
  if (!server) return done
  if (!dialect) return fail('sql-refused', 'it did not tell yet what it is')
  const session = await openSession(targetOf(server, actor.state))
  if (!session.ok) return session
  try {
    return await work(session.value, dialect)
  } finally {
    session.value.close()
  }
}

async function rowsOf(session: SqlSession, { sql, values }: Statement): Promise<Result<Rows>> {
  const answer = await session.run(sql, values, STATEMENT_MS)
  return answer.ok ? ok(answer.value[0] ?? []) : answer
}

function named<T>(actor: ClusterCore, id: ServerId, result: Result<T>): Result<T> {
  if (result.ok) return result
  const name = (findServer(actor.state.snapshot, id) as ServerSnapshot | undefined)?.name ?? id
  return fail(result.failure.code, `${name}: ${result.failure.message}`)
}

/** An error of a server may quote the statement. */
function masked<T>(result: Result<T>, logins: LoginChanges): Result<T> {
  if (result.ok) return result
  const passwords = changesOf(logins).flatMap(({ from, to, back }) => (back ? [from, to] : [to]))
  const text = passwords
    .filter((password) => password !== '')
    .reduce((message, password) => message.replaceAll(password, MASK), result.failure.message)
  return fail(result.failure.code, text)
}
