// Targets of Graphite over the manager's series: names as carbon gets them, and the functions that its users write.
import { expect } from 'chai'
import { type Failure, type Result, unwrap } from '../../../../lib/base/result.js'
import { DAY, HOUR } from '../../../../lib/base/time.js'
import { evaluateTarget, parseMoment, parseTarget, pathsIn, type Series } from '../../../../lib/metrics/series/index.js'

const failureOf = (result: Result<unknown>): Pick<Failure, 'code' | 'message'> =>
  result.ok ? { code: 'internal', message: 'it succeeded' } : result.failure

const span = { from: 0, to: 30_000, step: 10_000, ring: 'fine' } as const
const of = (instance: string, name: string, values: readonly (number | null)[]): Series => ({
  ...{ name, unit: 'count', server: instance, instance, values },
})

const series: readonly Series[] = [
  of('db1', 'mysql_global_status_queries', [1, 2, null]),
  of('db2-lan', 'mysql_global_status_queries', [10, null, null]),
  of('db1', 'mysql_global_status_threads_running', [4, 6, 9]),
  of('db1', 'manager_replica_lag_seconds', [0, 1, 2]),
]

const evaluated = (target: string) => {
  const expression = parseTarget(target)
  return expression.ok ? evaluateTarget(expression.value, series, span) : expression
}
const lines = (target: string) => unwrap(evaluated(target)).map((line) => [line.target, line.values])

describe('evaluateTarget', () => {
  it('gives what the page of the existing system asks for', () => {
    expect(lines("alias(perSecond(mysql.*.mysql_global_status_queries),'')")).to.deep.equal([
      ['', [1, 2, null]],
      ['', [10, null, null]],
    ])
    expect(lines('sumSeries(mysql.*.mysql_slave_status_seconds_behind_master)')).to.deep.equal([
      ['sumSeries(mysql.*.mysql_slave_status_seconds_behind_master)', [0, 1, 2]],
    ])
  })

  for (const [target, expected] of [
    ['mysql.db1.mysql_global_status_threads_running', [['mysql.db1.mysql_global_status_threads_running', [4, 6, 9]]]],
    [
      'perSecond(mysql.{db1,db3}.mysql_global_status_threads_running)',
      [['perSecond(mysql.db1.mysql_global_status_threads_running)', [null, 0.2, 0.3]]],
    ],
    [
      'perSecond(sumSeries(mysql.db[0-9]*.mysql_global_status_queries))',
      [['perSecond(sumSeries(mysql.db[0-9]*.mysql_global_status_queries))', [11, 2, null]]],
    ],
    ['aliasByNode(perSecond(mysql.db?.mysql_global_status_queries), 1)', [['db1', [1, 2, null]]]],
    ['alias(scale(mysql.db1.mysql_global_status_threads_running, 0.5), "half")', [['half', [2, 3, 4.5]]]],
    ['mysql.nobody.mysql_global_status_threads_running', []],
    ['mysql.db1.mysql_global_status_unheard_of', []],
  ] as const)
    it(`evaluates ${target}`, () => {
      expect(lines(target)).to.deep.equal(expected)
    })

  for (const [target, reason] of [
    ['mysql.db1.mysql_global_status_queries', 'perSecond(mysql.db1.mysql_global_status_queries)'],
    ['maxSeries(mysql.db1.mysql_global_status_queries)', 'perSecond('],
    ['holtWinters(mysql.db1.mysql_global_status_threads_running)', 'is not a function here'],
    ['alias(mysql.db1.mysql_global_status_threads_running', 'is not understood'],
    ['alias("x")', 'names no series'],
    ['carbon.agents', 'is no metric'],
    ['', 'is not understood'],
    [`${'perSecond('.repeat(20)}mysql.a.b${')'.repeat(20)}`, 'functions in one another'],
    ['mysql.db1.{a', 'is no metric'],
  ] as const)
    it(`refuses ${JSON.stringify(target.slice(0, 60))}: ${reason}`, () => {
      const { code, message } = failureOf(evaluated(target))
      expect(code).to.equal('bad-request')
      expect(message).to.include(reason)
    })

  it('names the metrics that are read for it', () => {
    const paths = pathsIn(
      unwrap(parseTarget('sumSeries(mysql.a.mysql_global_status_bytes_*,mysql.b.mysql_global_status_queries)')),
    )
    expect(paths.map(({ names }) => [...names.keys()])).to.deep.equal([
      ['mysql_global_status_bytes_received', 'mysql_global_status_bytes_sent'],
      ['mysql_global_status_queries'],
    ])
  })
})

describe('parseMoment', () => {
  const now = 100 * DAY
  for (const [text, moment] of [
    ['now', now],
    ['-1h', now - HOUR],
    ['now-30min', now - HOUR / 2],
    ['-2d', now - 2 * DAY],
    ['1795246800', 1_795_246_800_000],
  ] as const)
    it(`understands ${text}`, () => {
      expect(unwrap(parseMoment(text, now))).to.equal(moment)
    })

  for (const text of ['', 'yesterday', '-1lightyear', '12:00_20261124'])
    it(`refuses ${JSON.stringify(text)}`, () => {
      expect(failureOf(parseMoment(text, now)).code).to.equal('bad-request')
    })
})
