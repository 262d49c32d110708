// The job table of a database: orders for the script on its host. Nothing of it is replicated.
import type { HostTaskRow, HostTaskState } from '../../../model/operation/host-task.js'
import { quoteIdentifier } from '../../statement/quote.js'
import { numberIn, textIn } from '../../statement/rows.js'
import type { Rows, Statement } from '../../statement/statement.js'

const of = (schema: string): string => `${quoteIdentifier(schema)}.jobs`

/** First of every session that writes to the table. */
export const outOfBinlog: Statement = { sql: 'SET SESSION sql_log_bin = 0', values: [] }

export const makeJobTable = (schema: string): readonly Statement[] => [
  outOfBinlog,
  { sql: `CREATE DATABASE IF NOT EXISTS ${quoteIdentifier(schema)}`, values: [] },
  {
    sql:
      `CREATE TABLE IF NOT EXISTS ${of(schema)} (id INT NOT NULL AUTO_INCREMENT PRIMARY KEY, ` +
      'task VARCHAR(20) NOT NULL UNIQUE, port INT NOT NULL DEFAULT 0, ' +
      "server VARCHAR(255) NOT NULL DEFAULT '', done TINYINT NOT NULL DEFAULT 0, " +
      'state TINYINT NOT NULL DEFAULT 0, result MEDIUMTEXT, payload MEDIUMTEXT, ' +
      '`start` DATETIME, `end` DATETIME, ' +
      'KEY (task, done), KEY (result(1), task), KEY (task, state)) ENGINE=InnoDB',
    values: [],
  },
]

/** Rows by when they were made; results cut to their end. Times are seconds since the epoch. */
export const readJobTable = (schema: string): Statement => ({
  sql:
    'SELECT id, task, port, server, done, state, RIGHT(result, 60000) AS result, ' +
    'UNIX_TIMESTAMP(`start`) AS started, UNIX_TIMESTAMP(`end`) AS ended, ' +
    'TIMESTAMPDIFF(SECOND, `start`, NOW()) AS age ' +
    `FROM ${of(schema)} ORDER BY id`,
  values: [],
})

export const parseJobRows = (rows: Rows): readonly HostTaskRow[] =>
  rows.map((row) => ({
    id: numberIn(row, 'id'),
    task: textIn(row, 'task'),
    port: numberIn(row, 'port'),
    server: textIn(row, 'server'),
    done: numberIn(row, 'done') === 1,
    state: stateOf(numberIn(row, 'state')),
    result: textIn(row, 'result'),
    ...timeOf(row, 'started', 'startedAt'),
    ...timeOf(row, 'ended', 'endedAt'),
    ...(row.age === null || row.age === undefined ? {} : { age: numberIn(row, 'age') }),
  }))

const stateOf = (state: number): HostTaskState => (state >= 0 && state <= 6 ? (state as HostTaskState) : 5)

function timeOf<N extends 'startedAt' | 'endedAt'>(row: Rows[number], column: string, name: N): { [K in N]?: number } {
  const seconds = numberIn(row, column)
  return (seconds === 0 ? {} : { [name]: seconds * 1_000 }) as { [K in N]?: number }
}

export interface JobOrder {
  readonly task: string
  readonly port: number
  readonly server: string
  readonly payload: string
  /** 0: the script on the host takes it; 1: it runs already, in a session of the manager. */
  readonly state: 0 | 1
  readonly result: string
}

/** There is one row per task: it is replaced when its work has ended, and nothing happens while it has not. `at`: seconds. */
export const orderJob = (
  schema: string,
  { task, port, server, payload, state, result }: JobOrder,
): readonly Statement[] => [
  outOfBinlog,
  { sql: `DELETE FROM ${of(schema)} WHERE task = ? AND (done = 1 OR state >= 3)`, values: [task] },
  {
    sql: `INSERT IGNORE INTO ${of(schema)} (task, port, server, payload, state, result, \`start\`) VALUES (?, ?, ?, ?, ?, ?, NOW())`,
    values: [task, port, server, payload, state, result],
  },
]

/** Whether a row is in the way of an order: columns id, state. */
export const openJob = (schema: string, task: string): Statement => ({
  sql: `SELECT id, state FROM ${of(schema)} WHERE task = ? AND done = 0 AND state < 3`,
  values: [task],
})

/** A row's end, unless it has ended; `states`: only from these. */
export const endJob = (
  schema: string,
  { id, state, result, states }: { id: number; state: HostTaskState; result: string; states: readonly number[] },
): readonly Statement[] => [
  outOfBinlog,
  {
    sql: `UPDATE ${of(schema)} SET state = ?, done = 1, result = ?, payload = NULL, \`end\` = NOW() WHERE id = ? AND state IN (?)`,
    values: [state, result, id, states],
  },
]
