// Tables for people: columns as wide as their widest cell, fitted to the terminal where they are too many or too wide.
import { paint, type Style, widthOf } from './paint.js'
import { cutText, headOf, tame, textWidth } from './text-width.js'

export interface Column<T> {
  readonly title: string
  readonly align?: 'left' | 'right'
  text(row: T): string
  style?(row: T): Style | undefined
}

const GAP = '  '
/** A last column is wrapped, not cut, as long as it has this much. */
const NARROW = 24
/** Cells are cut to no less than this; columns that find no such room are left out. */
const LEAST = 8

/** Lines of at most `width` columns, whatever the cells hold. */
export function renderTable<T>(
  columns: readonly Column<T>[],
  rows: readonly T[],
  width: number = widthOf(process.stdout),
): string {
  const titles = columns.map(({ title }) => title.toUpperCase())
  const cells = rows.map((row) => columns.map((column) => tame(column.text(row))))
  const natural = columns.map((_, index) => Math.max(...[titles, ...cells].map((line) => textWidth(line[index] ?? ''))))
  const widths = fitWidths(natural, width)
  const shown = columns.slice(0, widths.length)
  const indent = widths.slice(0, -1).reduce((sum, cell) => sum + cell + GAP.length, 0)

  const line = (texts: readonly string[], styleOf: (index: number) => Style | undefined): string =>
    shown
      .flatMap(({ align }, index) => {
        const isLast = index === shown.length - 1
        const size = widths[index] ?? 0
        const text = texts[index] ?? ''
        const [first = '', ...others] = isLast && size >= NARROW ? wrap(text, size) : [cutText(text, size)]
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
    ...(hidden.length === 0 ? [] : wrap(`Not shown for want of room: ${hidden.join(', ')}`, width)),
  ].join('\n')
}

/**
 * Widths of the columns that are shown. The last one gives room first, down to what is worth wrapping; then the widest
 * of all, again and again; then columns are left out from the end.
 */
export function fitWidths(natural: readonly number[], width: number): readonly number[] {
  const widths = [...natural]
  const over = () => widths.reduce((sum, cell) => sum + cell, GAP.length * Math.max(0, widths.length - 1)) - width
  const last = widths.length - 1
  widths[last] = Math.max(Math.min(NARROW, natural[last] ?? 0), (natural[last] ?? 0) - Math.max(0, over()))
  while (over() > 0) {
    const widest = widths.indexOf(Math.max(...widths))
    const next = Math.max(LEAST, ...widths.filter((_, index) => index !== widest))
    const size = widths[widest] ?? 0
    if (size > LEAST) widths[widest] = size - Math.max(1, Math.min(over(), size - Math.min(next, size)))
    else if (widths.length === 1) return [Math.max(1, width)]
    else return fitWidths(natural.slice(0, -1), width)
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
