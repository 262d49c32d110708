// The story of a real Prometheus that scrapes a real manager and evaluates the shipped rules: a killed primary fires them, and
// their links lead to pages that the manager serves.
import { type ChildProcess, spawn } from 'node:child_process'
import { writeFileSync } from 'node:fs'
import path from 'node:path'
import { expect } from 'chai'
import { MINUTE } from '../../lib/base/time.js'
import { newDirectory } from '../support/machine/directories.js'
import { endWithRun } from '../support/machine/leftovers.js'
import { freePorts } from '../support/machine/ports.js'
import { type ProtectedCluster, startProtectedCluster } from '../support/manager/protected-cluster.js'
import { end } from '../support/stories/story.js'
import { eventually } from '../support/wait.js'

interface Alert {
  readonly labels: Readonly<Record<string, string>>
  readonly annotations: Readonly<Record<string, string>>
  readonly state: 'pending' | 'firing'
}

/** One alert waits for a minute, and begins again where a scrape failed. */
const FIRES_MS = 4 * MINUTE

const read = async (url: string): Promise<string> => (await fetch(url, { signal: AbortSignal.timeout(60_000) })).text()

describe('Prometheus with the shipped rules', () => {
  let cluster: ProtectedCluster
  let prometheus: ChildProcess | undefined
  let port = 0
  const manager = () => `http://127.0.0.1:${cluster.manager.httpPort}`

  async function ask<T>(target: string): Promise<T> {
    return (JSON.parse(await read(`http://127.0.0.1:${port}${target}`)) as { data: T }).data
  }
  async function valuesOf(query: string): Promise<readonly number[]> {
    const { result } = await ask<{ result: readonly { value: readonly [number, string] }[] }>(
      `/api/v1/query?query=${encodeURIComponent(query)}`,
    )
    return result.map(({ value: [, text] }) => Number(text))
  }
  const alertsOf = async (name: string): Promise<readonly Alert[]> =>
    (await ask<{ alerts: readonly Alert[] }>('/api/v1/alerts')).alerts.filter(({ labels }) => labels.alertname === name)

  before(async () => {
    cluster = await startProtectedCluster({ settings: { 'failover-mode': 'automatic' } })
    const set = `/api/clusters/settings/actions/set/api-public-url/${encodeURIComponent(manager())}`
    expect(await cluster.manager.post(set)).to.include({ status: 200 })
    ;[port = 0] = await freePorts(1)
    const directory = newDirectory('prometheus')
    const rules = await read(`${manager()}/api/prometheus/alerts`)
    expect(rules).to.include(`${manager()}/api/runbooks/ManagerDown`)
    writeFileSync(path.join(directory, 'alerts.yml'), rules)
    // A scrape that fails makes every alert begin again: a busy manager has longer than the usual second.
    writeFileSync(
      path.join(directory, 'prometheus.yml'),
      `global: { scrape_interval: 5s, scrape_timeout: 5s, evaluation_interval: 1s }
rule_files: [alerts.yml]
scrape_configs:
  - job_name: manager
    honor_labels: true
    metrics_path: /api/prometheus
    static_configs: [{ targets: ['127.0.0.1:${cluster.manager.httpPort}'] }]
`,
    )
    const words = [
      `--config.file=${path.join(directory, 'prometheus.yml')}`,
      `--storage.tsdb.path=${path.join(directory, 'store')}`,
      `--web.listen-address=127.0.0.1:${port}`,
    ]
    prometheus = spawn('prometheus', words, { stdio: 'ignore' })
    endWithRun(prometheus)
    await eventually(
      async () => (await valuesOf('manager_cluster_up').catch((): readonly number[] => [])).includes(1),
      'Prometheus has samples of the cluster',
    )
  })
  after(async () => {
    prometheus?.kill('SIGKILL')
    await end(cluster)
  })

  it('stores at most 300 series a server by default, and all with ?full', async () => {
    // Samples of the cluster itself have the manager as their instance.
    const own = `127.0.0.1:${cluster.manager.httpPort}`
    let counts: readonly number[] = []
    // The first scrape may have met servers whose status and variables were not read yet.
    await eventually(
      async () => {
        counts = await valuesOf(`count by (instance) ({cluster="story", instance!="${own}"})`)
        return counts.length === 3 && counts.every((count) => count >= 100)
      },
      () => `every server has its series: ${counts}`,
    )
    for (const count of counts) expect(count).to.be.at.most(300)
    const lines = (text: string) => text.match(/^[^#\n]/gm)?.length ?? 0
    const [usual, full] = await Promise.all([
      read(`${manager()}/api/prometheus`),
      read(`${manager()}/api/prometheus?full`),
    ])
    expect(lines(full)).to.be.greaterThan(2 * lines(usual))
    const only = await read(`${manager()}/api/prometheus?only=manager_cluster_`)
    expect(only.match(/^[a-z_]+/gm)?.every((family) => family.startsWith('manager_cluster_'))).to.equal(true)
  })

  it('fires when the primary is killed, with links to pages of the manager', async () => {
    const primary = await cluster.primary()
    await primary.kill()
    await cluster.movedFrom(primary)
    for (const name of ['FailoverHappened', 'ServerDown']) {
      const alert = await eventually(
        async () => (await alertsOf(name)).find(({ state }) => state === 'firing'),
        `the alert ${name} fires`,
        { limitMs: FIRES_MS },
      )
      const url = alert.annotations.runbook_url ?? ''
      expect(url).to.include(`${manager()}/api/runbooks/`)
      const page = await read(url)
      expect(page)
        .to.match(/^# (FailoverHappened|WARN0171)$/m)
        .and.include('manager-cli --cluster story')
    }
    expect(await alertsOf('FailoverFailed')).to.deep.equal([])
  })
})
