// What was taken back on a server is recorded in the same transaction: one that goes on after an interruption knows it.
import { createHash } from 'node:crypto'
import { ok, type Result } from '../../../base/result.js'
import type { SqlSession } from '../../../connect/sql/session.js'
import { rowsOf, runAll } from './session.js'

const TABLE = '`manager_schema`.`way_back`'

/** The name of a mark has at most 190 characters. */
export const markOf = (text: string): string => `divergence-${createHash('sha256').update(text).digest('hex')}`

/** Creates the table where it is missing: it ends a transaction that is open. */
export const prepareMarks = (session: SqlSession): Promise<Result<unknown>> =>
  runAll(session, [
    'CREATE DATABASE IF NOT EXISTS `manager_schema`',
    `CREATE TABLE IF NOT EXISTS ${TABLE} (tail VARCHAR(190) PRIMARY KEY, position TEXT NOT NULL) ENGINE = InnoDB`,
  ])

export const setMark = (session: SqlSession, mark: string, position: string): Promise<Result<unknown>> =>
  rowsOf(session, `REPLACE INTO ${TABLE} VALUES (?, ?)`, [mark, position])

export async function isMarked(session: SqlSession, mark: string): Promise<Result<boolean>> {
  const found = await rowsOf(
    session,
    "SELECT 1 FROM information_schema.TABLES WHERE TABLE_SCHEMA = 'manager_schema' AND TABLE_NAME = 'way_back'",
  )
  if (!found.ok || found.value.length === 0) return found.ok ? ok(false) : found
  const marks = await rowsOf(session, `SELECT position FROM ${TABLE} WHERE tail = ?`, [mark])
  return marks.ok ? ok(marks.value.length > 0) : marks
}

export const removeMarks = (session: SqlSession): Promise<Result<unknown>> => runAll(session, [`DROP TABLE ${TABLE}`])
