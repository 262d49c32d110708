// The name of a file of a binary log: what all files of the log are called, and the number that grows.

export interface LogName {
  readonly name: string
  readonly number: number
}

/** `{ name: 'binlog', number: 42 }` of `binlog.000042`; undefined for a text that names no such file. */
export function parseLogName(file: string): LogName | undefined {
  const [, name, digits] = /^(.*)\.(\d+)$/.exec(file) ?? []
  return name === undefined ? undefined : { name, number: Number(digits) }
}

/** The number of the file, 0 for a text that names none: it comes before all files. */
export const logNumber = (file: string): number => parseLogName(file)?.number ?? 0
