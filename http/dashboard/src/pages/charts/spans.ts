// How far back charts reach, by a word of the address.
import type { Entry } from '../../model/cluster/timeline.js'
import type { Mark } from '../../parts/chart/chart.js'

export const spans = {
  '15m': { title: '15 minutes', seconds: 900 },
  '1h': { title: '1 hour', seconds: 3_600 },
  '6h': { title: '6 hours', seconds: 21_600 },
  '2d': { title: '2 days', seconds: 172_800 },
} as const

export type SpanName = keyof typeof spans

export const spanOf = (word: string | undefined): SpanName =>
  word !== undefined && Object.hasOwn(spans, word) ? (word as SpanName) : '1h'

/** Marks that a chart of this width can show beside one another. */
const MOST_MARKS = 20

/** What moved the primary role within the span, oldest first, numbered: the latest where there are many. */
export function marksOf(entries: readonly Entry[], times: readonly number[]): readonly Mark[] {
  const [first, last] = [times[0], times.at(-1)]
  if (first === undefined || last === undefined) return []
  return entries
    .filter(({ at, code }) => at >= first && at <= last + 60_000 && (code === 'failover' || code === 'switchover'))
    .toSorted((left, right) => left.at - right.at)
    .slice(-MOST_MARKS)
    .map(({ at, text }, index) => ({ at: Math.min(at, last), text, sign: String(index + 1) }))
}
