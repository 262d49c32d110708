// How results are shown: tables for people, JSON and YAML for programs on standard output; talk goes to standard error.
import type { WriteStream } from 'node:tty'

export const outputFormats = ['table', 'json', 'yaml'] as const

export type OutputFormat = (typeof outputFormats)[number]

const CODES = { red: 31, green: 32, yellow: 33, bold: 1, dim: 2, inverse: 7 } as const

export type Style = keyof typeof CODES

/** Colours the text where the stream is a terminal, unless NO_COLOR (any value) asks for none. */
export function paint(style: Style | undefined, text: string, stream: NodeJS.WriteStream = process.stdout): string {
  const plain = style === undefined || text === '' || stream.isTTY !== true || process.env.NO_COLOR
  return plain ? text : `\u001b[${CODES[style]}m${text}\u001b[0m`
}

/** Columns of the terminal; without one there is no end. */
export const widthOf = (stream: WriteStream | NodeJS.WriteStream): number =>
  stream.isTTY === true && stream.columns > 0 ? stream.columns : Number.POSITIVE_INFINITY

/** How a result is wanted: in which format, and which part of it. */
export interface Wish {
  readonly output: OutputFormat
  /** A path of `--query`. */
  readonly query?: string
}

/** The text of a value, or of the part asked for, in the format asked for; `table` renders the whole for people. */
export async function format<T>({ output, query }: Wish, value: T, table: (value: T) => string): Promise<string> {
  if (query !== undefined) {
    const [{ queryValue }, { renderValue }] = await Promise.all([import('./query.js'), import('./value.js')])
    return format<unknown>({ output }, queryValue(value, query), (part) => renderValue(part))
  }
  if (output === 'table') return table(value)
  if (output === 'json') return JSON.stringify(value, undefined, 2)
  const { stringify } = await import('yaml')
  return `---\n${stringify(value).trimEnd()}`
}

export const print = (text: string): void => {
  process.stdout.write(`${text}\n`)
}

export const talk = (text: string): void => {
  process.stderr.write(`${text}\n`)
}
