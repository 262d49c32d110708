// Reads what only one server has from its binary logs, its own or the saved ones, and describes it row by row.
import { mkdir, mkdtemp, rm } from 'node:fs/promises'
import path from 'node:path'
import type { LogTransaction } from '../../../backup/binlog/event.js'
import { type LogRequest, readLog } from '../../../backup/binlog/read-log.js'
import { groupTransactions } from '../../../backup/binlog/transactions.js'
import { listServerFiles, readPrevious } from '../../../backup/storing/log-source.js'
import { modeOf } from '../../../base/files/modes.js'
import { fail, ok, type Result } from '../../../base/result.js'
import { openSession } from '../../../connect/sql/mysql2-session.js'
import { withSameServers } from '../../../connect/sql/same-servers.js'
import type { SqlSession } from '../../../connect/sql/session.js'
import {
  contains,
  formatSet,
  type GtidSet,
  isEmpty,
  noTransactions,
  parseGtidSet,
  parseState,
  subtract,
  union,
} from '../../../model/server/gtid.js'
import type { Flavour } from '../../../model/server/version.js'
import { writeLogin } from '../kit/login.js'
import { findTool, savedLogs, startTool } from '../kit/tools.js'
import type { DivergenceFound, ReadDivergence, Reports } from '../kit/work.js'
import { countTables, describeTransaction, type Shapes, tableOf } from './describe.js'
import { areUnsure, decideValues } from './exact-values.js'
import { readShape, type TableShape } from './table-shape.js'

/** Failures: `step-failed` when the binary logs that had it are gone or cannot be read. */
export async function readDivergence(
  task: Omit<ReadDivergence, 'type'>,
  { signal }: Pick<Reports, 'signal'>,
): Promise<Result<DivergenceFound>> {
  await mkdir(task.directory, { recursive: true, mode: modeOf('scratch') })
  const folder = await mkdtemp(path.join(task.directory, 'divergence-'))
  const opened = await openSession(task.shapesOf.target)
  if (!opened.ok) return opened
  try {
    const found = await withSameServers(
      task.saved ? [] : [task.server.target],
      () => readTransactions(task, folder, signal),
      { signal },
    )
    if (!found.ok) return found
    const shapes = await readShapes(opened.value, found.value)
    if (!shapes.ok) return shapes
    const transactions = found.value.map((each) => describeTransaction(each, shapes.value))
    const held = transactions.reduce<GtidSet>((set, { gtid }) => union(set, parseOne(gtid)), noTransactions)
    return ok({
      transactions,
      tables: countTables(transactions),
      missing: formatSet(gaps(task.extra, held, task.server.flavour)),
    })
  } finally {
    opened.value.close()
    await rm(folder, { recursive: true, force: true })
  }
}

/** `0-2-101` or `uuid:5`, as a set by origin. */
export function parseOne(gtid: string): GtidSet {
  const [, stream, sequence] = /^(\d+-\d+)-(\d+)$/.exec(gtid) ?? []
  return stream === undefined ? parseGtidSet(gtid) : { [stream]: [[Number(sequence), Number(sequence)]] }
}

/** MariaDB's sequence numbers have gaps: there only the last one of each stream is known to exist. */
function gaps(extra: GtidSet, held: GtidSet, flavour: Flavour): GtidSet {
  if (flavour !== 'mariadb') return subtract(extra, held)
  return Object.fromEntries(
    Object.entries(extra).filter(([stream, intervals]) => {
      const last = intervals.at(-1)?.[1] ?? 0
      return !contains(held, { [stream]: [[last, last]] })
    }),
  )
}

