// The report as people read it: a table with a line per figure.
import type { BenchRow } from './row.js'

const heads = ['', 'value', 'floor', 'ratio', 'target', ''] as const

export function renderTable(rows: readonly BenchRow[]): string {
  const lines = rows.map(({ name, value, unit, floor, ratio, target, ok }) => [
    name,
    `${figure(value)} ${unit}`,
    floor === undefined ? '' : figure(floor),
    ratio === undefined ? '' : `${figure(ratio)} x`,
    target ?? '',
    ok === undefined ? '' : ok ? 'kept' : 'MISSED',
  ])
  const widths = heads.map((head, column) => Math.max(...[head, ...lines.map((line) => line[column] ?? '')].map(len)))
  const print = (cells: readonly string[]) =>
    cells.map((cell, column) => (isFigure(column) ? cell.padStart : cell.padEnd).call(cell, widths[column] ?? 0))
  return [heads, ...lines].map((cells) => print(cells).join('  ').trimEnd()).join('\n')
}

const len = ({ length }: string): number => length

const isFigure = (column: number): boolean => column >= 1 && column <= 3

/** Three digits that count, whole numbers from a hundred on. */
const figure = (value: number): string =>
  Math.abs(value) >= 100 ? value.toFixed(0) : Math.abs(value) >= 10 ? value.toFixed(1) : value.toPrecision(3)
