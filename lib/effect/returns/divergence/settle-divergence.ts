// Settles what only one server has: executed by the primary, or taken back, and its GTIDs known to all afterwards.
import { counted, transactions } from '../../../base/counted.js'
import { fail, ok, type Result } from '../../../base/result.js'
import { openSession } from '../../../connect/sql/mysql2-session.js'
import type { SqlSession } from '../../../connect/sql/session.js'
import { countTransactions, formatSet, type GtidSet, parseState } from '../../../model/server/gtid.js'
import { isMarked, markOf, prepareMarks, removeMarks, setMark } from '../kit/marks.js'
import { openUnlogged, rowsOf, runAll } from '../kit/session.js'
import type { DivergenceFound, Reports, SettleDivergence, Settled, WorkServer } from '../kit/work.js'
import { readDivergence } from './read-divergence.js'
import { SQL_ZONE } from './row-sql.js'

/** So many conflicts are listed. */
const MOST_CONFLICTS = 20
/** Rows that a session of an application holds are not waited for longer, seconds. */
const LOCK_SECONDS = 5

export async function settleDivergence(task: SettleDivergence, reports: Reports): Promise<Result<Settled>> {
  if (task.action === 'neutralise') return neutralised(task)
  const read = await readDivergence(task, reports)
  if (!read.ok) return read
  const unfit = whyNot(read.value)
  if (unfit !== undefined) return fail('wrong-state', unfit)
  const settled = task.action === 'apply' ? await applied(task, read.value) : await undone(task, read.value)
  if (!settled.ok || task.dry || task.action === 'apply' || settled.value.conflicts.length > 0) return settled
  const neutral = await neutralised(task)
  if (!neutral.ok) return neutral
  await unmarked(task)
  return ok({ conflicts: [], text: `${settled.value.text}; ${neutral.value.text}` })
}

/** Everything is known, and can be written as statements. */
function whyNot({ transactions: all, missing }: DivergenceFound): string | undefined {
  if (missing !== '') return `no binary log has ${missing} any more`
  const unfit = all.find((each) => each.unfit !== undefined)
  return unfit && `${unfit.gtid}: ${unfit.unfit}`
}

const asWritten = [
  `SET SESSION time_zone = '${SQL_ZONE}', SESSION sql_mode = 'STRICT_ALL_TABLES,NO_AUTO_VALUE_ON_ZERO,NO_ENGINE_SUBSTITUTION'`,
  `SET SESSION innodb_lock_wait_timeout = ${LOCK_SECONDS}`,
] as const

interface Piece {
  readonly gtid: string
  readonly statements: readonly string[]
}

const unlisted = (conflicts: readonly string[]): Settled => ({ conflicts, text: 'nothing was changed' })

/** Each statement changes exactly one row, else it conflicts. Nothing is committed. */
async function tryAll(
  session: SqlSession,
  pieces: readonly Piece[],
  isOver: boolean,
): Promise<Result<readonly string[]>> {
  const conflicts: string[] = []
  for (const { gtid, statements } of pieces)
    for (const sql of statements) {
      const ran = await session.run(sql, [], LOCK_SECONDS * 2_000)
      const count = ran.ok ? await rowsOf(session, 'SELECT ROW_COUNT() AS n') : ran
      if (!count.ok && count.failure.code !== 'sql-failed') return count
      const why = !count.ok
        ? count.failure.message
        : Number(count.value[0]?.n) === 1
          ? undefined
          : 'the row is another one by now'
      if (why === undefined) continue
      conflicts.push(`${gtid}: ${why}: ${sql}`)
      if (isOver || conflicts.length >= MOST_CONFLICTS) return ok(conflicts)
    }
  return ok(conflicts)
}

/** Checked as a whole and rolled back; then, unless only that was asked for, executed and committed. */
async function applied(task: SettleDivergence, found: DivergenceFound): Promise<Result<Settled>> {
  const pieces = found.transactions.map(({ gtid, apply = [] }) => ({ gtid, statements: apply }))
  const opened = await openSession(task.primary.target)
  if (!opened.ok) return opened
  const session = opened.value
  try {
    const begun = await runAll(session, [...asWritten, 'START TRANSACTION'])
    if (!begun.ok) return begun
    const conflicts = await tryAll(session, pieces, false)
    await runAll(session, ['ROLLBACK'])
    if (!conflicts.ok) return conflicts
    if (task.dry || conflicts.value.length > 0) return ok(unlisted(conflicts.value))
    const done =
      task.server.flavour === 'mariadb' ? await applyTogether(task, session, pieces) : await applyEach(session, pieces)
    return done.ok
      ? ok({
          conflicts: [],
          text: `${task.primary.name} executed ${transactions(pieces.length)} of ${task.server.name}`,
        })
      : done
  } finally {
    session.close()
  }
}