async function readTransactions(
  task: Omit<ReadDivergence, 'type'>,
  folder: string,
  signal: AbortSignal,
): Promise<Result<readonly LogTransaction[]>> {
  const tool = await findTool('binlog', task.server.flavour, task.binlogTool)
  if (!tool.ok) return tool
  const from = task.saved ? await savedFiles(task.saved) : await serverFiles(task, folder)
  if (!from.ok) return from
  const reading = readLog({ flavour: task.server.flavour, program: [tool.value], signal, ...from.value })
  const found: LogTransaction[] = []
  let rows = 0
  for await (const transaction of groupTransactions(reading.events, task.mostRows)) {
    if (!contains(task.extra, parseOne(transaction.gtid ?? '')) || transaction.gtid === undefined) continue
    found.push(bounded(transaction, Math.max(0, task.mostRows - rows)))
    rows += transaction.rowCount
  }
  const done = await reading.done
  if (!done.ok) return fail('step-failed', done.failure.message)
  if (!areUnsure(found)) return ok(found)
  if (task.saved) return ok(await decideValues(found, task.saved.directory))
  const copied = await copyRaw({ tool: tool.value, folder, files: from.value }, signal)
  return ok(copied.ok ? await decideValues(found, folder) : found)
}

/** The files of the server byte for byte: only where the printed text leaves something open. */
async function copyRaw(
  { tool, folder, files: { files, login } }: { readonly tool: string; readonly folder: string; readonly files: Files },
  signal: AbortSignal,
): Promise<Result<void>> {
  const remote = [`--defaults-file=${login}`, '--read-from-remote-server', '--raw', `--result-file=${folder}/`]
  const copying = startTool(tool, [...remote, ...files], signal)
  copying.output.resume()
  return copying.ended
}

/** With at most so many rows. */
function bounded(transaction: LogTransaction, left: number): LogTransaction {
  if (transaction.rowCount <= left) return transaction
  let kept = 0
  const changes = transaction.changes.flatMap((event) => {
    const rows = event.rows.slice(0, Math.max(0, left - kept))
    kept += rows.length
    return event.rows.length > 0 && rows.length === 0 ? [] : [{ ...event, rows }]
  })
  return { ...transaction, changes, truncated: true }
}

type Files = Pick<LogRequest, 'files' | 'login' | 'options'>

async function savedFiles({ directory, position }: NonNullable<ReadDivergence['saved']>): Promise<Result<Files>> {
  const files = await savedLogs(directory)
  return files.length === 0
    ? fail('step-failed', `${directory} has no binary logs: they were listed, not copied`)
    : ok({ files, options: position > 4 ? [`--start-position=${position}`] : [] })
}

/** Those files of the server in which one of the transactions lies. */
async function serverFiles(
  { server, extra }: Pick<ReadDivergence, 'server' | 'extra'>,
  folder: string,
): Promise<Result<Files>> {
  const opened = await openSession(server.target)
  if (!opened.ok) return opened
  try {
    const files = await filesOf(opened.value, server.flavour, extra)
    if (!files.ok) return files
    return ok({ files: files.value, login: await writeLogin(server, folder) })
  } finally {
    opened.value.close()
  }
}

async function filesOf(session: SqlSession, flavour: Flavour, extra: GtidSet): Promise<Result<readonly string[]>> {
  const listed = await listServerFiles(session)
  if (!listed.ok) return listed
  const files: string[] = []
  for (const { name } of listed.value.toReversed()) {
    const previous = await readPrevious(session, name)
    if (!previous.ok) return previous
    const before = flavour === 'mariadb' ? parseState(previous.value) : parseGtidSet(previous.value)
    if (!contains(before, extra)) files.unshift(name)
    // All of it comes later than the beginning of this file.
    if (formatSet(subtract(extra, before)) === formatSet(extra)) return ok(files)
  }
  return files.length === 0 || isEmpty(extra)
    ? fail('step-failed', `the binary logs that had ${formatSet(extra)} are deleted`)
    : ok(files)
}

async function readShapes(session: SqlSession, transactions: readonly LogTransaction[]): Promise<Result<Shapes>> {
  const shapes = new Map<string, TableShape | undefined>()
  for (const event of transactions.flatMap(({ changes }) => changes)) {
    const { schema, table } = event
    if (event.kind === 'statement' || schema === undefined || table === undefined || shapes.has(tableOf(event)))
      continue
    const shape = await readShape(session, { schema, table })
    if (!shape.ok) return shape
    shapes.set(tableOf(event), shape.value)
  }
  return ok(shapes)
}
