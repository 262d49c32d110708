// What charts make of series: lines that were measured, marks of what moved the role, gaps.

import { expect } from 'chai'
import { readSeries } from '../../../http/dashboard/src/model/cluster/series.js'
import { readTimeline } from '../../../http/dashboard/src/model/cluster/timeline.js'
import { clusterCharts, clusterNames } from '../../../http/dashboard/src/pages/charts/cluster-forms.js'
import { type HistorySubject, historyLinks } from '../../../http/dashboard/src/pages/charts/history-links.js'
import { serverCharts, serverNames } from '../../../http/dashboard/src/pages/charts/server-forms.js'
import { marksOf, spanOf } from '../../../http/dashboard/src/pages/charts/spans.js'
import { renderValue } from '../../../http/dashboard/src/parts/chart/values.js'
import { seriesNames } from '../../../lib/metrics/series/index.js'

type Given = readonly [name: string, values: readonly unknown[], server?: string]

const reply = (...series: Given[]) => ({
  ...{ from: 1_000_000, to: 1_030_000, step: 10 },
  series: series.map(([name, values, server = 'db1']) => ({ name, unit: 'count', server, instance: server, values })),
})
const status = (name: string) => `mysql_global_status_${name}`

describe('readSeries', () => {
  it('has a moment for each value', () => {
    expect(readSeries(reply(['a', [1, null, 3]]))).to.deep.equal({
      times: [1_000_000, 1_010_000, 1_020_000],
      lines: [{ name: 'a', server: 'db1', instance: 'db1', values: [1, null, 3] }],
    })
  })

  it('has gaps for what is missing, and nothing of a reply without times', () => {
    expect(readSeries(reply(['a', [1, 'x']])).lines[0]?.values).to.deep.equal([1, null, null])
    for (const odd of [undefined, {}, { from: 1, to: 2, step: 0 }, { from: 'a', to: 2, step: 1, series: [] }])
      expect(readSeries(odd)).to.deep.equal({ times: [], lines: [] })
  })
})

describe('the charts of a server', () => {
  const titles = (...series: Given[]) => serverCharts(readSeries(reply(...series))).map(({ title }) => title)

  it('ask for series that the manager keeps', () => {
    expect([...serverNames, ...clusterNames].filter((name) => !seriesNames.includes(name))).to.deep.equal([])
  })

  it('have no chart and no line for what was not measured', () => {
    expect(titles([status('questions'), [null, null, 3]], [status('threads_running'), [1, 2, null]])).to.deep.equal([
      'Sessions',
    ])
  })

  it('show which share of pages was found in memory, where pages were asked for', () => {
    const [chart] = serverCharts(
      readSeries(
        reply(
          [status('innodb_buffer_pool_read_requests'), [200, 0, 100]],
          [status('innodb_buffer_pool_reads'), [10, 0, 0]],
        ),
      ),
    )
    expect(chart?.lines[0]?.values).to.deep.equal([95, null, 100])
  })

  it('take the name that the software has for the same thing', () => {
    const [chart] = serverCharts(readSeries(reply([status('innodb_redo_log_logical_size'), [5, 6, 7]])))
    expect(chart?.lines).to.deep.equal([{ name: 'redo log', values: [5, 6, 7] }])
  })
})

describe('the charts of a cluster', () => {
  it('have a line for each server that was measured, in the order of the servers', () => {
    const series = readSeries(
      reply(
        [status('questions'), [1, 2, 3], 'b'],
        [status('questions'), [4, 5, 6], 'a'],
        [status('questions'), [null, null, null], 'c'],
      ),
    )
    const charts = clusterCharts(
      series,
      new Map([
        ['a', 'alpha'],
        ['b', 'beta'],
        ['c', 'gamma'],
      ]),
    )
    expect(charts.map(({ lines }) => lines.map(({ name }) => name))).to.deep.equal([['alpha', 'beta']])
  })

  it('show the lag in milliseconds', () => {
    const series = readSeries(reply(['manager_replica_lag_seconds', [0, null, 2.5]]))
    expect(clusterCharts(series, new Map([['db1', 'db1']]))[0]?.lines[0]?.values).to.deep.equal([0, null, 2_500])
  })
})