/**
 * MySQL: each under its own GTID, so the server that has it already does not execute it again; one that the primary has by now
 * is left out.
 */
async function applyEach(session: SqlSession, pieces: readonly Piece[]): Promise<Result<void>> {
  for (const piece of pieces) {
    const has = await rowsOf(session, 'SELECT GTID_SUBSET(?, @@GLOBAL.gtid_executed) AS has', [piece.gtid])
    if (!has.ok) return has
    if (Number(has.value[0]?.has) === 1) continue
    const begun = await runAll(session, [`SET SESSION gtid_next = '${piece.gtid}'`, 'START TRANSACTION'])
    if (!begun.ok) return begun
    const done = await committed(session, [piece])
    await runAll(session, ["SET SESSION gtid_next = 'AUTOMATIC'"])
    if (!done.ok) return done
  }
  return ok(undefined)
}

/** MariaDB: in one transaction, under the number of the server that has it: that server skips what it wrote itself. */
async function applyTogether(
  task: SettleDivergence,
  session: SqlSession,
  pieces: readonly Piece[],
): Promise<Result<void>> {
  const [stream, ...others] = Object.keys(task.extra)
  if (stream === undefined || others.length > 0)
    return fail('wrong-state', `transactions of several origins (${formatSet(task.extra)}) are not applied together`)
  const named = task.kind === 'errant' ? await nameStream(session, stream, task.extra) : ok(undefined)
  if (!named.ok) return named
  const begun = await runAll(session, ['START TRANSACTION'])
  return begun.ok ? committed(session, pieces) : begun
}

async function committed(session: SqlSession, pieces: readonly Piece[]): Promise<Result<void>> {
  const conflicts = await tryAll(session, pieces, true)
  const [conflict] = conflicts.ok ? conflicts.value : []
  if (!conflicts.ok || conflict !== undefined) {
    await runAll(session, ['ROLLBACK'])
    return conflicts.ok ? fail('step-failed', `nothing was committed: ${conflict}`) : conflicts
  }
  const done = await runAll(session, ['COMMIT'])
  return done.ok ? ok(undefined) : done
}

/** What the session writes next belongs to the stream `domain-origin`, behind what the server has of it. */
async function nameStream(session: SqlSession, stream: string, extra: GtidSet): Promise<Result<unknown>> {
  const [domain = '0', origin = '0'] = stream.split('-')
  const state = await rowsOf(session, 'SELECT @@GLOBAL.gtid_binlog_state AS state')
  if (!state.ok) return state
  const held = Object.entries(parseState(String(state.value[0]?.state ?? '')))
  const newest = Math.max(
    0,
    ...held.filter(([name]) => name.startsWith(`${domain}-`)).map(([, set]) => set.at(-1)?.[1] ?? 0),
  )
  const last = extra[stream]?.at(-1)?.[1] ?? 0
  return runAll(session, [
    `SET SESSION gtid_domain_id = ${Number(domain)}, SESSION server_id = ${Number(origin)}`,
    ...(last > newest ? [`SET SESSION gtid_seq_no = ${last}`] : []),
  ])
}

/** In one transaction without binary logging, with a mark; newest first. */
async function undone(task: SettleDivergence, found: DivergenceFound): Promise<Result<Settled>> {
  const opened = await openUnlogged(task.server)
  if (!opened.ok) return opened
  const session = opened.value
  const mark = markOf(`${task.server.name} ${formatSet(task.extra)}`)
  const pieces = found.transactions.map(({ gtid, undo = [] }) => ({ gtid, statements: undo })).toReversed()
  const text = `${transactions(pieces.length)} undone on ${task.server.name}`
  try {
    const marked = await isMarked(session, mark)
    if (!marked.ok) return marked
    if (marked.value) return ok({ conflicts: [], text })
    return await writable(session, task.server, async () => {
      const prepared = task.dry ? ok(undefined) : await prepareMarks(session)
      if (!prepared.ok) return prepared
      const begun = await runAll(session, [...asWritten, 'START TRANSACTION'])
      if (!begun.ok) return begun
      const conflicts = await tryAll(session, pieces, false)
      const isClean = conflicts.ok && conflicts.value.length === 0
      const noted = isClean && !task.dry ? await setMark(session, mark, formatSet(task.extra)) : ok(undefined)
      const ended = await runAll(session, [isClean && noted.ok && !task.dry ? 'COMMIT' : 'ROLLBACK'])
      if (!conflicts.ok) return conflicts
      if (!noted.ok) return noted
      if (!ended.ok) return ended
      return ok(isClean && !task.dry ? { conflicts: [], text } : unlisted(conflicts.value))
    })
  } finally {
    session.close()
  }
}

