// Figures of a span of time, a line a series: the points themselves are for programs (--output json).
import type { SeriesReply } from '../../../http/client/api/generated.js'
import { isoTime } from '../../../lib/base/time.js'
import { type Column, renderTable } from '../output/table.js'

interface Row {
  readonly name: string
  readonly unit: string
  readonly instance: string
  /** Points that were measured. */
  readonly measured: readonly number[]
}

const figure = (value: number | undefined): string => (value === undefined ? '-' : String(Number(value.toPrecision(4))))
const meanOf = (values: readonly number[]): number => values.reduce((sum, value) => sum + value, 0) / values.length

const columns: readonly Column<Row>[] = [
  { title: 'series', isKey: true, text: ({ name }) => name },
  { title: 'instance', text: ({ instance }) => instance },
  { title: 'unit', text: ({ unit }) => unit },
  { title: 'points', align: 'right', text: ({ measured }) => String(measured.length) },
  { title: 'lowest', align: 'right', text: ({ measured }) => (measured.length ? figure(Math.min(...measured)) : '-') },
  { title: 'mean', align: 'right', text: ({ measured }) => (measured.length ? figure(meanOf(measured)) : '-') },
  { title: 'highest', align: 'right', text: ({ measured }) => (measured.length ? figure(Math.max(...measured)) : '-') },
  { title: 'last', align: 'right', text: ({ measured }) => figure(measured.at(-1)) },
]

/** Series of which nothing was measured in the span are left out, and counted. */
export function renderSeries({ from, to, step, series }: SeriesReply): string {
  const rows = series
    .map(({ name, unit, instance, values }) => ({
      ...{ name, unit, instance: instance ?? '(cluster)' },
      measured: values.filter((value) => value !== null),
    }))
    .filter(({ measured }) => measured.length > 0)
  const span = `${isoTime(from)} to ${isoTime(to)}, a point every ${step} s; --output json has the points.`
  const empty = series.length - rows.length
  const left = empty === 0 ? [] : [`Nothing was measured of ${empty} of ${series.length} series.`]
  return [...(rows.length === 0 ? [] : [renderTable(columns, rows), '']), span, ...left].join('\n')
}
