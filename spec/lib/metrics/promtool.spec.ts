// The exposition of a real server and of the process, judged by Prometheus' own check.
import { execFile } from 'node:child_process'
import { gunzipSync } from 'node:zlib'
import { expect } from 'chai'
import { freshFigures } from '../../../lib/metrics/figures.js'
import { openProcessMetrics } from '../../../lib/metrics/process.js'
import { type ClusterSamples, collectSamples } from '../../../lib/metrics/samples.js'
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

async function expose(clusters: readonly ClusterSamples[], own = ''): Promise<string> {
  const chunks: Buffer[] = []
  const threads = clusters.map((samples, place) => renderSlices([{ place, samples }]))
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
