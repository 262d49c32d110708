// The drawing of a timeline: a lane for the cluster and one for each server, spans packed into rows, the rest as points. Pure.
import type { Entry, Tone } from '../../../model/cluster/timeline.js'

export interface Range {
  readonly from: number
  readonly to: number
}

export interface Bar {
  readonly id: string
  readonly at: number
  readonly form: 'finding' | 'work'
  readonly tone: Tone
  readonly row: number
  /** Percent of the range. */
  readonly x: number
  readonly width: number
  readonly lasts: boolean
  readonly text: string
}

export interface Point {
  readonly id: string
  readonly at: number
  readonly tone: Tone
  readonly x: number
  readonly text: string
}

export interface Lane {
  /** Empty: the cluster's. */
  readonly server: string
  readonly rows: number
  readonly bars: readonly Bar[]
  readonly points: readonly Point[]
}

export interface Tick {
  readonly at: number
  readonly x: number
}

/** Rows of spans of one lane; what overlaps more shares the last one. */
export const MOST_ROWS = 4
/** A span of a moment is still seen. */
const NARROWEST = 0.4

/** From the oldest entry to the end of what is shown, with room at both sides; undefined without entries. */
export function rangeOf(entries: readonly Entry[], end: number): Range | undefined {
  if (entries.length === 0) return undefined
  const from = Math.min(...entries.map(({ at }) => at))
  const to = Math.max(end, ...entries.map(({ at, until = 0 }) => Math.max(at, Math.min(until, end))))
  const room = Math.max((to - from) * 0.01, 500)
  return { from: from - room, to: to + room }
}

/** Lanes in the order of `servers`; those of servers that left come after them. */
export function layLanes(entries: readonly Entry[], range: Range, servers: readonly string[]): readonly Lane[] {
  const named = entries.flatMap(({ server }) => server ?? [])
  const all = ['', ...new Set([...servers, ...named])]
  return all
    .map((server) =>
      layLane(
        server,
        entries.filter((entry) => (entry.server ?? '') === server),
        range,
      ),
    )
    .filter(({ server, bars, points }) => servers.includes(server) || bars.length + points.length > 0)
}

function layLane(server: string, entries: readonly Entry[], range: Range): Lane {
  const place = (at: number) => (100 * (Math.min(Math.max(at, range.from), range.to) - range.from)) / span(range)
  const ends: number[] = []
  const bars: Bar[] = []
  const points: Point[] = []
  for (const { id, at, until, kind, lasts, tone, text } of entries.toSorted((a, b) => a.at - b.at)) {
    const x = place(at)
    if (!lasts && until === undefined) {
      points.push({ id, at, tone, x, text })
      continue
    }
    const width = Math.max(place(until ?? range.to) - x, NARROWEST)
    const free = ends.findIndex((end) => end <= x)
    const row = free >= 0 ? free : Math.min(ends.length, MOST_ROWS - 1)
    ends[row] = Math.max(ends[row] ?? 0, x + width)
    bars.push({ id, at, form: kind === 'finding' ? 'finding' : 'work', tone, row, x, width, lasts, text })
  }
  // Points have the first row for themselves.
  const first = points.length > 0 ? 1 : 0
  const rows = Math.max(ends.length + first, 1)
  return { server, rows, bars: bars.map((bar) => ({ ...bar, row: bar.row + first })), points }
}

const span = ({ from, to }: Range): number => Math.max(to - from, 1)

const SECOND = 1_000
const MINUTE = 60 * SECOND
const HOUR = 60 * MINUTE
const DAY = 24 * HOUR

const steps = [
  ...[1, 2, 5, 10, 30].map((count) => count * SECOND),
  ...[1, 2, 5, 10, 30].map((count) => count * MINUTE),
  ...[1, 2, 6, 12].map((count) => count * HOUR),
  ...[1, 2, 7, 14, 30].map((count) => count * DAY),
]

/** Round moments, at most seven; `offset`: milliseconds that the clock of the reader is ahead of UTC. */
export function ticksOf(range: Range, offset = 0): readonly Tick[] {
  const step = steps.find((each) => span(range) / each <= 7) ?? 365 * DAY
  const ticks: Tick[] = []
  for (let at = Math.ceil((range.from + offset) / step) * step - offset; at <= range.to; at += step)
    ticks.push({ at, x: (100 * (at - range.from)) / span(range) })
  return ticks
}
