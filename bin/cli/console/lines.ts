// Lines of the console's screen: pieces with a style, tables of them, sentences that are wrapped. Pure.
import { isoTime } from '../../../lib/base/time.js'
import type { Style } from '../output/paint.js'
import { type Column, cutCell, fitWidths, leastOf, wrap } from '../output/table.js'
import { cutText, padText, tame, textWidth } from '../output/text-width.js'

export interface Size {
  readonly columns: number
  readonly rows: number
}

/** A part of a line with one style. */
export interface Piece {
  readonly text: string
  readonly style?: Style | undefined
}

export type Line = readonly Piece[]

/** The line cut to so many columns; control characters of what databases say are gone. */
export function fitLine(line: Line, columns: number): Line {
  const fitted: Piece[] = []
  let room = columns
  for (const { text, style } of line) {
    const cut = cutText(tame(text), room)
    if (cut !== '') fitted.push({ text: cut, style })
    room -= textWidth(cut)
  }
  return fitted
}

export const clockTime = (at: number): string => isoTime(at).slice(11, 19)

/** Why the manager gave no answer, after the moment that what is shown is of, where anything is. */
export const lostText = (lost: string, seenAt: number | undefined): string =>
  seenAt === undefined ? lost : `as of ${clockTime(seenAt)}: ${lost}`

/** The title of the table, then a line for each row, the selected one inverse. */
export function tableLines<T>(
  columns: readonly Column<T>[],
  rows: readonly T[],
  { width, selected }: { readonly width: number; readonly selected: number },
): readonly Line[] {
  const titles = columns.map(({ title }) => title.toUpperCase())
  const cells = rows.map((row) => columns.map((column) => tame(column.text(row))))
  const natural = columns.map((_, index) => Math.max(...[titles, ...cells].map((row) => textWidth(row[index] ?? ''))))
  const widths = fitWidths(natural, width, leastOf(columns, natural))
  const lineOf = (texts: readonly string[], styleOf: (index: number) => Style | undefined): Line =>
    widths.map((size, index) => ({
      text: `${padText(cutCell(columns[index], texts[index] ?? '', size), size)}${index === widths.length - 1 ? '' : '  '}`,
      style: styleOf(index),
    }))
  return [
    lineOf(titles, () => 'bold'),
    ...rows.map((row, place) =>
      lineOf(cells[place] ?? [], (index) => (place === selected ? 'inverse' : columns[index]?.style?.(row))),
    ),
  ]
}

/** A sentence as lines below each other, the first one behind a mark. */
export function wrapped(text: string, columns: number, mark: Piece = { text: '' }): readonly Line[] {
  const indent = textWidth(mark.text)
  const before = (index: number): Piece => (index === 0 ? mark : { text: ' '.repeat(indent) })
  return wrap(tame(text), Math.max(10, columns - indent)).map((each, index) => [before(index), { text: each }])
}
