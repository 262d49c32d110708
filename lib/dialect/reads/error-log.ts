// The error log, and the log of refused statements beside it, as rows: at, level, text; newest first.
import { pairs, textIn } from '../statement/rows.js'
import type { Rows } from '../statement/statement.js'
import { maskSecrets } from './mask.js'
import { ask, LONGEST_TEXT, type LogFile, type ReadBounds, type ReadStep, refuse } from './read.js'
import { absolute } from './slow-log.js'

/** MySQL keeps its log in memory as well (8.0.22). */
export const errorLogTable = ({ rows }: ReadBounds): ReadStep =>
  ask(
    `SELECT LEFT(LOGGED, 19) AS at, PRIO AS level, CONCAT('[', ERROR_CODE, '] [', SUBSYSTEM, '] ', LEFT(DATA, ${LONGEST_TEXT})) AS text ` +
      'FROM performance_schema.error_log ORDER BY LOGGED DESC LIMIT ?',
    [rows],
    (entries) => ({
      type: 'rows',
      rows: entries.map((entry) => ({
        ...entry,
        level: levelOf(textIn(entry, 'level')),
        text: maskSecrets(textIn(entry, 'text')),
      })),
    }),
  )

/** MariaDB writes files only: the log of the server, and that of the plugin sql_errlog where it is installed. */
export const errorLogFiles = ({ rows }: ReadBounds): ReadStep =>
  ask(
    'SHOW GLOBAL VARIABLES WHERE Variable_name IN (?)',
    [['log_error', 'datadir', 'sql_error_log_filename']],
    (answer) => {
      const values = pairs(answer)
      const directory = values.datadir ?? ''
      const file = (path: string | undefined, parse: LogFile['parse']): readonly LogFile[] =>
        path ? [{ path: absolute(path, directory), parse }] : []
      const files = [...file(values.log_error, parseErrorLog), ...file(values.sql_error_log_filename, parseSqlErrors)]
      if (files.length === 0) return refuse('its error log goes to standard error: set log_error in its configuration')
      return { type: 'files', files, join: (entries) => newest(entries, rows) }
    },
  )

const newest = (entries: Rows, rows: number): Rows =>
  entries.toSorted((left, right) => (textIn(left, 'at') < textIn(right, 'at') ? 1 : -1)).slice(0, rows)

const entry = (at: string, level: string, text: string) => ({
  ...{ at, level: levelOf(level) },
  text: maskSecrets(text.trim().slice(0, LONGEST_TEXT)),
})

/** `2026-11-21 21:46:31 0 [Note] text`; further lines (a stack, a version) belong to the entry before them. */
export function parseErrorLog(text: string): Rows {
  const entries = text.split(/^(?=\d{4}-\d\d-\d\d[ T]+\d?\d:\d\d:\d\d)/m)
  return entries.flatMap((piece) => {
    const parts = /^(\d{4}-\d\d-\d\d)[ T]+(\d?\d):(\d\d:\d\d)\S* +\d+ +(?:\[(\w+)\] )?([\s\S]*)$/.exec(piece)
    if (!parts) return []
    const [, day, hour = '', rest, level = 'Note', said = ''] = parts
    return [entry(`${day} ${hour.padStart(2, '0')}:${rest}`, level, said)]
  })
}

/** `2026-11-21 21:46:34 root[root] @ localhost [] ERROR 1146: text : statement`; a statement may have several lines. */
export function parseSqlErrors(text: string): Rows {
  const entries = text.split(/^(?=\d{4}-\d\d-\d\d +\d?\d:\d\d:\d\d )/m)
  return entries.flatMap((piece) => {
    const parts = /^(\d{4}-\d\d-\d\d) +(\d?\d):(\d\d:\d\d) ([\s\S]*)$/.exec(piece)
    if (!parts) return []
    const [, day, hour = '', rest, said = ''] = parts
    const level = / WARNING \d+: /.test(said) ? 'Warning' : 'Error'
    return [entry(`${day} ${hour.padStart(2, '0')}:${rest}`, level, said)]
  })
}

function levelOf(word: string): 'ERROR' | 'WARN' | 'INFO' {
  if (/^err/i.test(word)) return 'ERROR'
  return /^warn/i.test(word) ? 'WARN' : 'INFO'
}
