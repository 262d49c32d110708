// The words of sysbench, as version 1.0.20 prints them.
import { expect } from 'chai'
import { isBenchmarkTable, readReport, renderFigures, renderOptions } from '../../../lib/benchmark/sysbench.js'

const shape = { test: 'oltp_read_write', threads: 4, tables: 2, rows: 10_000, seconds: 250 }

const report = `SQL statistics:
    queries performed:
        read:                            25256
        write:                           7216
        other:                           3608
        total:                           36080
    transactions:                        1804   (180.29 per sec.)
    queries:                             36080  (3605.89 per sec.)
    ignored errors:                      3      (0.30 per sec.)
    reconnects:                          1      (0.10 per sec.)

General statistics:
    total time:                          10.0046s
    total number of events:              1804

Latency (ms):
         min:                                    8.03
         avg:                                   22.17
         max:                                  107.17
         95th percentile:                       37.56
         sum:                                39988.47`.split('\n')

describe('the words of sysbench', () => {
  it('are options in a file, an intermediate line at most a hundred times', () => {
    const login = { host: '10.0.0.1', port: 3306, user: 'u', password: 'p-_1', schema: 's' }
    const options = renderOptions(login, shape).split('\n')
    expect(options).to.include.members(['mysql-host=10.0.0.1', 'mysql-password=p-_1', 'mysql-db=s', 'table-size=10000'])
    expect(options).to.include.members(['threads=4', 'time=250', 'report-interval=3', 'percentile=95'])
  })

  it('are read from the report at the end', () => {
    const figures = readReport(report)
    const expected = { transactions: 1804, tps: 180.29, qps: 3605.89, p95Ms: 37.56, errors: 3, reconnects: 1 }
    expect(figures).to.deep.equal(expected)
    expect(renderFigures(expected, shape)).to.equal(
      '180.29 transactions/s, 3605.89 statements/s, 95 % within 37.56 ms, 3 errors, 1 reconnects: ' +
        'oltp_read_write, 4 threads, 250 s, 2 tables of 10000 rows',
    )
  })

  it('are no figures where any line of the report is missing', () => {
    for (const [index, line] of report.entries())
      if (/transactions:|queries:|95th|errors:|reconnects:/.test(line))
        expect(readReport(report.toSpliced(index, 1)), line).to.equal(undefined)
  })

  it('name its own tables alone', () => {
    expect(['sbtest1', 'sbtest12', 'sbtest', 'sbtest1_old', 'orders'].map(isBenchmarkTable)).to.deep.equal([
      ...[true, true, false, false, false],
    ])
  })
})
