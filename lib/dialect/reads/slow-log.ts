// The slow log, from its table or its file, as rows: one a statement, newest first.
import { flagIn, numberIn, textIn } from '../statement/rows.js'
import type { Rows } from '../statement/statement.js'
import { maskSecrets } from './mask.js'
import { ask, LONGEST_TEXT, type ReadBounds, type ReadStep } from './read.js'
import { digestOf, normaliseStatement } from './statement-text.js'

/** Reads the log where it is written: the table if both are used, since that needs no access to the host. */
export const slowQueries = ({ rows }: ReadBounds): ReadStep =>
  ask(
    'SELECT @@GLOBAL.log_output AS output, @@GLOBAL.slow_query_log_file AS file, @@GLOBAL.datadir AS directory',
    [],
    ([row = {}]) => {
      const outputs = textIn(row, 'output').toUpperCase().split(',')
      if (outputs.includes('TABLE')) return slowTable(rows)
      if (!outputs.includes('FILE')) return { type: 'rows', rows: [] }
      const path = absolute(textIn(row, 'file'), textIn(row, 'directory'))
      return {
        type: 'files',
        files: [{ path, parse: parseSlowLog }],
        join: (entries) => entries.slice(-rows).reverse(),
      }
    },
  )

/** The table has no index: reading it takes as long as it is, within the limit of the session. */
const slowTable = (rows: number): ReadStep =>
  ask(
    'SELECT start_time AS at, TIME_TO_SEC(query_time) + MICROSECOND(query_time) / 1e6 AS seconds, ' +
      `rows_sent, rows_examined, db AS schema_name, LEFT(CONVERT(sql_text USING utf8mb4), ${LONGEST_TEXT}) AS statement ` +
      'FROM mysql.slow_log ORDER BY start_time DESC LIMIT ?',
    [rows],
    (entries) => ({ type: 'rows', rows: entries.map((entry) => entryOf(entry)) }),
  )

export const absolute = (file: string, directory: string): string =>
  file.startsWith('/') ? file : `${directory.replace(/\/$/, '')}/${file}`

/** Entries of the file, oldest first. An entry begins with a comment that names user and host, or with its time. */
export function parseSlowLog(text: string): Rows {
  const entries = text.split(/^(?=# User@Host:)/m)
  let database = ''
  // Text before the first entry is the rest of a truncated entry, or the header of the file.
  return entries.slice(1).flatMap((entry) => {
    const parsed = parseEntry(entry, database)
    if (!parsed) return []
    database = parsed.schema_name
    return [entryOf(parsed)]
  })
}

/** MariaDB writes the schema into the comment; MySQL only a USE when it changes. */
function parseEntry(entry: string, before: string) {
  const seconds = /^# Query_time: ([\d.]+)/m.exec(entry)?.[1]
  const timestamp = /^SET timestamp=(\d+)(?:\.(\d+))?;$/m.exec(entry)
  if (seconds === undefined || !timestamp) return undefined
  const figure = (name: string): number => Number(new RegExp(`${name}: (\\d+)`).exec(entry)?.[1] ?? 0)
  const schema = /^# Thread_id: \d+ +Schema: (\S*)/m.exec(entry)?.[1]
  const use = /^use `?([^`;\n]+)`?;$/im.exec(entry)?.[1]
  const statement = entry.slice(timestamp.index + timestamp[0].length).replace(/^# Time:.*$/gm, '')
  return {
    at: new Date(Number(timestamp[1]) * 1_000).toISOString().slice(0, 19).replace('T', ' '),
    seconds: Number(seconds),
    rows_sent: figure('Rows_sent'),
    rows_examined: figure('Rows_examined'),
    full_scans: /^# Full_scan: Yes/m.test(entry) ? 1 : 0,
    tmp_tables: figure('Tmp_tables'),
    tmp_disk: figure('Tmp_disk_tables'),
    schema_name: use ?? schema ?? before,
    statement: withoutHead(statement).slice(0, LONGEST_TEXT),
  }
}

/** Without the header that a server writes each time it opens the file. */
const withoutHead = (statement: string): string =>
  statement.replace(/^\S+, Version: .*\n(?:Tcp port: .*\n)?(?:Time\s+Id\s+Command\s+Argument\n?)?/gm, '').trim()

/** The row with its digest, and without the passwords that the statement may hold. */
function entryOf(row: Rows[number]): Rows[number] {
  const statement = maskSecrets(textIn(row, 'statement'))
  const digest_text = normaliseStatement(statement)
  return {
    ...row,
    ...{ statement, digest_text, digest: digestOf(digest_text) },
    ...{ executions: 1, longest: numberIn(row, 'seconds'), last_seen: textIn(row, 'at') },
    full_scans: flagIn(row, 'full_scans') ? 1 : 0,
  }
}

/** Statements of the log that differ only in their values, as one row each: those that took most time come first. */
export function summariseSlow(entries: Rows): Rows {
  const groups = new Map<string, Rows[number][]>()
  for (const entry of entries) {
    const key = `${textIn(entry, 'digest')} ${textIn(entry, 'schema_name')}`
    const group = groups.get(key)
    if (group) group.push(entry)
    else groups.set(key, [entry])
  }
  return [...groups.values()].map(summary).sort((left, right) => right.seconds - left.seconds)
}

function summary(entries: Rows) {
  const [newest = {}] = entries
  const sum = (column: string) => entries.reduce((total, entry) => total + numberIn(entry, column), 0)
  return {
    ...newest,
    executions: entries.length,
    seconds: sum('seconds'),
    longest: Math.max(...entries.map((entry) => numberIn(entry, 'seconds'))),
    rows_sent: sum('rows_sent'),
    rows_examined: sum('rows_examined'),
    full_scans: sum('full_scans'),
    tmp_tables: sum('tmp_tables'),
    tmp_disk: sum('tmp_disk'),
  }
}
