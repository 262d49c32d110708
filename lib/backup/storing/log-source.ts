// What a primary is asked about its binary logs before and while they are stored.
import path from 'node:path'
import { fail, ok, type Result } from '../../base/result.js'
import { SECOND, sleep } from '../../base/time.js'
import { openBinlogDump } from '../../connect/sql/binlog-dump.js'
import type { SqlSession, SqlTarget } from '../../connect/sql/session.js'
import { dumpOpening, endOfLog } from '../../dialect/shared/backup/binlog.js'
import { textIn } from '../../dialect/statement/rows.js'
import type { Flavour } from '../../model/server/version.js'
import { isFormat, magic, parseHeader } from '../binlog/headers.js'
import type { ServerFile } from './first-file.js'

const LIMIT_MS = 10_000
/** The list of preceding transactions is the second or third event of a file. */
const FIRST_EVENTS = 4

export interface ServerPosition {
  readonly file: string
  readonly offset: number
}

/** Oldest first. */
export async function listServerFiles(session: SqlSession): Promise<Result<readonly ServerFile[]>> {
  const listed = await session.run('SHOW BINARY LOGS', [], LIMIT_MS)
  if (!listed.ok) return listed
  return ok((listed.value[0] ?? []).map((row) => ({ name: textIn(row, 'Log_name'), size: Number(row.File_size) })))
}

/** Where it is on the server's host. */
export async function readDirectory(session: SqlSession): Promise<Result<string>> {
  const read = await session.run('SELECT @@GLOBAL.log_bin_basename AS place', [], LIMIT_MS)
  if (!read.ok) return read
  return ok(path.posix.dirname(textIn(read.value[0]?.[0] ?? {}, 'place')))
}

/** The transactions that precede a file, as the server lists them. */
export async function readPrevious(session: Pick<SqlSession, 'run'>, file: string): Promise<Result<string>> {
  const read = await session.run(`SHOW BINLOG EVENTS IN ? LIMIT ${FIRST_EVENTS}`, [file], LIMIT_MS)
  if (!read.ok) return read
  const row = (read.value[0] ?? []).find((each) => /^(Gtid_list|Previous_gtids)$/i.test(textIn(each, 'Event_type')))
  return ok(row ? textIn(row, 'Info').replace(/[[\]\s]/g, '') : '')
}

/**
 * When the server created a file of its log, seconds since the epoch: two logs have files of the same name, and both may begin with nothing
 * before them. No statement shows it. Failures: those of a session; `deadline-passed`.
 */
export async function readCreated(
  target: SqlTarget,
  { file, serverId }: { readonly file: string; readonly serverId: number },
): Promise<Result<number>> {
  const answered = new AbortController()
  let created: number | undefined
  const dump = await openBinlogDump({
    ...{ target, file, offset: magic.length, serverId, opening: dumpOpening(SECOND), heartbeatMs: SECOND, flags: 0 },
    onEvent: (event) => {
      const header = parseHeader(event)
      if (created !== undefined || !isFormat(header)) return
      created = header.time
      answered.abort()
    },
  })
  if (!dump.ok) return dump
  const reason = await Promise.race([dump.value.ended, sleep(LIMIT_MS, answered.signal)])
  dump.value.close()
  if (created !== undefined) return ok(created)
  return fail('deadline-passed', `the beginning of ${file} is not read: ${reason ?? `no answer in ${LIMIT_MS} ms`}`)
}

/** The end of its log. */
export async function readPosition(session: SqlSession, flavour: Flavour): Promise<Result<ServerPosition | undefined>> {
  const { sql, values } = endOfLog(flavour, session.serverVersion)
  const read = await session.run(sql, values, LIMIT_MS)
  if (!read.ok) return read
  const [row] = read.value[0] ?? []
  return ok(row && { file: textIn(row, 'File'), offset: Number(row.Position) })
}

/** All transactions in its history, and whether events end with a checksum. */
export async function readHistory(
  session: SqlSession,
  flavour: Flavour,
): Promise<Result<{ readonly transactions: string; readonly checksum: boolean }>> {
  const variable = flavour === 'mariadb' ? '@@GLOBAL.gtid_binlog_state' : '@@GLOBAL.gtid_executed'
  const read = await session.run(
    `SELECT ${variable} AS transactions, @@GLOBAL.binlog_checksum AS checksum`,
    [],
    LIMIT_MS,
  )
  if (!read.ok) return read
  const [row = {}] = read.value[0] ?? []
  return ok({
    transactions: textIn(row, 'transactions').replace(/\s/g, ''),
    checksum: textIn(row, 'checksum').toUpperCase() !== 'NONE',
  })
}
