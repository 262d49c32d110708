// The charts of a server: which series make which lines, in which unit. What nobody measured has no line, and no chart.
import { type SeriesSet, seriesOf, type Values } from '../../model/cluster/series.js'
import type { LineSet } from '../../parts/chart/chart.js'

export interface TitledLines extends LineSet {
  readonly title: string
}

type Series = keyof typeof seriesOf

interface LineForm {
  readonly name: string
  /** The first of these that was measured. */
  readonly of: readonly Series[]
  readonly make?: (value: number) => number
  /** Of the first series and this one at the same moment; null: it cannot be said. */
  readonly with?: { readonly other: Series; readonly make: (value: number, other: number) => number | null }
}

interface ChartForm {
  readonly title: string
  readonly unit: NonNullable<LineSet['unit']>
  readonly lines: readonly LineForm[]
}

const line = (name: string, ...of: readonly Series[]): LineForm => ({ name, of })

const forms: readonly ChartForm[] = [
  { title: 'Queries a second', unit: 'per-second', lines: [line('all', 'queries'), line('slow', 'slowQueries')] },
  { title: 'Sessions', unit: 'count', lines: [line('connected', 'connections'), line('running', 'running')] },
  { title: 'Replication lag', unit: 'ms', lines: [{ ...line('lag', 'lag'), make: (seconds) => seconds * 1_000 }] },
  {
    title: 'Statements a second',
    unit: 'per-second',
    lines: [
      ...[line('select', 'selects'), line('insert', 'inserts')],
      ...[line('update', 'updates'), line('delete', 'deletes')],
    ],
  },
  {
    title: 'Pages found in the buffer pool',
    unit: 'percent',
    lines: [
      {
        ...line('found', 'pageRequests'),
        with: {
          other: 'pageReads',
          make: (requests, reads) => (requests <= 0 ? null : Math.max(0, 100 * (1 - reads / requests))),
        },
      },
    ],
  },
  {
    title: 'Not yet written to data files',
    unit: 'bytes',
    lines: [line('dirty pages', 'dirty'), line('redo log', 'checkpointAge', 'redoSize')],
  },
  { title: 'Redo log written', unit: 'bytes-per-second', lines: [line('written', 'redoWritten')] },
  {
    title: 'Sessions that wait',
    unit: 'count',
    lines: [
      line('for a row lock', 'lockWaits'),
      line('for a replica', 'semiSyncWaiting', 'semiSyncWaitingNew'),
      {
        ...line('for a replica, on average', 'semiSyncTime', 'semiSyncTimeNew'),
        make: (microseconds) => microseconds / 1e6,
      },
    ],
  },
  { title: 'Old row versions (history list)', unit: 'count', lines: [line('length', 'history')] },
  { title: 'Network', unit: 'bytes-per-second', lines: [line('received', 'received'), line('sent', 'sent')] },
  { title: 'Logins that failed, a second', unit: 'per-second', lines: [line('failed', 'aborted')] },
  { title: 'Disk used', unit: 'percent', lines: [{ ...line('used', 'diskUsed'), make: (ratio) => ratio * 100 }] },
]

export const serverNames: readonly string[] = Object.values(seriesOf)

/** Charts in which at least two points are known. */
export function serverCharts({ times, lines }: SeriesSet): readonly TitledLines[] {
  const values = new Map(lines.filter(({ server }) => server !== undefined).map((one) => [one.name, one.values]))
  return forms.flatMap(({ title, unit, lines: wanted }) => {
    const drawn = wanted.flatMap(({ name, ...form }) => {
      const made = valuesOf(values, form)
      return made ? [{ name, values: made }] : []
    })
    return drawn.length === 0 ? [] : [{ title, unit, times, lines: drawn }]
  })
}

function valuesOf(
  values: ReadonlyMap<string, Values>,
  { of, make, with: joined }: Omit<LineForm, 'name'>,
): Values | undefined {
  const found = of.map((one) => values.get(seriesOf[one])).find((one) => one !== undefined && isMeasured(one))
  if (!found) return undefined
  if (!joined) return make ? found.map((value) => (value === null ? null : make(value))) : found
  const other = values.get(seriesOf[joined.other])
  const made = found.map((value, index) => {
    const beside = other?.[index] ?? null
    return value === null || beside === null ? null : joined.make(value, beside)
  })
  return isMeasured(made) ? made : undefined
}

/** A line needs two points. */
export const isMeasured = (values: Values): boolean => values.filter((value) => value !== null).length > 1
