// Colours, and how wide the terminal is.
import type { WriteStream } from 'node:tty'

const CODES = { red: 31, green: 32, yellow: 33, bold: 1, dim: 2, inverse: 7 } as const

export type Style = keyof typeof CODES

/** Colours the text where the stream is a terminal, unless NO_COLOR (any value) asks for none. */
export function paint(style: Style | undefined, text: string, stream: NodeJS.WriteStream = process.stdout): string {
  const plain =
    printed !== undefined || style === undefined || text === '' || stream.isTTY !== true || process.env.NO_COLOR
  return plain ? text : `\u001b[${CODES[style]}m${text}\u001b[0m`
}

let printed: number | undefined

/** What is rendered for a document: so many columns, and no colours. */
export function atWidth<T>(columns: number, render: () => T): T {
  printed = columns
  try {
    return render()
  } finally {
    printed = undefined
  }
}

/** Columns of the terminal; without one there is no end. */
export const widthOf = (stream: WriteStream | NodeJS.WriteStream): number =>
  printed ?? (stream.isTTY === true && stream.columns > 0 ? stream.columns : Number.POSITIVE_INFINITY)