describe('marksOf', () => {
  const entry = (at: number, code: string, text = code) => ({
    id: `e${at}`,
    at,
    kind: 'operation',
    code,
    text,
    level: 'INFO',
  })
  const { entries } = readTimeline({
    entries: [
      entry(1_015_000, 'switchover'),
      entry(1_005_000, 'failover'),
      entry(1_006_000, 'rejoin'),
      entry(5, 'failover'),
    ],
  })

  it('numbers what moved the role within the span, oldest first', () => {
    expect(marksOf(entries, [1_000_000, 1_020_000])).to.deep.equal([
      { at: 1_005_000, text: 'failover', sign: '1' },
      { at: 1_015_000, text: 'switchover', sign: '2' },
    ])
    expect(marksOf(entries, [])).to.deep.equal([])
  })
})

describe('spanOf', () => {
  it('is an hour unless the address says so', () => {
    expect([spanOf('6h'), spanOf('7h'), spanOf(undefined), spanOf('toString')]).to.deep.equal(['6h', '1h', '1h', '1h'])
  })
})

describe('renderValue', () => {
  it('has the unit', () => {
    const values = [
      renderValue('bytes-per-second', 2_048),
      renderValue('percent', 99.98765),
      renderValue('per-second', 12_345),
    ]
    expect(values).to.deep.equal(['2 KiB/s', '99.99 %', '12.3k/s'])
  })
})

describe('historyLinks', () => {
  const places = {
    ...{ prometheus: 'https://metrics.example.com/prom/', grafana: 'http://grafana:3000' },
    ...{ grafanaCluster: 'manager-clusters', grafanaServer: 'manager-servers' },
  }
  const read = (subject: HistorySubject) =>
    Object.fromEntries(historyLinks(places, subject).map(({ title, href }) => [title, new URL(href)]))

  it('show a cluster, or one of its servers, over the span that the charts show', () => {
    const { Prometheus, Grafana } = read({ cluster: 'shop', span: '6h', instance: 'db1:3307' })
    expect(`${Prometheus?.origin}${Prometheus?.pathname}`).to.equal('https://metrics.example.com/prom/graph')
    expect(Object.fromEntries(Prometheus?.searchParams ?? [])).to.include({
      'g0.expr': 'rate(mysql_global_status_questions{cluster="shop",instance="db1:3307"}[5m])',
      ...{ 'g0.range_input': '6h', 'g0.tab': '0' },
      'g2.expr': 'manager_replica_lag_seconds{cluster="shop",instance="db1:3307"}',
    })
    expect(`${Grafana?.origin}${Grafana?.pathname}`).to.equal('http://grafana:3000/d/manager-servers')
    expect(Object.fromEntries(Grafana?.searchParams ?? [])).to.deep.equal({
      ...{ 'var-cluster': 'shop', 'var-instance': 'db1:3307', from: 'now-6h', to: 'now' },
    })
    const whole = read({ cluster: 'shop', span: '2d' })
    expect(whole.Grafana?.pathname).to.equal('/d/manager-clusters')
    expect(whole.Grafana?.searchParams.has('var-instance')).to.equal(false)
    expect(whole.Prometheus?.searchParams.get('g1.expr')).to.equal(
      'mysql_global_status_threads_running{cluster="shop"}',
    )
  })

  it('quote names that are expressions', () => {
    const { Prometheus } = read({ cluster: 'a"} or vector(1)\\', span: '1h' })
    expect(Prometheus?.searchParams.get('g1.expr')).to.equal(
      'mysql_global_status_threads_running{cluster="a\\"} or vector(1)\\\\"}',
    )
  })

  it('are absent where none is set, and where an address would run something', () => {
    const none = { ...places, prometheus: null, grafana: 'javascript:alert(1)' }
    expect(historyLinks(none, { cluster: 'shop', span: '1h' })).to.deep.equal([])
  })
})
