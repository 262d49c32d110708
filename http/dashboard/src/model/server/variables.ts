// Variables and status counters of a server by name, and what changed between two readings.
import { listOf, textOf, wireOf } from '../wire.js'

export type Values = ReadonlyMap<string, string>

/** By lower-case name, as option files and manuals write it. */
export const readValues = (reply: unknown): Values =>
  new Map(
    listOf(reply).flatMap((wire) => {
      const name = textOf(wire.variableName)
      return name === undefined ? [] : [[name.toLowerCase(), typeof wire.value === 'string' ? wire.value : '']]
    }),
  )

/** A difference among the servers of a cluster: `[server, value]`. */
export interface Differing {
  readonly name: string
  readonly values: readonly (readonly [server: string, value: string])[]
}

export const readDiffering = (reply: unknown): readonly Differing[] =>
  listOf(wireOf<'GET /api/clusters/:cluster/diffvariables'>(reply)).flatMap((wire) => {
    const name = textOf(wire.variableName)
    if (name === undefined) return []
    const values = listOf(wire.diffValues).map(
      ({ serverName, variableValue }) => [textOf(serverName) ?? '', textOf(variableValue) ?? ''] as const,
    )
    return [{ name: name.toLowerCase(), values }]
  })

export interface Counter {
  readonly name: string
  readonly value: string
  /** A second, between the two last readings; absent where it is no counter that grew, or nothing was measured. */
  readonly rate?: number
}

/** Counters that shrank are values, not counters; so are texts. */
export function rateCounters(now: Values, before: Values | undefined, seconds: number): readonly Counter[] {
  return [...now].map(([name, value]) => {
    const was = before?.get(name)
    const [current, previous] = [Number(value), Number(was)]
    const isCounted =
      was !== undefined && was !== '' && value !== '' && Number.isFinite(current) && Number.isFinite(previous)
    if (!isCounted || seconds <= 0 || current < previous || isGauge(name)) return { name, value }
    return { name, value, rate: (current - previous) / seconds }
  })
}

/** Status values that go up and down: a rate of them means nothing. */
const isGauge = (name: string): boolean =>
  /^(threads_|open_|uptime|innodb_buffer_pool_(pages|bytes)|innodb_(history_list|lsn|checkpoint|num_open|page_size)|max_used|memory_used|.*_(current|size|free|total|limit|avg|max)$)/.test(
    name,
  )