/** MySQL's replicas refuse even administrators: they are opened for these statements. */
async function writable<T>(
  session: SqlSession,
  { flavour }: WorkServer,
  work: () => Promise<Result<T>>,
): Promise<Result<T>> {
  if (flavour === 'mariadb') return work()
  const read = await rowsOf(session, 'SELECT @@GLOBAL.super_read_only AS closed')
  if (!read.ok) return read
  if (Number(read.value[0]?.closed) === 0) return work()
  const opened = await runAll(session, ['SET GLOBAL super_read_only = OFF'])
  if (!opened.ok) return opened
  const done = await work()
  const closed = await runAll(session, ['SET GLOBAL super_read_only = ON'])
  return closed.ok ? done : closed
}

async function unmarked({ server }: SettleDivergence): Promise<void> {
  const opened = await openUnlogged(server)
  if (!opened.ok) return
  await writable(opened.value, server, () => removeMarks(opened.value))
  opened.value.close()
}

/** The primary gets the GTIDs without their rows, so nothing asks for them any more. */
async function neutralised(task: SettleDivergence): Promise<Result<Settled>> {
  if (task.dry) return ok(unlisted([]))
  const opened = await openSession(task.primary.target)
  if (!opened.ok) return opened
  const session = opened.value
  try {
    const done = task.server.flavour === 'mariadb' ? await noteStreams(task, session) : await injectEmpty(task, session)
    if (!done.ok) return done
    const count = countTransactions(task.extra)
    return ok({
      conflicts: [],
      text: `${task.primary.name} has ${counted(count, 'GTID')} of ${task.server.name}: ${formatSet(task.extra)}`,
    })
  } finally {
    session.close()
  }
}

/** MySQL: an empty transaction with each GTID that the primary does not have yet. */
async function injectEmpty({ extra }: SettleDivergence, session: SqlSession): Promise<Result<void>> {
  const left = await rowsOf(session, 'SELECT GTID_SUBTRACT(?, @@GLOBAL.gtid_executed) AS rest', [formatSet(extra)])
  if (!left.ok) return left
  const rest = String(left.value[0]?.rest ?? '').replace(/\s/g, '')
  for (const gtid of each(rest)) {
    const done = await runAll(session, [
      `SET SESSION gtid_next = '${gtid}'`,
      'START TRANSACTION',
      'COMMIT',
      "SET SESSION gtid_next = 'AUTOMATIC'",
    ])
    if (!done.ok) return done
  }
  return ok(undefined)
}

/** `uuid:1-2,uuid:tag:5` as single GTIDs. */
function* each(text: string): Generator<string> {
  for (const part of text.split(',').filter((one) => one !== '')) {
    const [uuid = '', ...pieces] = part.split(':')
    let stream = uuid
    for (const piece of pieces) {
      const [, first, last = first] = /^(\d+)(?:-(\d+))?$/.exec(piece) ?? []
      if (first === undefined) stream = `${uuid}:${piece}`
      else for (let number = Number(first); number <= Number(last); number += 1) yield `${stream}:${number}`
    }
  }
}

/**
 * MariaDB has no empty transactions: a statement without effect is logged under the number of the server, behind its last one. The
 * server itself skips it, all others execute it.
 */
async function noteStreams({ extra }: SettleDivergence, session: SqlSession): Promise<Result<void>> {
  for (const stream of Object.keys(extra)) {
    const known = await holds(session, stream, extra)
    if (!known.ok) return known
    if (known.value) continue
    const named = await nameStream(session, stream, extra)
    const noted = named.ok ? await runAll(session, ['CREATE DATABASE IF NOT EXISTS `manager_schema`']) : named
    if (!noted.ok) return noted
    const has = await holds(session, stream, extra)
    if (!has.ok) return has
    if (!has.value) return fail('step-failed', `the primary did not log a transaction of ${stream}`)
  }
  return ok(undefined)
}

async function holds(session: SqlSession, stream: string, extra: GtidSet): Promise<Result<boolean>> {
  const state = await rowsOf(session, 'SELECT @@GLOBAL.gtid_binlog_state AS state')
  if (!state.ok) return state
  const has = parseState(String(state.value[0]?.state ?? ''))[stream]?.at(-1)?.[1] ?? 0
  return ok(has >= (extra[stream]?.at(-1)?.[1] ?? 0))
}
