// Fills an empty MySQL server from another one by the server's clone plugin: the state of both is read over SQL, and the
// data go from server to server.
import { done, fail, ok, type Result } from '../base/result.js'
import { DAY, SECOND, sleep } from '../base/time.js'
import { openSession } from '../connect/sql/mysql2-session.js'
import { errorNumber, type Row, type SqlSession } from '../connect/sql/session.js'
import { hiddenFrom } from '../dialect/index.js'
import {
  CANNOT_RESTART,
  CLONE_BUSY,
  type CloneEnd,
  cloneFrom,
  cloneProgress,
  cloneStatus,
  eventsToDisable,
  installClone,
  judgeCloneEnds,
  looseTables,
  missingGrants,
  parseCloneEnd,
  prepareClone,
  readCloneEnd,
  settleStatements,
} from '../dialect/mysql/clone.js'
import { addressText, type ServerAddress } from '../model/server/server.js'
import type { Login } from './database-login.js'
import type { Run } from './index.js'

export interface CloneTask {
  readonly donor: ServerAddress
  readonly target: ServerAddress
  /** The monitor's account, valid on both ends. */
  readonly login: Login
}

type CloneRun = Pick<Run, 'signal' | 'log'>

const LOGIN_MS = 5 * SECOND
const ANSWER_MS = 30 * SECOND
/** Interval between two checks of the donor, how many unanswered ones end the copy, and after how many the progress is logged. */
const CHECK_INTERVAL_MS = 2 * SECOND
const MOST_SILENT = 5
const SIGN_TURNS = 5
/** A donor may still be busy with a copy whose recipient was killed. */
const BUSY_MS = 30 * SECOND

/** Checks before a copy, while the server still has its old data. Changes nothing. */
export function checkClone(task: CloneTask): Promise<Result<void>> {
  return betweenBoth(task, async (ends) => {
    const read = await readEnds(task, ends)
    return read.ok ? done : read
  })
}

/**
 * Copies everything over the empty server. Done when the server has the copy and has stopped, or restarts where
 * a supervisor restarts it; returns its previous state, for `settleClone`. Stops with the signal, on both ends.
 */
export function cloneInto(task: CloneTask, run: CloneRun): Promise<Result<CloneEnd>> {
  return betweenBoth(task, async (ends) => {
    const read = await readEnds(task, ends)
    if (!read.ok) return read
    const { donor, target } = read.value
    if (target.schemas > 0)
      return fail('wrong-state', `the new server ${addressText(task.target)} is not empty: nothing is copied into it`)
    for (const [session, end, address] of [
      [ends.donor, donor, task.donor],
      [ends.target, target, task.target],
    ] as const) {
      const able = await install(session, end, address)
      if (!able.ok) return able
    }
    for (const { sql, values } of prepareClone(task.donor, target)) {
      const executed = await ends.target.run(sql, values, ANSWER_MS)
      if (!executed.ok) return executed
    }
    const copied = await copy(task, ends, run)
    return copied.ok ? ok(target) : copied
  })
}

/** The server has started on the copy: it is complete, replicates from no source, and runs no event of a primary. */
export async function settleClone(task: CloneTask, was: CloneEnd, { log }: CloneRun): Promise<Result<void>> {
  const opened = await open(task.target, task.login)
  if (!opened.ok) return opened
  const session = opened.value
  try {
    const asked = await session.run(`${cloneStatus}; ${eventsToDisable}`, [], ANSWER_MS)
    if (!asked.ok) return asked
    const [[status] = [], events = []] = asked.value
    if (status?.state !== 'Completed')
      return fail(
        'step-failed',
        `the copy is not complete: ${status?.state ?? 'nothing was copied'} ${status?.error ?? ''}`,
      )
    for (const sql of settleStatements(was, events)) {
      const executed = await session.run(sql, [], ANSWER_MS)
      if (!executed.ok) return executed
    }
    log(`copied up to ${status.position}`)
    return done
  } finally {
    session.close()
  }
}

/** Whether the server has restarted automatically with the whole copy. */
export async function hasCopy({ target, login }: CloneTask): Promise<boolean> {
  const asked = await ask(target, login, cloneStatus)
  return asked.ok && asked.value.state === 'Completed'
}

interface Ends {
  readonly donor: SqlSession
  readonly target: SqlSession
}

const open = (address: ServerAddress, login: Login): Promise<Result<SqlSession>> =>
  openSession({ host: address.host, port: address.port, ...login, connectTimeoutMs: LOGIN_MS })

async function betweenBoth<T>(
  { donor, target, login }: CloneTask,
  work: (ends: Ends) => Promise<Result<T>>,
): Promise<Result<T>> {
  const [from, to] = await Promise.all([open(donor, login), open(target, login)])
  try {
    if (!from.ok) return from
    return to.ok ? await work({ donor: from.value, target: to.value }) : to
  } finally {
    for (const end of [from, to]) if (end.ok) end.value.close()
  }
}

