// Statements of named tests: a schema with one table, rows in it, and what holds others up.
import type { Statement } from '../../statement/statement.js'
import { plain } from './locks.js'

/** Everything that tests write lies in it. */
export const TRIAL_SCHEMA = 'manager_trial'
export const TRIAL_TABLE = 'written'

const table = `${TRIAL_SCHEMA}.${TRIAL_TABLE}`

/** Column name. */
export const listTrialTables: Statement = {
  sql: 'SELECT TABLE_NAME AS name FROM information_schema.TABLES WHERE TABLE_SCHEMA = ?',
  values: [TRIAL_SCHEMA],
}

export const createTrialTable: readonly Statement[] = [
  plain(`CREATE DATABASE IF NOT EXISTS ${TRIAL_SCHEMA}`),
  plain(`CREATE TABLE IF NOT EXISTS ${table} (entry INT NOT NULL PRIMARY KEY) ENGINE=InnoDB`),
]

export const dropTrialSchema = plain(`DROP DATABASE IF EXISTS ${TRIAL_SCHEMA}`)

export const insertTrialRow = (entry: number): Statement => ({
  sql: `INSERT INTO ${table} VALUES (?)`,
  values: [entry],
})

/** Column entries. */
export const countTrialRows = plain(`SELECT COUNT(*) AS entries FROM ${table}`)

export const beginTransaction = plain('START TRANSACTION')

export const pauseFor = (seconds: number): Statement => ({ sql: 'DO SLEEP(?)', values: [seconds] })

export const insertSlowly = (entry: number, seconds: number): Statement => ({
  sql: `INSERT INTO ${table} SELECT ? FROM (SELECT SLEEP(?) AS slept) AS pause`,
  values: [entry, seconds],
})

/** Held by the session: appliers wait with the next row. */
export const lockTrialTable = plain(`LOCK TABLES ${table} READ`)
