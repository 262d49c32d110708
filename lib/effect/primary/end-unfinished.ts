// Ends the writes that are under way on a server being fenced. They would hold up the fence for as long as they take; and
// those that wait for a replica, which no replica follows any more, would finally be reported as committed.
import type { Result } from '../../base/result.js'
import { sleep } from '../../base/time.js'
import type { SqlSession } from '../../connect/sql/session.js'
import { type Dialect, isDiskFull, type Statement, TRX_LIST_MS } from '../../dialect/index.js'
import type { ServerId } from '../../model/server/server.js'
import type { Run } from '../kit/context.js'
import { execute, memberOf } from '../kit/statements.js'
import { listSessions } from './full-disk.js'

/** A fence that is through by then was not blocked. */
const PATIENCE_MS = 10
const ROUND_MS = 5

/**
 * Works until `closing`, which waits for running writes, has ended, and once more after it. Their clients get no
 * answer. Answers how many were ended.
 */
export async function endUnfinished(run: Run, server: ServerId, closing: Promise<Result<unknown>>): Promise<number> {
  let result: Result<unknown> | undefined
  const settled = closing.then((answer) => {
    result = answer
  })
  /** Whether the server is closed; undefined while that is open. */
  const isClosed = (): boolean | undefined => result?.ok
  const ended = new Set<number>()
  await Promise.race([settled, sleep(PATIENCE_MS)])
  if (isClosed() === false) return 0
  if (isClosed()) return (await endRound(run, { server, ended }, unfinished)) ?? 0
  const opened = await run.context.sessions.extra(server, run.remaining())
  if (!opened.ok) return 0
  const round = { server, ended, session: opened.value }
  let listedAt = -TRX_LIST_MS
  for (let last = false; !last && run.remaining() > 0; await Promise.race([settled, sleep(ROUND_MS)])) {
    last = isClosed() !== undefined
    // Before the lists are read: a write that begins after this waits for the statement that closes.
    if (!(isClosed() ?? (await isClosing(run, round)))) continue
    const found = await endRound(run, round, unfinished)
    // A list of transactions that was read a moment ago would be the same again.
    if (last || found !== 0 || performance.now() - listedAt < TRX_LIST_MS) continue
    const open = await endRound(run, round, openTransactions)
    listedAt = performance.now()
    if (open === 0) await release(run, round)
  }
  opened.value.close()
  return ended.size
}

const unfinished = (dialect: Dialect): Statement => dialect.unfinishedWrites()

/** Idle ones too: a COMMIT that they send now would not wait for the statement that closes the server. */
const openTransactions = (dialect: Dialect): Statement => dialect.longWrites(0)

interface Round {
  readonly server: ServerId
  readonly session?: SqlSession
  /** Sessions that were ended; one may wait on for a while. */
  readonly ended: Set<number>
}

/** Ends the sessions that a statement lists. Answers how many it found that were not ended yet; undefined where the list failed. */
async function endRound(
  run: Run,
  { ended, ...on }: Round,
  list: (dialect: Dialect) => Statement,
): Promise<number | undefined> {
  const member = memberOf(run, on.server)
  if (!member.ok) return undefined
  const { dialect } = member.value
  const ids = await idsOf(run, on, list(dialect))
  const fresh = ids?.filter((id) => !ended.has(id)) ?? []
  for (const id of fresh) {
    const killed = await execute(run, { ...on, late: true, statements: [dialect.killSession(id)] })
    if (killed.ok) ended.add(id)
  }
  return ids && fresh.length
}

async function idsOf(run: Run, on: Omit<Round, 'ended'>, list: Statement): Promise<readonly number[] | undefined> {
  const found = await execute(run, { ...on, late: true, statements: [list] })
  if (found.ok) return (found.value[0] ?? []).map(({ id }) => Number(id))
  if (!isDiskFull(found.failure.message)) return undefined
  const sessions = await listSessions(run, { ...on, late: true })
  return sessions.ok ? sessions.value.filter(({ isWriting }) => isWriting).map(({ id }) => id) : undefined
}

/**
 * No client is left that could receive a commit as confirmed: those that still wait may continue, so that the fence can. Where
 * no session waits the source side stays on, since a fence that something else holds up may fail, and clients write on.
 */
async function release(run: Run, { ended: _, ...on }: Round): Promise<void> {
  const member = memberOf(run, on.server)
  if (!member.ok) return
  const { dialect } = member.value
  const statements = dialect.releaseCommits()
  if (statements.length === 0 || !(await hasRows(run, on, dialect.waitingCommits()))) return
  await execute(run, { ...on, late: true, statements })
}

/**
 * A statement of the manager that closes the server waits there for running writes: no new one begins beside it, so that a list
 * of the running ones is complete. Where there is none it is still on its way, perhaps over a dead connection while new
 * ones work. Sessions that were ended then would be back at once, and one that joined the group of an ended commit
 * after the list was read would be confirmed with it (MariaDB: who leads the group waits for the replica, all others for it).
 */
async function isClosing(run: Run, { ended: _, ...on }: Round): Promise<boolean> {
  const own = run.context.sessions.own(on.server)
  const found = await execute(run, { ...on, late: true, statements: [closingSessions(own)] })
  if (found.ok) return (found.value[0]?.length ?? 0) > 0
  if (!isDiskFull(found.failure.message)) return false
  const sessions = await listSessions(run, { ...on, late: true })
  return sessions.ok && sessions.value.some(({ id, statement }) => own.includes(id) && closingText.test(statement))
}

const closingText = /SET GLOBAL.*read_only|FLUSH TABLES WITH READ LOCK/is

/** The states: "Waiting for backup lock" (MariaDB), "Waiting for global read lock" and "Waiting for commit lock" (MySQL). */
const closingSessions = (own: readonly number[]): Statement => ({
  sql:
    "SELECT ID AS id FROM information_schema.PROCESSLIST WHERE ID IN (?) AND COMMAND = 'Query' AND ID <> CONNECTION_ID() " +
    "AND STATE LIKE 'Waiting for % lock' AND (INFO LIKE '%SET GLOBAL%read\\_only%' OR INFO LIKE '%FLUSH TABLES WITH READ LOCK%')",
  values: [[0, ...own]],
})

async function hasRows(run: Run, on: Omit<Round, 'ended'>, statement: Statement): Promise<boolean> {
  const found = await execute(run, { ...on, late: true, statements: [statement] })
  return found.ok && (found.value[0]?.length ?? 0) > 0
}
