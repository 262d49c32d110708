// One line of the report: a figure, the floor it is compared with, and whether it keeps its target.

/** What a figure must keep to: at most or at least so much, of itself or of its ratio to the floor. */
export interface Target {
  readonly keeps: 'at most' | 'at least'
  readonly of: 'value' | 'ratio'
  readonly bound: number
}

export interface Measured {
  readonly name: string
  readonly value: number
  readonly unit: string
  /** The same measured on the least that could do it, in the same run. */
  readonly floor?: number
  readonly target?: Target
}

export interface BenchRow {
  readonly name: string
  readonly value: number
  readonly unit: string
  readonly floor?: number
  /** How many times the floor. */
  readonly ratio?: number
  /** `at most 5 x floor`, `at most 150 MB`. */
  readonly target?: string
  /** Absent when the figure is for information only. */
  readonly ok?: boolean
}

/** A bench answers its rows; it throws when it cannot measure. */
export type Bench = () => Promise<readonly BenchRow[]>

export const atMostTimes = (bound: number): Target => ({ keeps: 'at most', of: 'ratio', bound })
export const atLeastTimes = (bound: number): Target => ({ keeps: 'at least', of: 'ratio', bound })
export const atLeast = (bound: number): Target => ({ keeps: 'at least', of: 'value', bound })
export const atMost = (bound: number): Target => ({ keeps: 'at most', of: 'value', bound })

/** Compares a figure with its floor and its target. */
export function judgeRow({ target, ...measured }: Measured): BenchRow {
  const { value, floor, unit } = measured
  const ratio = floor === undefined ? undefined : value / floor
  const compared = { ...measured, ...(ratio === undefined ? {} : { ratio }) }
  if (!target) return compared
  const figure = target.of === 'ratio' ? (ratio ?? Number.NaN) : value
  return {
    ...compared,
    target: `${target.keeps} ${target.bound} ${target.of === 'ratio' ? 'x floor' : unit}`,
    ok: target.keeps === 'at most' ? figure <= target.bound : figure >= target.bound,
  }
}
