// What can be read of a server on request, as data: which statement asks, and what follows from its answer.
import type { Rows, Statement } from '../statement/statement.js'

/** Everything that is read of one server on request. */
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
  'response-times',
  'digests',
  'slow-queries',
  'error-log',
] as const

export type ServerRead = (typeof serverReads)[number]

/** No answer holds more than this, however large the server is. */
export interface ReadBounds {
  readonly rows: number
  /** Sleeping sessions are shown in the process list. */
  readonly idle: boolean
}

/** Longest text of one cell, characters: statements may be megabytes. */
export const LONGEST_TEXT = 4_000

/** A file on the server's host; only its end is read. */
export interface LogFile {
  readonly path: string
  /** The entries in this piece of the file, newest last; it may begin in the middle of one. */
  readonly parse: (text: string) => Rows
}

/** One step of a read; `ask` without `next` answers the rows as they are. */
export type ReadStep =
  | { readonly type: 'ask'; readonly statement: Statement; readonly next?: (rows: Rows) => ReadStep }
  | { readonly type: 'rows'; readonly rows: Rows }
  /** The ends of files, and what becomes of their entries. */
  | { readonly type: 'files'; readonly files: readonly LogFile[]; readonly join: (entries: Rows) => Rows }
  /** The server cannot tell, and why: what to do about it. */
  | { readonly type: 'refuse'; readonly reason: string }

export const ask = (sql: string, values: readonly unknown[] = [], next?: (rows: Rows) => ReadStep): ReadStep => ({
  type: 'ask',
  statement: { sql, values },
  ...(next ? { next } : {}),
})

export const askFor = (statement: Statement, next?: (rows: Rows) => ReadStep): ReadStep =>
  ask(statement.sql, statement.values, next)

export const refuse = (reason: string): ReadStep => ({ type: 'refuse', reason })
