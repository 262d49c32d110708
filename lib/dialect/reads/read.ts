// Reads of a server on request, as data: the statement, and the step that follows from its answer.
import type { Rows, Statement } from '../statement/statement.js'

/** The reads of one server on request. */
export const serverReads = [
  'status',
  'variables',
  'processlist',
  'source-status',
  'replica-status',
  'engine-status',
  'tables',
  'schemas',
  'metadata-locks',
  'lock-waits',
  'response-times',
  'digests',
  'slow-queries',
  'error-log',
] as const

export type ServerRead = (typeof serverReads)[number]

/** Maximum rows of an answer, whatever the size of the server. */
export interface ReadBounds {
  readonly rows: number
  /** The process list includes sleeping sessions. */
  readonly idle: boolean
}

/** Maximum text of one cell, characters: statements may have megabytes. */
export const LONGEST_TEXT = 4_000

/** A file on the server's host; only its end is read. */
export interface LogFile {
  readonly path: string
  /** The entries in this piece of the file, newest last; it may begin in the middle of one. */
  readonly parse: (text: string) => Rows
}

/** One step of a read; `ask` without `next` returns the rows unchanged. */
export type ReadStep =
  | { readonly type: 'ask'; readonly statement: Statement; readonly next?: (rows: Rows) => ReadStep }
  | { readonly type: 'rows'; readonly rows: Rows }
  /** The ends of files, and the parser of their entries. */
  | { readonly type: 'files'; readonly files: readonly LogFile[]; readonly join: (entries: Rows) => Rows }
  /** The server cannot answer: the reason, and what to do. */
  | { readonly type: 'refuse'; readonly reason: string }

export const ask = (sql: string, values: readonly unknown[] = [], next?: (rows: Rows) => ReadStep): ReadStep => ({
  type: 'ask',
  statement: { sql, values },
  ...(next ? { next } : {}),
})

export const askFor = (statement: Statement, next?: (rows: Rows) => ReadStep): ReadStep =>
  ask(statement.sql, statement.values, next)

export const refuse = (reason: string): ReadStep => ({ type: 'refuse', reason })
