// Undoes what an old primary wrote alone, in one transaction that is committed only when its tables equal those of the
// source: until then nothing on the server has changed.

import { createReadStream } from 'node:fs'
import { open, rm } from 'node:fs/promises'
import path from 'node:path'
import { createInterface } from 'node:readline'
import { pipeline } from 'node:stream/promises'
import { anyOrder } from '../../backup/binlog/any-order.js'
import { transactions } from '../../base/counted.js'
import { modeOf } from '../../base/files/modes.js'
import { done, fail, ok, type Result } from '../../base/result.js'
import { clientOptions } from '../../connect/sql/client-options.js'
import { withSameServers } from '../../connect/sql/same-servers.js'
import type { Row, SqlSession } from '../../connect/sql/session.js'
import { ensureWholeList } from '../../connect/sql/whole-list.js'
import { setRefillPosition } from '../../dialect/refill/refill.js'
import { readItems } from './binlog-blocks.js'
import { forgetHistory } from './empty-server.js'
import { isMarked, prepareMarks, removeMarks, setMark } from './kit/marks.js'
import { openUnlogged, rowsOf, runAll } from './kit/session.js'
import { findTool, linesOf, savedLogs, startTool } from './kit/tools.js'
import type { Reports, ReturnAnswer, UndoTail } from './kit/work.js'
import { splitTable, sumTable, type TableSum } from './table-sums.js'

/** The text that undoes the saved transactions, kept beside them. */
export const UNDO_FILE = 'undo.sql'

type Sums = ReadonlyMap<string, TableSum>

export async function undoTail(task: UndoTail, reports: Reports): Promise<Result<ReturnAnswer>> {
  const tool = await findTool('binlog', 'mariadb', task.binlogTool)
  if (!tool.ok) return tool
  const reversed = await reverse(task, tool.value, reports)
  if (!reversed.ok) return reversed
  const [own, theirs] = await Promise.all([openUnlogged(task.server), openUnlogged(task.source)])
  try {
    if (!own.ok) return own
    if (!theirs.ok) return theirs
    const ends: Ends = { own: own.value, theirs: theirs.value, tool: tool.value, reports }
    const marked = await isMarked(own.value, path.basename(task.directory))
    if (!marked.ok) return marked
    if (marked.value) reports.log('the transactions were undone before: only the position is set')
    const undone = marked.value ? ok('undone before') : await undoProven(task, ends)
    if (!undone.ok) return undone
    const settled = await settle(task, ends)
    return settled.ok ? ok({ text: undone.value }) : settled
  } finally {
    for (const end of [own, theirs]) if (end.ok) end.value.close()
  }
}

interface Ends {
  readonly own: SqlSession
  readonly theirs: SqlSession
  readonly tool: string
  readonly reports: Reports
}

/** Writes what undoes the tail to a file. */
async function reverse(task: UndoTail, tool: string, { signal }: Reports): Promise<Result<void>> {
  const logs = await savedLogs(task.directory)
  const args = ['--no-defaults', anyOrder, '--flashback', `--start-position=${task.position}`, ...logs]
  const reversing = startTool(tool, args, signal)
  const file = await open(path.join(task.directory, UNDO_FILE), 'w', modeOf('rows'))
  const [written, ended] = await Promise.all([
    pipeline(reversing.output, file.createWriteStream()).then(
      () => done,
      (error: Error) => fail('file-unwritable', `${task.directory}/${UNDO_FILE}: ${error.message}`),
    ),
    reversing.ended,
  ])
  return ended.ok ? written : ended
}

/** Commits only what is proven; everything else is rolled back, and the server is as it was. */
async function undoProven(task: UndoTail, ends: Ends): Promise<Result<string>> {
  const { own, reports } = ends
  const wanted = await sumSource(task, ends)
  if (!wanted.ok) return wanted
  const marks = await prepareMarks(own)
  if (!marks.ok) return marks
  const prepared = await runAll(own, ['SET SESSION TRANSACTION ISOLATION LEVEL READ COMMITTED', 'START TRANSACTION'])
  if (!prepared.ok) return prepared
  const undone = await applyFile(path.join(task.directory, UNDO_FILE), ends)
  if (!undone.ok) return rolledBack(own, undone)
  reports.log(`${undone.value} blocks of row events are undone, not committed yet`)
  const proven = await prove(task, ends, wanted.value)
  if (!proven.ok) return rolledBack(own, proven)
  const kept = await setMark(own, path.basename(task.directory), task.fork)
  if (!kept.ok) return rolledBack(own, kept)
  const committed = await runAll(own, ['COMMIT'])
  if (!committed.ok) return committed
  return ok(proven.value)
}

