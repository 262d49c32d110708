// What is asked of series, and points at the asked distance from the blocks that are kept. Pure.
import { MINUTE } from '../../base/time.js'
import type { SeriesColumn, SeriesUnit } from './columns.js'
import { BLOCK_MS, type Block, FINE_KEPT_MS, FINE_MS, type RingName, stepOf, thinned } from './layout.js'

/** A span of time in equal steps. Milliseconds. */
export interface SeriesSpan {
  /** A multiple of the step. */
  readonly from: number
  /** Not part of it. */
  readonly to: number
  readonly step: number
  /** Where its points are read. */
  readonly ring: RingName
}

export interface Series {
  readonly name: string
  readonly unit: SeriesUnit
  /** Id of the server; null: of the cluster as a whole. */
  readonly server: string | null
  /** The server's name in the metrics. */
  readonly instance: string | null
  /** One for each step; null: nobody measured. */
  readonly values: readonly (number | null)[]
}

/** Points that a chart shows well; as many as that unless a step is asked for. */
const USUAL_POINTS = 360

export interface WantedSpan {
  readonly from: number
  readonly to: number
  readonly step?: number
}

/** The span in steps that are kept: of ten seconds for the latest two hours, else of minutes. */
export function spanOf({ from, to, step }: WantedSpan, now: number): SeriesSpan {
  const ring = from >= now - FINE_KEPT_MS ? 'fine' : 'coarse'
  const least = stepOf(ring)
  const asked = step ?? (to - from) / USUAL_POINTS
  const unit = asked > FINE_MS * 6 ? MINUTE : least
  const kept = Math.max(least, Math.ceil(asked / unit) * unit)
  const begin = Math.floor(from / kept) * kept
  return { from: begin, to: Math.max(Math.ceil(to / kept) * kept, begin + kept), step: kept, ring }
}

export const countPoints = ({ from, to, step }: SeriesSpan): number => Math.round((to - from) / step)

export interface PointsOf {
  readonly span: SeriesSpan
  readonly columns: readonly SeriesColumn[]
  /** Its place among them. */
  readonly column: number
}

/** The values of one column at each step of the span; a point of several rows is made of those that are known. */
export function pointsOf(blocks: readonly Block[], { span, columns, column }: PointsOf): readonly (number | null)[] {
  const stepMs = stepOf(span.ring)
  const rows = BLOCK_MS / stepMs
  const groups: number[][] = Array.from({ length: countPoints(span) }, () => [])
  for (const block of blocks)
    for (let row = 0; row < rows; row += 1) {
      const at = block.number * BLOCK_MS + row * stepMs
      const value = block.rows[row * columns.length + column]
      if (at >= span.from && at < span.to && value !== undefined)
        groups[Math.floor((at - span.from) / span.step)]?.push(value)
    }
  const thin = columns[column]?.thin ?? 'mean'
  return groups.map((values) => shown(thinned(thin, values)))
}

/** Seven digits are what is stored. */
const shown = (value: number): number | null => (Number.isNaN(value) ? null : Number(value.toPrecision(7)))
