// What the page of benchmarks makes of jobs: figures of results, figures of each second, lines of a chart.
import { expect } from 'chai'
import { historyOf, readRuns, readSeconds } from '../../../http/dashboard/src/model/upkeep/benchmarks.js'
import { type Job, readJobs } from '../../../http/dashboard/src/model/upkeep/jobs.js'
import { renderFigures } from '../../../lib/benchmark/sysbench.js'

const shape = { test: 'oltp_read_write', threads: 8, tables: 1, rows: 10_000, seconds: 100 }
const figures = { transactions: 87_020, tps: 870.2, qps: 17_404, p95Ms: 5, errors: 2, reconnects: 0 }
const task = { id: 1, task: 'benchmark', server: 'db1:3306', origin: 'manager', phase: 'done', start: 100, end: 200 }

const jobs = (...tasks: object[]): readonly Job[] => readJobs({ servers: { db1: { tasks } } })

describe('runs of benchmarks', () => {
  it('have the figures that the manager writes as their result', () => {
    const [run] = readRuns(jobs({ ...task, result: renderFigures(figures, shape) }))
    expect(run).to.deep.include({ figures: { tps: 870.2, qps: 17_404, p95Ms: 5 }, errors: 2 })
    expect(run?.shape).to.equal('oltp_read_write, 8 threads, 100 s, 1 tables of 10000 rows')
  })

  it('that failed, or run, have none', () => {
    const runs = readRuns(
      jobs(
        { ...task, phase: 'failed', result: 'sysbench: it ended without a whole report' },
        { ...task, id: 2, phase: 'running', end: undefined },
      ),
    )
    expect(runs.map(({ figures: found, shape: of }) => [found, of])).to.deep.equal([
      [undefined, undefined],
      [undefined, undefined],
    ])
  })

  it('are none of other jobs', () => {
    expect(readRuns(jobs({ ...task, task: 'checksum' }, { ...task, origin: 'table' }))).to.deep.equal([])
  })
})

describe('the figures of each second', () => {
  it('are read of the lines that sysbench prints, whatever stands between', () => {
    const report = (second: number, tps: string) =>
      `[ ${second}s ] thds: 8 tps: ${tps} qps: 17404.00 (r/w/o: 12182.80/3480.80/1740.40) lat (ms,95%): 5.09 err/s: 0.00 reconn/s: 0.00`
    const log = [
      '2026-11-21T07:40:12.345Z sysbench oltp_read_write run',
      `2026-11-21T07:40:13.345Z ${report(1, '870.20')}`,
      `2026-11-21T07:40:14.345Z ${report(2, '901.00')}`,
      '2026-11-21T07:40:15.345Z SQL statistics:',
      report(3, '1.00'),
    ]
    expect(readSeconds(log)).to.deep.equal([
      { at: Date.parse('2026-11-21T07:40:13.345Z'), tps: 870.2, qps: 17_404, p95Ms: 5.09 },
      { at: Date.parse('2026-11-21T07:40:14.345Z'), tps: 901, qps: 17_404, p95Ms: 5.09 },
    ])
  })
})

describe('the history of benchmarks', () => {
  const run = (end: number, threads: number, tps: number) => ({
    ...{ ...task, id: end, start: end - 1, end },
    result: renderFigures({ ...figures, tps }, { ...shape, threads }),
  })

  it('has one line for each shape, in the order of time, with gaps where another was measured', () => {
    const { times, shapes } = historyOf(readRuns(jobs(run(300, 8, 30), run(100, 8, 10), run(200, 4, 20))))
    expect(times).to.deep.equal([100_000, 200_000, 300_000])
    expect(shapes.map(({ shape: name, tps }) => [name.split(',')[1], tps])).to.deep.equal([
      [' 8 threads', [10, null, 30]],
      [' 4 threads', [null, 20, null]],
    ])
  })

  it('leaves out shapes beyond those that a chart has colours for, the oldest first', () => {
    const many = Array.from({ length: 8 }, (_none, index) => run(100 + index, index + 1, 1))
    const { times, shapes } = historyOf(readRuns(jobs(...many)))
    expect(shapes).to.have.length(6)
    expect(times[0]).to.equal(102_000)
  })

  it('is empty without an ended run', () => {
    expect(historyOf(readRuns(jobs({ ...task, phase: 'failed' })))).to.deep.equal({ times: [], shapes: [] })
  })
})