async function rolledBack(session: SqlSession, failed: Result<unknown>): Promise<Result<never>> {
  await runAll(session, ['ROLLBACK'])
  const { code, message } = failed.ok ? { code: 'internal' as const, message: '' } : failed.failure
  return fail(code, `nothing was changed: ${message}`)
}

/** The tables of the source at one position of its binary log, and that position. */
async function sumSource(task: UndoTail, { theirs, reports }: Ends): Promise<Result<Wanted>> {
  const begun = await runAll(theirs, [
    'SET SESSION TRANSACTION ISOLATION LEVEL REPEATABLE READ',
    'START TRANSACTION WITH CONSISTENT SNAPSHOT',
    "SHOW STATUS LIKE 'binlog_snapshot_%'",
  ])
  if (!begun.ok) return begun
  const file = variable(begun.value, 'binlog_snapshot_file')
  const position = Number(variable(begun.value, 'binlog_snapshot_position'))
  if (file === '' || !Number.isInteger(position))
    return fail('step-failed', `${task.source.name} shows no position of a snapshot`)
  const sums = await sumAll(theirs, task)
  if (!sums.ok) return sums
  reports.log(
    `${task.source.name} was read at ${file}:${position}: ${[...sums.value].map(([name, { rows }]) => `${name} ${rows} rows`).join(', ')}`,
  )
  return ok({ sums: sums.value, file, position })
}

interface Wanted {
  readonly sums: Sums
  readonly file: string
  readonly position: number
}

/** Of a table an account sees the columns on which it has privileges: sums of a part prove nothing. */
async function sumAll(session: SqlSession, { tables }: UndoTail): Promise<Result<Sums>> {
  const whole = await ensureWholeList(session, 'tables')
  if (!whole.ok) return whole
  const sums = new Map<string, TableSum>()
  for (const table of tables) {
    const sum = await sumTable(session, table)
    if (!sum.ok) return sum
    sums.set(table, sum.value)
  }
  return ok(sums)
}

/** What the source wrote since is replayed beside it: then the tables must be equal; afterwards it is taken back. */
async function prove(task: UndoTail, ends: Ends, wanted: Wanted): Promise<Result<string>> {
  const { own } = ends
  const saved = await runAll(own, ['SAVEPOINT undone'])
  if (!saved.ok) return saved
  const replayed = await withSameServers([task.source.target], () => replaySource(task, ends, wanted), {
    signal: ends.reports.signal,
  })
  if (!replayed.ok) return replayed
  const sums = await sumAll(own, task)
  if (!sums.ok) return sums
  for (const [table, theirs] of wanted.sums) {
    const mine = sums.value.get(table)
    if (mine?.engine.toLowerCase() !== 'innodb')
      return fail('step-failed', `${table} is a table of ${mine?.engine}, which cannot be rolled back`)
    if (mine.definition !== theirs.definition)
      return fail('step-failed', `${table} has other columns than on ${task.source.name}`)
    if (mine.sum !== theirs.sum || mine.rows !== theirs.rows)
      return fail(
        'step-failed',
        `${table} differs from that of ${task.source.name}: ${mine.rows} rows here, ${theirs.rows} there`,
      )
  }
  const back = await runAll(own, ['ROLLBACK TO SAVEPOINT undone'])
  if (!back.ok) return back
  return ok(
    `undone, and proven: ${task.tables.length === 1 ? '1 table equals' : `${task.tables.length} tables equal`} that of ${task.source.name} at ${wanted.file}:${wanted.position}, ${transactions(replayed.value)} replayed for it`,
  )
}

