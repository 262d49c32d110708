// Benchmarks of a cluster: runs with the figures of their results, the figures of each second of one, and both as lines of a chart.
import { isOpen, type Job } from './jobs.js'

export interface BenchmarkFigures {
  /** Transactions and statements a second. */
  readonly tps: number
  readonly qps: number
  /** Within which 95 % of the transactions ended. */
  readonly p95Ms: number
}

export interface BenchmarkRun {
  readonly job: Job
  /** Absent: it failed, was cancelled, or has not ended. */
  readonly figures?: BenchmarkFigures
  readonly errors?: number
  /** "oltp_read_write, 8 threads, 100 s, 1 tables of 10000 rows": only runs of one shape can be compared. */
  readonly shape?: string
}

const result =
  /^([\d.]+) transactions\/s, ([\d.]+) statements\/s, 95 % within ([\d.]+) ms, (\d+) errors, \d+ reconnects: (.+)$/

/** Newest first, as the jobs are. */
export const readRuns = (jobs: readonly Job[]): readonly BenchmarkRun[] =>
  jobs.filter(({ task, origin }) => task === 'benchmark' && origin === 'manager').map(readRun)

function readRun(job: Job): BenchmarkRun {
  const found = isOpen(job) ? null : result.exec(job.result ?? '')
  if (!found) return { job }
  const [, tps, qps, p95Ms, errors, shape = ''] = found
  const figures = { tps: Number(tps), qps: Number(qps), p95Ms: Number(p95Ms) }
  return { job, figures, errors: Number(errors), shape }
}

export interface Figure extends BenchmarkFigures {
  /** Milliseconds. */
  readonly at: number
}

/** As the job notes it: when, then what sysbench printed. */
const second = /^(\S+Z) \[ \d+s \] thds: \d+ tps: ([\d.]+) qps: ([\d.]+) .*lat \(ms,95%\): ([\d.]+)/

/** The figures of each second of a run, out of the lines of its log; oldest first. */
export const readSeconds = (log: readonly string[]): readonly Figure[] =>
  log.flatMap((line) => {
    const [, moment = '', tps, qps, p95Ms] = second.exec(line) ?? []
    const at = Date.parse(moment)
    return Number.isNaN(at) ? [] : [{ at, tps: Number(tps), qps: Number(qps), p95Ms: Number(p95Ms) }]
  })

/** Lines of a chart, one for each shape; null where a run had another one. */
export interface History {
  /** Milliseconds, ascending. */
  readonly times: readonly number[]
  readonly shapes: readonly {
    readonly shape: string
    readonly tps: readonly (number | null)[]
    readonly p95Ms: readonly (number | null)[]
  }[]
}

/** So many colours has a chart. */
const MOST_SHAPES = 6

/** Ended runs by time: of the shapes that were measured most recently. */
export function historyOf(runs: readonly BenchmarkRun[]): History {
  const measured = runs.flatMap(({ job: { endedAt }, figures, shape }) =>
    figures && endedAt !== undefined && shape !== undefined ? [{ at: endedAt, figures, shape }] : [],
  )
  const newest = measured.toSorted((one, other) => other.at - one.at)
  const shapes = [...new Set(newest.map(({ shape }) => shape))].slice(0, MOST_SHAPES)
  const points = newest.filter(({ shape }) => shapes.includes(shape)).toReversed()
  const lineOf = (shape: string, figure: 'tps' | 'p95Ms') =>
    points.map((point) => (point.shape === shape ? point.figures[figure] : null))
  return {
    times: points.map(({ at }) => at),
    shapes: shapes.map((shape) => ({ shape, tps: lineOf(shape, 'tps'), p95Ms: lineOf(shape, 'p95Ms') })),
  }
}