async function readEnds(
  task: CloneTask,
  ends: Ends,
): Promise<Result<{ readonly donor: CloneEnd; readonly target: CloneEnd }>> {
  if (task.donor.host.includes(':'))
    return fail('unsupported', `the clone plugin takes no IPv6 address: name ${addressText(task.donor)} by a host name`)
  const [from, to, loose] = await Promise.all([
    ends.donor.run(readCloneEnd, [], ANSWER_MS),
    ends.target.run(readCloneEnd, [], ANSWER_MS),
    looseOn(ends.donor),
  ])
  if (!from.ok) return from
  if (!to.ok) return to
  const [donor, target] = [parseCloneEnd(from.value), parseCloneEnd(to.value)]
  const differ = judgeCloneEnds(donor, target)
  if (differ !== undefined) return fail('unsupported', differ)
  for (const [end, known, address] of [
    ['donor', donor, task.donor],
    ['recipient', target, task.target],
  ] as const) {
    const lacking = missingGrants(end, known).join(', ')
    if (lacking !== '')
      return fail(
        'wrong-state',
        `missing privileges of ${task.login.user} on ${addressText(address)}: ${lacking}; run GRANT ${lacking} ON *.* TO it`,
      )
  }
  const hidden =
    hiddenFrom('schemas', target.grants) ?? hiddenFrom('tables', donor.grants) ?? hiddenFrom('events', donor.grants)
  if (hidden !== undefined) return fail('wrong-state', hidden)
  return loose.ok ? ok({ donor, target }) : loose
}

/** Rows outside of InnoDB would silently be missing. */
async function looseOn(donor: SqlSession): Promise<Result<void>> {
  const asked = await donor.run(looseTables, [], ANSWER_MS)
  if (!asked.ok) return asked
  const named = (asked.value[0] ?? []).map((row: Row) => String(row.named)).join(' ')
  if (named === '') return done
  return fail(
    'unsupported',
    `only InnoDB is cloned: ${named} and maybe more would be empty; ALTER TABLE … ENGINE = InnoDB`,
  )
}

/** A replica installs no plugin while super_read_only is on: it is switched to read_only for that moment. */
async function install(session: SqlSession, end: CloneEnd, address: ServerAddress): Promise<Result<void>> {
  if (end.plugin) return done
  if (end.superReadOnly) await session.run('SET GLOBAL super_read_only = OFF', [], ANSWER_MS)
  const installed = await session.run(installClone, [], ANSWER_MS)
  if (end.superReadOnly) await session.run('SET GLOBAL super_read_only = ON', [], ANSWER_MS)
  if (installed.ok) return done
  return fail(
    'unsupported',
    `the clone plugin cannot be installed on ${addressText(address)}: ${installed.failure.message}; it is part of the server’s packages (mysql_clone.so)`,
  )
}

async function copy(task: CloneTask, ends: Ends, run: CloneRun): Promise<Result<void>> {
  const { login } = task
  const { sql, values } = cloneFrom(task.donor, { ...login, tls: login.tls !== undefined })
  const watch = watchCopy(task, ends, run)
  try {
    for (const until = performance.now() + BUSY_MS; ; await sleep(SECOND, run.signal)) {
      const copied = await ends.target.run(sql, values, DAY)
      const ended = watch.ended()
      if (ended !== undefined) return fail('step-failed', `the copy was interrupted: ${ended}`)
      if (copied.ok || copied.failure.code !== 'sql-failed') return done
      const { failure } = copied
      if (errorNumber(failure) === CANNOT_RESTART) return await looseOn(ends.donor)
      const isBusy = failure.message.includes(`${CLONE_BUSY}`) && performance.now() < until
      if (!isBusy) return fail('step-failed', `the copy was interrupted: ${failure.message}`)
    }
  } finally {
    watch.close()
  }
}

interface Watch {
  /** Why the copy was ended before it was complete. */
  ended(): string | undefined
  close(): void
}

/**
 * Stops the copy on request, and when the donor no longer answers (the plugin itself would wait for it
 * for five minutes); logs the progress periodically.
 */
function watchCopy(task: CloneTask, ends: Ends, { signal, log }: CloneRun): Watch {
  const over = new AbortController()
  let reason: string | undefined
  const end = async (why: string) => {
    reason ??= why
    const session = await open(task.target, task.login)
    if (session.ok) {
      // The statement alone, as its manual says: MySQL 9.7 died of KILL CONNECTION in such a moment.
      await session.value.run('KILL QUERY ?', [ends.target.threadId], ANSWER_MS)
      session.value.close()
    }
    ends.target.close()
  }
  const cancel = () => void end('it was stopped before it was complete')
  const check = async () => {
    let silent = 0
    for (let turn = 1; silent < MOST_SILENT; turn += 1) {
      await sleep(CHECK_INTERVAL_MS, over.signal)
      if (over.signal.aborted) return
      const donor = await ask(task.donor, task.login, 'SELECT 1')
      silent = donor.ok ? 0 : silent + 1
      if (turn % SIGN_TURNS === 0) await tellProgress(task, log)
    }
    await end(`the donor ${addressText(task.donor)} no longer answers`)
  }
  signal.addEventListener('abort', cancel, { once: true })
  if (signal.aborted) cancel()
  void check()
  return {
    ended: () => reason,
    close: () => {
      over.abort()
      signal.removeEventListener('abort', cancel)
    },
  }
}

async function tellProgress({ target, login }: CloneTask, log: Run['log']): Promise<void> {
  const asked = await ask(target, login, cloneProgress)
  if (!asked.ok) return
  const [copied, needed] = [asked.value.copied, asked.value.needed].map((bytes) =>
    Math.round(Number(bytes ?? 0) / 2 ** 20),
  )
  log(`${copied} of ${needed} MB copied`)
}

/** The first row of one answer, in a separate session. */
async function ask(address: ServerAddress, login: Login, sql: string): Promise<Result<Row>> {
  const session = await open(address, login)
  if (!session.ok) return session
  const asked = await session.value.run(sql, [], ANSWER_MS)
  session.value.close()
  return asked.ok ? ok(asked.value[0]?.[0] ?? {}) : asked
}