/** Row events of the tables concerned; a statement that names one of them cannot be replayed this way. */
async function replaySource(
  task: UndoTail,
  { own, theirs, tool, reports }: Ends,
  wanted: Wanted,
): Promise<Result<number>> {
  const logs = await logsBetween(theirs, task, wanted)
  if (!logs.ok) return logs
  const options = path.join(task.directory, 'source.cnf')
  const file = await open(options, 'w', modeOf('login'))
  await file.writeFile(clientOptions(task.source.target))
  await file.close()
  const remote = [
    `--defaults-file=${options}`,
    anyOrder,
    '--read-from-remote-server',
    `--start-position=${task.sourcePosition}`,
  ]
  const reading = startTool(tool, [...remote, `--stop-position=${wanted.position}`, ...logs.value], reports.signal)
  let blocks = 0
  let failed: Result<never> | undefined
  for await (const item of readItems(linesOf(reading.output))) {
    if (failed) continue
    if (item.type === 'statement') {
      const touched = task.tables.find((table) => names(item.sql, table))
      if (touched)
        failed = fail(
          'step-failed',
          `${task.source.name} executed since what cannot be compared: ${item.sql.slice(0, 80)}`,
        )
    } else if (item.tables.length === 0 || item.tables.some((table) => task.tables.includes(table))) {
      const applied = await runAll(own, [item.sql])
      if (!applied.ok)
        failed = fail('step-failed', `what ${task.source.name} wrote since does not fit: ${applied.failure.message}`)
      else if (item.tables.length > 0) blocks += 1
    }
    if (failed) reading.kill()
  }
  const ended = await reading.ended
  await rm(options, { force: true })
  if (failed) return failed
  return ended.ok ? ok(blocks) : ended
}

/** As a word of its own: what only contains the name is another one. */
const names = (sql: string, table: string): boolean => {
  const name = splitTable(table)[1].replace(/[.*+?^${}()|[\]\\]/g, '\\$&')
  return new RegExp(`(^|[^\\w$])${name}($|[^\\w$])`, 'u').test(sql)
}

async function logsBetween(theirs: SqlSession, task: UndoTail, wanted: Wanted): Promise<Result<readonly string[]>> {
  const listed = await rowsOf(theirs, 'SHOW BINARY LOGS')
  if (!listed.ok) return listed
  const all = listed.value.map((row) => ({ name: String(row.Log_name), bytes: Number(row.File_size) }))
  const [from, to] = [task.sourceFile, wanted.file].map((name) => all.findIndex((log) => log.name === name))
  if (from === undefined || to === undefined || from < 0 || to < from)
    return fail(
      'step-failed',
      `${task.source.name} has deleted its binary logs since ${task.sourceFile}: nothing can be compared`,
    )
  const between = all.slice(from, to + 1)
  const bytes = between.reduce((sum, log) => sum + log.bytes, 0) - task.sourcePosition
  if (bytes > task.proofBytes)
    return fail(
      'step-failed',
      `${task.source.name} has written ${bytes} bytes of binary log since, more than the ${task.proofBytes} that are compared`,
    )
  return ok(between.map(({ name }) => name))
}

/** The binary log with what was undone is saved; from now on the server is where both were the same. */
async function settle(task: UndoTail, { own }: Ends): Promise<Result<unknown>> {
  const forgotten = await forgetHistory(own, task.server.flavour)
  if (!forgotten.ok) return forgotten
  const placed = await own.run(setRefillPosition(task.server.flavour), [task.fork], 60_000)
  if (!placed.ok) return placed
  return removeMarks(own)
}

async function applyFile(file: string, { own, reports }: Ends): Promise<Result<number>> {
  let blocks = 0
  let bytes = 0
  const lines = createInterface({ input: createReadStream(file), crlfDelay: Number.POSITIVE_INFINITY })
  for await (const item of readItems(lines)) {
    if (item.type === 'statement') return fail('step-failed', `it holds a statement: ${item.sql.slice(0, 80)}`)
    const applied = await runAll(own, [item.sql])
    if (!applied.ok) return applied
    if (item.tables.length > 0) blocks += 1
    bytes += item.sql.length
    reports.progress({ bytes })
  }
  return ok(blocks)
}

const variable = (rows: readonly Row[], name: string): string =>
  String(rows.find((row) => String(row.Variable_name).toLowerCase() === name)?.Value ?? '')
