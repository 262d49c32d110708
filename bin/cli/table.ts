// Tables for people: columns as wide as their widest cell, the last one wrapped to the terminal.
import { paint, type Style, widthOf } from './output.js'

export interface Column<T> {
  readonly title: string
  readonly align?: 'left' | 'right'
  text(row: T): string
  style?(row: T): Style | undefined
}

const GAP = '  '
/** A last column narrower than this is left for the terminal to wrap. */
const NARROW = 24

export function renderTable<T>(
  columns: readonly Column<T>[],
  rows: readonly T[],
  width: number = widthOf(process.stdout),
): string {
  const titles = columns.map(({ title }) => title.toUpperCase())
  const cells = rows.map((row) => columns.map((column) => column.text(row)))
  const widths = columns.map((_, index) => Math.max(...[titles, ...cells].map((line) => line[index]?.length ?? 0)))
  const indent = widths.slice(0, -1).reduce((sum, cell) => sum + cell + GAP.length, 0)
  const room = width - indent < NARROW ? Number.POSITIVE_INFINITY : width - indent

  const line = (texts: readonly string[], styleOf: (index: number) => Style | undefined): string =>
    texts
      .flatMap((text, index) => {
        const isLast = index === texts.length - 1
        const [first = '', ...others] = isLast ? wrap(text, room) : [text]
        const size = isLast && columns[index]?.align !== 'right' ? 0 : (widths[index] ?? 0)
        const space = ' '.repeat(Math.max(0, size - first.length))
        const painted = paint(styleOf(index), first)
        const cell = columns[index]?.align === 'right' ? space + painted : painted + space
        return [cell, ...others.map((other) => `\n${' '.repeat(indent)}${other}`)]
      })
      .join(GAP)
      .replace(/ +\n/g, '\n')
      .trimEnd()
  return [
    line(titles, () => 'bold'),
    ...rows.map((row, index) => line(cells[index] ?? [], (column) => columns[column]?.style?.(row))),
  ].join('\n')
}

/** Lines of at most `width` characters, broken at blanks where there are any. */
export function wrap(text: string, width: number): readonly string[] {
  const lines: string[] = []
  let rest = text
  while (rest.length > width) {
    const blank = rest.lastIndexOf(' ', width)
    const end = blank > 0 ? blank : width
    lines.push(rest.slice(0, end))
    rest = rest.slice(end).trimStart()
  }
  return [...lines, rest]
}
