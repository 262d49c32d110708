// What a slow probe says for the series: gauges as they are, counters as their growth a second since the probe before. Pure.
import { SECOND } from '../../base/time.js'
import { type Named, textOf } from '../../model/server/named.js'
import type { SlowReading } from '../../model/server/reading.js'
import { statusColumns } from './columns.js'

/** What is remembered of a probe. */
export interface Counted {
  readonly at: number
  /** When its counters were last at zero. */
  readonly since: number
  /** By column; NaN where it is not reported. */
  readonly values: readonly number[]
}

/** Counters are in whole seconds, and a reading takes its time: two beginnings within this are the same. */
const SAME_MS = 3 * SECOND

export function countStatus({ at, status }: Pick<SlowReading, 'at' | 'status'>): Counted {
  const values = placesIn(status).map((place) => {
    const text = place < 0 ? '' : (status.values[place] ?? '')
    return text === '' ? Number.NaN : Number(text)
  })
  const seconds = Number(textOf(status, 'uptime_since_flush_status') ?? textOf(status, 'uptime'))
  return { at, since: at - seconds * SECOND, values }
}

/** Values by column. No rate without a probe before, nor over a restart or reset of the counters: how they grew is not known. */
export function statusValues(now: Counted, before: Counted | undefined): number[] {
  const isContinued = before !== undefined && now.at > before.at && now.since - before.since <= SAME_MS
  return now.values.map((value, index) => {
    if (statusColumns[index]?.isRate !== true) return value
    const grown = isContinued ? value - (before.values[index] ?? Number.NaN) : Number.NaN
    return grown >= 0 ? grown / ((now.at - (before?.at ?? 0)) / SECOND) : Number.NaN
  })
}

/** By list of names, which servers of one version share: where each column is found; -1: nowhere. */
const places = new WeakMap<readonly string[], readonly number[]>()

function placesIn({ names }: Named): readonly number[] {
  const known = places.get(names)
  if (known) return known
  const found = statusColumns.map(({ status }) => (status === undefined ? -1 : names.indexOf(status)))
  places.set(names, found)
  return found
}
