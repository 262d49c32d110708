// Statements and result rows, as data.

/** One statement; `?` in the text are placeholders of the values, which the connection quotes. Returns exactly one result set. */
export interface Statement {
  readonly sql: string
  readonly values: readonly unknown[]
}

/** Rows of one result set, as the connection returns them: text, numbers or null. */
export type Rows = readonly Readonly<Record<string, unknown>>[]
