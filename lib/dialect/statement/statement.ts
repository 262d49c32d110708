// Statements and result rows, as data.

/** One statement; `?` in the text are placeholders of the values, which the connection quotes. Returns exactly one result set. */
export interface Statement {
  readonly sql: string
  readonly values: readonly unknown[]
}

/** Rows of one result set, as the connection returns them: text, numbers or null. */
export type Rows = readonly Readonly<Record<string, unknown>>[]

/** An event of a database and the account it runs as, `user@host`. */
export interface EventName {
  readonly schema: string
  readonly name: string
  readonly definer: string
}
