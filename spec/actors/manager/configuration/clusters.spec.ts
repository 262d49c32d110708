// The configuration in force and real actors of clusters without servers: what is added, removed and notified.
import { existsSync, readFileSync, writeFileSync } from 'node:fs'
import path from 'node:path'
import { expect } from 'chai'
import { Clusters } from '../../../../actors/manager/configuration/clusters.js'
import { clusterViews } from '../../../../actors/protocol/cluster.js'
import { Supervisor } from '../../../../actors/supervisor/index.js'
import { ok, unwrap } from '../../../../lib/base/result.js'
import { type Configuration, loadConfiguration } from '../../../../lib/settings/index.js'
import { newDirectory } from '../../../support/machine/directories.js'

const hostEntry = new URL('../../../../bin/host.js', import.meta.url)

describe('Clusters', () => {
  let directory = ''
  let supervisor: Supervisor
  let clusters: Clusters
  const notified: string[] = []

  const load = async (text: string): Promise<Configuration> => {
    const file = path.join(directory, 'config.toml')
    writeFileSync(file, `[Default]\nmonitoring-datadir = "${directory}"\n${text}`, { mode: 0o600 })
    const loaded = await loadConfiguration({ file })
    if (!loaded.ok) throw new Error(JSON.stringify(loaded.faults))
    return loaded.configuration
  }
  const open = async (text: string) => {
    clusters = new Clusters(supervisor, await load(text))
    clusters.listen({
      adopted: () => notified.push('adopted'),
      changed: (cluster, names) => notified.push(`${cluster}: ${names.join(' ')}`),
    })
    unwrap(clusters.start())
    // A thread may take longer to start than a change waits for an actor.
    for (const name of clusters.configuration.clusters.keys()) await running(name)
  }
  const running = async (name: string): Promise<boolean> => {
    const reply = await supervisor.ref(name)?.ask('snapshot', {}, { deadlineMs: 60_000 })
    return reply?.ok === true
  }
  const saved = (cluster: string): string => readFileSync(path.join(directory, cluster, `${cluster}.toml`), 'utf8')

  // One thread for all: to load the product takes two seconds of a processor.
  before(() => {
    supervisor = new Supervisor({ entry: hostEntry, kinds: { cluster: { views: clusterViews } }, threads: 1 })
  })
  beforeEach(() => {
    directory = newDirectory('clusters')
    notified.length = 0
  })
  afterEach(async () => {
    for (const removed of await Promise.all(supervisor.ids().map((id) => supervisor.remove(id)))) unwrap(removed)
  })
  after(() => supervisor.stop(1_000))

  it('starts an actor for every configured cluster', async () => {
    await open('[a]\n[b]\n')
    expect([await running('a'), await running('b'), await running('c')]).to.deep.equal([true, true, false])
  })

  it('adds a cluster at run time: configured, running and saved', async () => {
    await open('[a]\n')
    unwrap(await clusters.add('b', { 'prov-orchestrator': 'onpremise' }))
    expect(await running('b')).to.equal(true)
    expect(clusters.settings('b')?.['prov-orchestrator']).to.equal('onpremise')
    expect(saved('b')).to.contain('onpremise')
    expect(notified).to.deep.equal(['adopted', 'b: '])
  })

  it('refuses a name that is taken or cannot be one, and changes nothing', async () => {
    await open('[a]\n')
    const before = clusters.configuration
    for (const name of ['a', '../b', '']) expect((await clusters.add(name, {})).ok).to.equal(false)
    expect(clusters.configuration).to.equal(before)
  })

  it('removes a cluster with its actor, and sets its saved values aside', async () => {
    await open('[a]\n')
    unwrap(await clusters.add('b', {}))
    unwrap(await clusters.remove('b'))
    expect([await running('a'), await running('b')]).to.deep.equal([true, false])
    expect(clusters.settings('b')).to.equal(undefined)
    expect(existsSync(path.join(directory, 'b', 'b.toml'))).to.equal(false)
    expect(await clusters.remove('b')).to.nested.include({ ok: false, 'failure.code': 'unknown-cluster' })
  })

  it('saves a changed setting, notifies the listeners, and gives it to the actor', async () => {
    await open('[a]\n')
    const changed = unwrap(await clusters.set({ scope: 'a', name: 'failover-limit', value: '7' }))
    expect(changed.view).to.deep.include({ value: 7, origin: 'saved' })
    expect(clusters.settings('a')?.['failover-limit']).to.equal(7)
    expect(saved('a')).to.contain('failover-limit = 7')
    expect(notified).to.deep.equal(['adopted', 'a: failover-limit'])
  })

  it('refuses a wrong value before anything is saved', async () => {
    await open('[a]\n')
    const before = clusters.configuration
    expect(await clusters.set({ scope: 'a', name: 'failover-limit', value: 'many' })).to.nested.include({
      'failure.code': 'wrong-value',
    })
    expect(clusters.configuration).to.equal(before)
    expect(existsSync(path.join(directory, 'a', 'a.toml'))).to.equal(false)
    expect(notified).to.deep.equal([])
  })

  it('makes changes that come together one after the other: none is lost', async () => {
    await open('[a]\n')
    const values = { 'failover-limit': '3', 'failover-time-limit': '60', 'failover-max-slave-delay': '5' }
    await Promise.all(Object.entries(values).map(([name, value]) => clusters.set({ scope: 'a', name, value })))
    for (const [name, value] of Object.entries(values)) {
      expect(String(clusters.settings('a')?.[name as 'failover-limit'])).to.equal(value)
      expect(saved('a')).to.contain(`${name} = ${value}`)
    }
  })

  it('applies a configuration that was read again: actors are added, removed and kept, and each change is notified once', async () => {
    await open('[a]\n[b]\n')
    const next = await load('[b]\nfailover-limit = 2\n[c]\n')
    unwrap(await clusters.replace(async () => ok(next)))
    expect([await running('a'), await running('b'), await running('c')]).to.deep.equal([false, true, true])
    expect(notified).to.deep.equal(['adopted', 'b: failover-limit', 'c: '])
  })

  it('notifies a change of the server settings with an empty cluster name', async () => {
    await open('[a]\n')
    unwrap(await clusters.set({ scope: '', name: 'api-token-timeout', value: '12' }))
    expect(clusters.server['api-token-timeout']).to.equal(12)
    expect(notified).to.include(': api-token-timeout')
  })
})
