// The exposition of a real server and of the process, judged by Prometheus' own check.
import { execFile } from 'node:child_process'
import { gunzipSync } from 'node:zlib'
import { expect } from 'chai'
import { freshFigures } from '../../../lib/metrics/figures.js'
import { openProcessMetrics } from '../../../lib/metrics/process.js'
import { type ClusterSamples, collectSamples } from '../../../lib/metrics/samples.js'
import { everything, type Selection } from '../../../lib/metrics/selection.js'
import { renderSlices } from '../../../lib/metrics/slices.js'
import { stitch } from '../../../lib/metrics/stitch.js'
import { type Named, named } from '../../../lib/model/server/named.js'
import type { ProxyReading } from '../../../lib/proxy/kit/index.js'
import { type Databases, startDatabases } from '../../support/databases/database.js'
import { replica, server, slowReading, viewInput } from '../../support/http/view-input.js'

/** What the check has to say; nothing when it is content. */
function check(exposition: string): Promise<string> {
  return new Promise((resolve) => {
    const child = execFile('promtool', ['check', 'metrics'], (error, stdout, stderr) =>
      resolve(error ? `${stdout}${stderr}` || error.message : ''),
    )
    child.stdin?.end(exposition)
  })
}

async function expose(clusters: readonly ClusterSamples[], own = '', selection = everything): Promise<string> {
  const chunks: Buffer[] = []
  const threads = clusters.map((samples, place) => renderSlices([{ place, samples }], selection))
  for await (const chunk of stitch(threads, { own, form: 'gzip' })) chunks.push(chunk)
  return gunzipSync(Buffer.concat(chunks)).toString()
}

const haproxy: ProxyReading = {
  ...{
    id: 'px1',
    name: 'haproxy1',
    kind: 'haproxy',
    host: '127.0.0.1',
    port: 3309,
    at: 0,
    alive: true,
    version: '2.6',
  },
  backends: [
    { host: 'db1', port: 3306, state: 'UP', group: 'write', connections: 4, bytesIn: 10, bytesOut: 20, latencyMs: 0 },
  ],
}

describe('promtool check metrics', () => {
  let databases: Databases
  before(async () => {
    databases = await startDatabases({ count: 1, prefix: 'metrics' })
  })
  after(() => databases.teardown())

  it('accepts everything a real server reports, of several clusters, and the process beside it', async () => {
    const node = databases.node(0)
    const slow = slowReading('db1', {
      variables: await columns(node.sql('SHOW GLOBAL VARIABLES')),
      status: await columns(node.sql('SHOW GLOBAL STATUS')),
    })
    const members = [server('db1', { slow }), replica('db2', { slow, port: 3307 })]
    const clusters = ['one', 'two'].map((cluster) => {
      const { snapshot, memory } = viewInput({}, members)
      return collectSamples({ snapshot: { ...snapshot, cluster }, memory, figures: freshFigures, proxies: [haproxy] })
    })
    const own = openProcessMetrics({
      version: '1.0.0',
      clusters: () => ({ configured: 2, quarantined: 0 }),
      threads: async () => [{ name: 'host-0', latenessMs: 2, actors: 2 }],
      securityEvents: new Map([['login-failed', 3]]),
    })
    const exposition = await expose(clusters, await own.text())
    own.close()

    expect(exposition.match(/^mysql_global_status_/gm)?.length).to.be.greaterThan(1_000)
    expect(exposition).to.contain('manager_loop_delay_seconds{thread="host-0"} 0.002\n')
    expect(exposition).to.contain('manager_security_events_total{event="login-failed"} 3\n')
    expect(await check(exposition)).to.equal('')
  })

  it('accepts what is exported by default: at most 300 series for a replica that a real server is', async () => {
    const node = databases.node(0)
    const slow = slowReading('db1', {
      variables: await columns(node.sql('SHOW GLOBAL VARIABLES')),
      status: await columns(node.sql('SHOW GLOBAL STATUS')),
    })
    const { snapshot, memory } = viewInput({}, [server('db1', { slow }), replica('db2', { slow, port: 3307 })])
    const samples = collectSamples({ snapshot, memory, figures: freshFigures })
    const seriesOf = async (selection: Selection, instance: string) => {
      const exposition = await expose([samples], '', selection)
      expect(await check(exposition)).to.equal('')
      return exposition.match(new RegExp(`^[^#].*"${instance}`, 'gm'))?.length ?? 0
    }
    const instances = [...new Set(samples.servers.map(({ instance }) => instance))]
    for (const instance of instances) {
      expect(await seriesOf({ names: 'usual', also: [] }, instance)).to.be.within(150, 300)
      expect(await seriesOf(everything, instance)).to.be.greaterThan(700)
    }
    const narrow = await expose([samples], '', { ...everything, only: ['manager_server_'] })
    expect(narrow.match(/^[^#]\w+/gm)?.every((family) => family.startsWith('manager_server_'))).to.equal(true)
    const wider = await expose([samples], '', { names: 'usual', also: ['mysql_global_status_performance_'] })
    expect(wider).to.match(/^mysql_global_status_performance_schema_/m)
  })

  it('would refuse families that are not contiguous', async () => {
    const samples = (cluster: string) => {
      const { snapshot, memory } = viewInput()
      return collectSamples({ snapshot: { ...snapshot, cluster }, memory })
    }
    const glued = (await expose([samples('one')])) + (await expose([samples('two')]))
    expect(await check(glued)).not.to.equal('')
  })
})

async function columns(rows: ReturnType<Databases['nodes'][number]['sql']>): Promise<Named> {
  return named(
    Object.fromEntries(
      (await rows).map(({ Variable_name, Value }) => [String(Variable_name).toLowerCase(), String(Value)]),
    ),
  )
}
