// The samples of a cluster, as text: names, labels, values, and what is left out.
import { expect } from 'chai'
import { freshFigures } from '../../../lib/metrics/figures.js'
import { observe } from '../../../lib/metrics/histogram.js'
import { collectSamples, type SampleInput } from '../../../lib/metrics/samples.js'
import { renderSlices } from '../../../lib/metrics/slices.js'
import { stitch } from '../../../lib/metrics/stitch.js'
import { named } from '../../../lib/model/server/named.js'
import type { ServerSnapshot } from '../../../lib/model/snapshot.js'
import { channel, replica, server, serverState, slowReading, viewInput } from '../../support/http/view-input.js'

const input = (servers?: readonly ServerSnapshot[], changes: Partial<SampleInput> = {}): SampleInput => {
  const { snapshot, memory } = viewInput({}, servers)
  return { snapshot, memory, ...changes }
}

/** The exposition's sample lines. */
async function lines(given: SampleInput = input()): Promise<readonly string[]> {
  let text = ''
  for await (const chunk of stitch([renderSlices([{ place: 0, samples: collectSamples(given) }])], {
    own: '',
    form: 'plain',
  }))
    text += chunk
  return text.split('\n').filter((line) => line !== '' && !line.startsWith('#'))
}

describe('collectSamples', () => {
  it('exports numeric status and variables of every server, with instance and cluster', async () => {
    expect(await lines()).to.include.members([
      'mysql_global_status_queries{instance="db1",cluster="demo"} 900',
      'mysql_global_variables_max_connections{instance="db3",cluster="demo"} 151',
      'mysql_global_variables_long_query_time{instance="db1",cluster="demo"} 10.000000',
    ])
  })

  it('leaves out what is no number', async () => {
    const text = (await lines()).join('\n')
    expect(text).not.to.match(/binlog_format|rpl_status|hostname/)
  })

  it('exports replication of replicas only, and no lag that is unknown', async () => {
    const { lagSeconds: _, ...unknown } = channel({ io: 'connecting' })
    const state = serverState({ channels: [unknown] })
    const found = await lines(input([server('db1'), replica('db2'), replica('db3', { state })]))
    expect(found).to.include.members([
      'mysql_slave_status_seconds_behind_master{instance="db2",cluster="demo"} 0',
      'mysql_slave_status_exec_master_log_pos{instance="db2",cluster="demo"} 400',
      'mysql_slave_status_slave_io_running{instance="db2",cluster="demo"} 1',
      'mysql_slave_status_slave_io_running{instance="db3",cluster="demo"} 0',
      'mysql_slave_status_last_errno{instance="db2",cluster="demo"} 0',
      'manager_replica_lag_seconds{instance="db2",cluster="demo"} 0',
    ])
    expect(found.filter((line) => /^mysql_slave_status.*db1/.test(line))).to.deep.equal([])
    expect(found.filter((line) => /(behind_master|lag_seconds)\{instance="db3"/.test(line))).to.deep.equal([])
  })

  it('drops the values of a server that does not answer and says that it is down', async () => {
    const found = await lines(input([server('db1', { observation: 'refused', stateName: 'failed', failures: 2 })]))
    expect(found.filter((line) => line.startsWith('mysql_'))).to.deep.equal([])
    expect(found).to.include('manager_server_up{instance="db1",cluster="demo"} 0')
    expect(found).to.include('manager_server_failures{instance="db1",cluster="demo"} 2')
  })

  it('distinguishes servers of one host by their ports', async () => {
    const local = (id: string, port: number) =>
      server(id, { host: '127.0.0.1', port, slow: slowReading(id, { variables: named({ hostname: 'box.example' }) }) })
    const found = await lines(input([local('db1', 3306), local('db2', 3307)]))
    expect(found).to.include('manager_server_up{instance="box-example:3306",cluster="demo"} 1')
    expect(found).to.include('manager_server_up{instance="box-example:3307",cluster="demo"} 1')
  })

  it('escapes labels', async () => {
    const { snapshot, memory } = input([])
    const found = await lines({ memory, snapshot: { ...snapshot, cluster: 'a"b\\c\nd' } })
    expect(found).to.include('manager_cluster_up{cluster="a\\"b\\\\c\\nd"} 0')
  })

  it('calls a commit lossless only while a replica acknowledges it before others see it', async () => {
    const waits = serverState().semiSync
    const lossless = (semiSync: typeof waits) => lines(input([server('db1', { state: serverState({ semiSync }) })]))
    expect(await lossless(waits)).to.include('manager_semisync_lossless{cluster="demo"} 1')
    expect(await lossless({ ...waits, waitPoint: 'after-commit' })).to.include(
      'manager_semisync_lossless{cluster="demo"} 0',
    )
    expect(await lossless({ ...waits, clients: 0 })).to.include('manager_semisync_lossless{cluster="demo"} 0')
    expect(await lossless({ ...waits, sourceActive: false })).to.include('manager_semisync_lossless{cluster="demo"} 0')
  })

  it('cumulates the buckets of a histogram', async () => {
    const figures = {
      ...freshFigures,
      failovers: { succeeded: 2, 'with-losses': 0, 'rolled-back': 0, failed: 1 },
      failoverSeconds: observe(observe(freshFigures.failoverSeconds, 0.2), 90),
    }
    const found = await lines(input(undefined, { figures }))
    expect(found).to.include.members([
      'manager_failover_total{cluster="demo",outcome="succeeded"} 2',
      'manager_failover_duration_seconds_bucket{cluster="demo",le="0.1"} 0',
      'manager_failover_duration_seconds_bucket{cluster="demo",le="0.25"} 1',
      'manager_failover_duration_seconds_bucket{cluster="demo",le="60"} 1',
      'manager_failover_duration_seconds_bucket{cluster="demo",le="+Inf"} 2',
      'manager_failover_duration_seconds_sum{cluster="demo"} 90.2',
      'manager_failover_duration_seconds_count{cluster="demo"} 2',
    ])
  })

  it('prefers the plain name where two names become one family', async () => {
    const variables = named({ 'validate_password.length': '8', validate_password_length: '9' })
    const found = await lines(input([server('db1', { slow: slowReading('db1', { variables }) })]))
    expect(found.filter((line) => line.includes('validate_password'))).to.deep.equal([
      'mysql_global_variables_validate_password_length{instance="db1",cluster="demo"} 9',
    ])
  })

  it('exports each open finding once, with its severity and the server it concerns', async () => {
    const { snapshot, memory } = viewInput()
    const findings = [
      { code: 'ERR00012', detail: 'one' },
      { code: 'ERR00012', detail: 'two' },
      { code: 'WARN0048', server: 'db2', detail: 'off' },
    ] as const
    const found = await lines({ snapshot: { ...snapshot, findings }, memory })
    expect(found.filter((line) => line.startsWith('manager_finding{'))).to.deep.equal([
      'manager_finding{code="ERR00012",severity="error",cluster="demo"} 1',
      'manager_finding{code="WARN0048",severity="warning",server="db2",cluster="demo"} 1',
    ])
  })

  it('exports proxies, and the backends of those that answer', async () => {
    const backend = { host: 'db1', port: 3306, state: 'UP', group: 'write', latencyMs: 1 } as const
    const proxy = { id: 'px1', name: 'haproxy1', kind: 'haproxy', host: 'px', port: 3309, at: 0, version: '2.6' }
    const backends = [{ ...backend, connections: 4, bytesIn: 10, bytesOut: 20 }]
    const of = async (alive: boolean) =>
      (await lines(input(undefined, { proxies: [{ ...proxy, alive, backends }] }))).filter((line) =>
        line.startsWith('manager_proxy'),
      )
    expect(await of(true)).to.deep.equal([
      'manager_proxy_backend_connections{proxy="haproxy1",kind="haproxy",backend="db1:3306",group="write",cluster="demo"} 4',
      'manager_proxy_backend_in_bytes_total{proxy="haproxy1",kind="haproxy",backend="db1:3306",group="write",cluster="demo"} 10',
      'manager_proxy_backend_out_bytes_total{proxy="haproxy1",kind="haproxy",backend="db1:3306",group="write",cluster="demo"} 20',
      'manager_proxy_up{proxy="haproxy1",kind="haproxy",cluster="demo"} 1',
    ])
    expect(await of(false)).to.deep.equal(['manager_proxy_up{proxy="haproxy1",kind="haproxy",cluster="demo"} 0'])
  })
})
