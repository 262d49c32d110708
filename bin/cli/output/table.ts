// Tables for people: columns as wide as their widest cell, fitted to the terminal where they are too many or too wide.
import { paint, type Style, widthOf } from './paint.js'
import { cutFront, cutText, headOf, tame, textWidth } from './text-width.js'

export interface Column<T> {
  readonly title: string
  readonly align?: 'left' | 'right'
  /** Identifies the row: cut last. */
  readonly isKey?: boolean
  /** Where there is no room for all of it the end stays, as of a set of transactions. */
  readonly keepsEnd?: boolean
  /** Cut as the last column, too, where others are wrapped: one line a row. */
  readonly oneLine?: boolean
  text(row: T): string
  style?(row: T): Style | undefined
}

const GAP = '  '
/** A last column is wrapped, not cut, as long as it has this much. */
const NARROW = 24
/** Cells are cut to no less than this; columns that find no such room are left out. */
const LEAST = 8
/** The most of a key that is always kept. */
const KEY = 40

/** Lines of at most `width` columns, whatever the cells hold. */
export function renderTable<T>(
  columns: readonly Column<T>[],
  rows: readonly T[],
  width: number = widthOf(process.stdout),
): string {
  const titles = columns.map(({ title }) => title.toUpperCase())
  const cells = rows.map((row) => columns.map((column) => tame(column.text(row))))
  const natural = columns.map((_, index) => Math.max(...[titles, ...cells].map((line) => textWidth(line[index] ?? ''))))
  const widths = fitWidths(natural, width, leastOf(columns, natural))
  const shown = columns.slice(0, widths.length)
  const indent = widths.slice(0, -1).reduce((sum, cell) => sum + cell + GAP.length, 0)

  const line = (texts: readonly string[], styleOf: (index: number) => Style | undefined): string =>
    shown
      .flatMap(({ align }, index) => {
        const isLast = index === shown.length - 1
        const size = widths[index] ?? 0
        const text = texts[index] ?? ''
        const [first = '', ...others] =
          isLast && size >= NARROW && !shown[index]?.oneLine ? wrap(text, size) : [cutCell(shown[index], text, size)]
        const space = ' '.repeat(isLast && align !== 'right' ? 0 : Math.max(0, size - textWidth(first)))
        const painted = paint(styleOf(index), first)
        const cell = align === 'right' ? space + painted : painted + space
        return [cell, ...others.map((other) => `\n${' '.repeat(indent)}${other}`)]
      })
      .join(GAP)
      .replace(/ +\n/g, '\n')
      .trimEnd()
  const hidden = titles.slice(shown.length).map((title) => title.toLowerCase())
  return [
    line(titles, () => 'bold'),
    ...rows.map((row, index) => line(cells[index] ?? [], (column) => shown[column]?.style?.(row))),
    ...(hidden.length === 0 ? [] : wrap(`Not shown (terminal too narrow): ${hidden.join(', ')}`, width)),
  ].join('\n')
}

/** As much of a cell as its column has room for. */
export const cutCell = (column: { readonly keepsEnd?: boolean } | undefined, text: string, size: number): string =>
  column?.keepsEnd ? cutFront(text, size) : cutText(text, size)

/** Whether a table of so many columns would show all of them. */
export function fits<T>(columns: readonly Column<T>[], rows: readonly T[], width: number): boolean {
  const natural = naturalOf(columns, rows)
  return fitWidths(natural, width, leastOf(columns, natural)).length === columns.length
}

const naturalOf = <T>(columns: readonly Column<T>[], rows: readonly T[]): readonly number[] =>
  columns.map((column) => Math.max(...[column.title, ...rows.map((row) => tame(column.text(row)))].map(textWidth)))

/** To what the cells of each column may be cut; those of a key to nothing less than half of a narrow terminal. */
export const leastOf = (columns: readonly { readonly isKey?: boolean }[], natural: readonly number[]) =>
  natural.map((size, index) => (columns[index]?.isKey ? Math.min(size, KEY) : LEAST))

/**
 * Widths of the columns that are shown. The last one gives room first, down to what is worth wrapping; then the widest
 * that may still be cut, again and again; then columns are left out from the end.
 */
export function fitWidths(
  natural: readonly number[],
  width: number,
  least: readonly number[] = natural.map(() => LEAST),
): readonly number[] {
  const widths = [...natural]
  const over = () => widths.reduce((sum, cell) => sum + cell, GAP.length * Math.max(0, widths.length - 1)) - width
  const last = widths.length - 1
  widths[last] = Math.max(Math.min(NARROW, natural[last] ?? 0), (natural[last] ?? 0) - Math.max(0, over()))
  while (over() > 0) {
    const rooms = widths.map((size, index) => (size > (least[index] ?? LEAST) ? size : 0))
    const widest = rooms.indexOf(Math.max(...rooms))
    const size = rooms[widest] ?? 0
    const next = Math.max(least[widest] ?? LEAST, ...rooms.filter((_, index) => index !== widest))
    if (size > 0) widths[widest] = size - Math.max(1, Math.min(over(), size - Math.min(next, size)))
    else if (widths.length === 1) return [Math.max(1, width)]
    else return fitWidths(natural.slice(0, -1), width, least)
  }
  return widths
}

/** Lines of at most `width` columns, broken at blanks where there are any. */
export function wrap(text: string, width: number): readonly string[] {
  const lines: string[] = []
  let rest = text
  while (textWidth(rest) > width) {
    const head = headOf(rest, width)
    const blank = rest.charAt(head.length) === ' ' ? head.length : head.lastIndexOf(' ')
    const end = blank > 0 ? blank : Math.max(1, head.length)
    lines.push(rest.slice(0, end))
    rest = rest.slice(end).trimStart()
  }
  return [...lines, rest]
}
