// Readings of the status as lines: counters as rates, gauges as they are; what the server does not report has no line.
import type { Values } from '../../model/server/variables.js'
import type { LineSet } from '../../parts/chart/chart.js'

export interface Sample {
  /** Milliseconds. */
  readonly at: number
  readonly values: Values
}

export const MOST_SAMPLES = 360

interface ChartForm {
  readonly title: string
  readonly unit: NonNullable<LineSet['unit']>
  readonly lines: readonly (readonly [name: string, variable: string])[]
}

const forms: readonly ChartForm[] = [
  {
    title: 'Statements a second',
    unit: 'per-second',
    lines: [
      ['select', 'com_select'],
      ['insert', 'com_insert'],
      ['update', 'com_update'],
      ['delete', 'com_delete'],
    ],
  },
  {
    title: 'Sessions',
    unit: 'count',
    lines: [
      ['connected', 'threads_connected'],
      ['running', 'threads_running'],
    ],
  },
  {
    title: 'Rows of InnoDB a second',
    unit: 'per-second',
    lines: [
      ['read', 'innodb_rows_read'],
      ['written', 'innodb_rows_inserted'],
      ['changed', 'innodb_rows_updated'],
    ],
  },
  {
    title: 'Network, bytes a second',
    unit: 'bytes',
    lines: [
      ['received', 'bytes_received'],
      ['sent', 'bytes_sent'],
    ],
  },
]

const gauges: ReadonlySet<string> = new Set(['threads_connected', 'threads_running'])

/** Two readings are the least that a rate needs. */
export function chartsOf(samples: readonly Sample[]): readonly ({ readonly title: string } & LineSet)[] {
  if (samples.length < 3) return []
  const latest = samples.at(-1)?.values ?? new Map<string, string>()
  return forms.flatMap(({ title, unit, lines }) => {
    const known = lines.filter(([, variable]) => latest.has(variable))
    if (known.length === 0) return []
    return [
      {
        ...{ title, unit, times: samples.slice(1).map(({ at }) => at) },
        lines: known.map(([name, variable]) => ({ name, values: valuesOf(samples, variable) })),
      },
    ]
  })
}

function valuesOf(samples: readonly Sample[], variable: string): readonly (number | null)[] {
  return samples.slice(1).map(({ at, values }, index) => {
    const before = samples[index]
    const now = numberOf(values.get(variable))
    if (now === undefined || gauges.has(variable)) return now ?? null
    const was = numberOf(before?.values.get(variable))
    const seconds = before ? (at - before.at) / 1_000 : 0
    return was === undefined || now < was || seconds <= 0 ? null : (now - was) / seconds
  })
}

function numberOf(text: string | undefined): number | undefined {
  const value = text === undefined || text === '' ? Number.NaN : Number(text)
  return Number.isFinite(value) ? value : undefined
}
