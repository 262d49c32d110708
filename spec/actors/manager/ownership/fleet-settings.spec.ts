// Saved settings of clusters at two instances on a real etcd: the owner's changes hold at both, and none is lost or half done.
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import path from 'node:path'
import { expect } from 'chai'
import { Clusters } from '../../../../actors/manager/configuration/clusters.js'
import { Users } from '../../../../actors/manager/configuration/users.js'
import { FleetSettings } from '../../../../actors/manager/ownership/fleet-settings.js'
import { clusterViews } from '../../../../actors/protocol/cluster.js'
import { Supervisor } from '../../../../actors/supervisor/index.js'
import { done, fail, ok, unwrap } from '../../../../lib/base/result.js'
import { type Etcd, ownerKey, settingsKey } from '../../../../lib/lease/index.js'
import { type Configuration, loadConfiguration } from '../../../../lib/settings/index.js'
import { restoreScope } from '../../../../lib/settings/load/restore.js'
import { savedFile } from '../../../../lib/settings/load/saved.js'
import { newDirectory } from '../../../support/machine/directories.js'
import { EtcdServer } from '../../../support/machine/etcd.js'

const hostEntry = new URL('../../../../bin/host.js', import.meta.url)

interface Place {
  readonly etcd: Etcd
  readonly prefix: string
}

class Instance {
  readonly clusters: Clusters
  readonly users: Users
  readonly settings: FleetSettings
  readonly file: string
  /** Under which it owns the cluster; 0: it does not. */
  token = 0

  readonly #supervisor: Supervisor

  private constructor(supervisor: Supervisor, configuration: Configuration, { etcd, prefix }: Place) {
    const clusters = new Clusters(supervisor, configuration)
    this.#supervisor = supervisor
    this.clusters = clusters
    this.users = new Users(clusters, { cutOff: async () => done }, () => undefined)
    const owned = () =>
      this.token === 0
        ? fail('not-owner', 'another instance owns shop')
        : ok([{ key: ownerKey(prefix, 'shop'), created: this.token }])
    this.settings = new FleetSettings({ etcd, prefix, clusters, owned, log: () => undefined })
    this.file = savedFile(clusters.server['monitoring-datadir'], 'shop')
    clusters.share({
      onlyInFiles: true,
      tenure: () => ({ board: new SharedArrayBuffer(64), leaseMs: 10_000 }),
      permit: () => done,
      keep: (cluster, text) => this.settings.keep(cluster, text),
      newer: (cluster) => this.settings.newer(cluster),
    })
  }

  static async open(place: Place): Promise<Instance> {
    const directory = newDirectory('fleet-settings')
    const file = path.join(directory, 'config.toml')
    writeFileSync(file, `[Default]\nmonitoring-datadir = "${directory}"\n[shop]\n`, { mode: 0o600 })
    const loaded = await loadConfiguration({ file })
    if (!loaded.ok) throw new Error(JSON.stringify(loaded.faults))
    const supervisor = new Supervisor({ entry: hostEntry, kinds: { cluster: { views: clusterViews } }, threads: 1 })
    return new Instance(supervisor, loaded.configuration, place)
  }

  set(name: string, value: unknown, scope = 'shop') {
    return this.clusters.set({ scope, name, value })
  }

  setServer(name: string, value: unknown) {
    return this.set(name, value, '')
  }

  stop(): Promise<unknown> {
    return this.#supervisor.stop(0)
  }

  value(name: 'failover-limit' | 'failover-time-limit' | 'failover-max-slave-delay') {
    return this.clusters.settings('shop')?.[name]
  }

  names(): readonly string[] {
    return this.users.list('shop').map(({ user }) => user)
  }

  /** As from a time before it shared the fleet. */
  haveSaved(limit: number): Promise<void> {
    return this.#reread('shop', `[saved-shop]\nfailover-limit = ${limit}\n`)
  }

  haveSavedServer(lines: string): Promise<void> {
    return this.#reread('', `[saved-default]\n${lines}\n`)
  }

  async #reread(scope: string, text: string): Promise<void> {
    const file = savedFile(this.clusters.server['monitoring-datadir'], scope)
    mkdirSync(path.dirname(file), { recursive: true })
    writeFileSync(file, text, { mode: 0o600 })
    const read = async (running: Configuration) => ok((await restoreScope(running, scope)).configuration)
    unwrap(await this.clusters.replace(read))
  }

  saved(): string {
    return readFileSync(this.file, 'utf8')
  }
}

describe('FleetSettings', () => {
  let server: EtcdServer
  let etcd: Etcd
  let fleets = 0
  before(async () => {
    server = await EtcdServer.create()
    etcd = server.client()
  })
  const opened: Instance[] = []
  after(async () => {
    await Promise.all(opened.map((instance) => instance.stop()))
    etcd?.close()
    await server?.end()
  })

  const openTwo = async () => {
    fleets += 1
    const prefix = `/settings${fleets}`
    const key = ownerKey(prefix, 'shop')
    const [one, two] = [await Instance.open({ etcd, prefix }), await Instance.open({ etcd, prefix })]
    opened.push(one, two)
    /** The earlier owner does not know yet. */
    const own = async (instance: Instance) => {
      unwrap(await etcd.commit([], [{ type: 'delete', key }]))
      const claimed = await etcd.commit([{ key, created: 0 }], [{ type: 'put', key, value: '{}' }])
      instance.token = unwrap(claimed).revision
    }
    await own(one)
    return { one, two, own, prefix }
  }

  it('what the owner changes holds at the other instance, also after a restart of that', async () => {
    const { one, two } = await openTwo()
    unwrap(await one.set('failover-limit', 7))
    await two.settings.refresh()
    expect(two.value('failover-limit')).to.equal(7)
    expect(two.saved()).to.equal(one.saved())
    unwrap(await one.clusters.clear({ scope: 'shop', name: 'failover-limit' }))
    await two.settings.refresh()
    expect(two.value('failover-limit')).to.equal(5)
  })

  it('users that are added, changed and dropped are the same at both', async () => {
    const { one, two } = await openTwo()
    const request = {
      cluster: 'shop',
      username: 'bob',
      by: 'ann',
      may: () => true,
      password: 'long-enough-1',
      grants: 'db',
      roles: '',
    }
    unwrap(await one.users.add(request as Parameters<Users['add']>[0]))
    await two.settings.refresh()
    expect(two.names()).to.include('bob').and.to.deep.equal(one.names())
    unwrap(await one.users.drop(request))
    await two.settings.refresh()
    expect(two.names()).to.not.include('bob')
  })

  it('a new owner that has not read the changes of the former one loses none of them', async () => {
    const { one, two, own } = await openTwo()
    unwrap(await one.set('failover-limit', 7))
    await own(two)
    unwrap(await two.set('failover-time-limit', 33))
    expect([two.value('failover-limit'), two.value('failover-time-limit')]).to.deep.equal([7, 33])
    const late = await one.set('failover-limit', 8)
    expect(!late.ok && late.failure.code).to.be.oneOf(['changed-elsewhere', 'not-owner'])
    expect(one.saved()).to.not.include('failover-limit = 8')
    await one.settings.refresh()
    expect([one.value('failover-limit'), one.value('failover-time-limit')]).to.deep.equal([7, 33])
  })

  it('the first owner brings in what it has, a later one takes that over', async () => {
    const { one, two, own, prefix } = await openTwo()
    await one.haveSaved(7)
    await two.haveSaved(9)
    expect([one.value('failover-limit'), two.value('failover-limit')]).to.deep.equal([7, 9])
    unwrap(await one.settings.begin('shop'))
    expect(unwrap(await etcd.range(settingsKey(prefix, 'shop')))[0]?.value).to.equal(one.saved())
    await own(two)
    unwrap(await two.settings.begin('shop'))
    expect(two.value('failover-limit')).to.equal(7)
  })

  it('changes of the server by two instances at once both hold, and one of its machine stays there', async () => {
    const { one, two } = await openTwo()
    const changes = [
      one.setServer('api-token-timeout', 24),
      two.setServer('api-user-tokens', false),
      one.setServer('log-file-level', 2),
      two.setServer('log-file-level', 4),
    ]
    for (const changed of await Promise.all(changes)) unwrap(changed)
    for (const [instance, level] of [
      [one, 2],
      [two, 4],
    ] as const) {
      await instance.settings.refresh()
      expect(instance.clusters.server).to.include({
        ...{ 'api-token-timeout': 24, 'api-user-tokens': false, 'log-file-level': level },
      })
    }
    unwrap(await two.clusters.clear({ scope: '', name: 'api-token-timeout' }))
    await one.settings.refresh()
    expect(one.clusters.server['api-token-timeout'])
      .to.equal(two.clusters.server['api-token-timeout'])
      .and.not.equal(24)
  })

  it('an instance that starts later takes over what the first one has saved for the server', async () => {
    const { one, two } = await openTwo()
    await one.haveSavedServer('api-token-timeout = 24\nlog-file-level = 2')
    await two.haveSavedServer('api-token-timeout = 12\nlog-file-level = 4')
    for (const instance of [one, two]) await instance.settings.refresh()
    expect(two.clusters.server).to.include({ 'api-token-timeout': 24, 'log-file-level': 4 })
    expect(one.clusters.server).to.include({ 'api-token-timeout': 24, 'log-file-level': 2 })
  })

  it('nothing is changed while etcd does not answer', async () => {
    const { one } = await openTwo()
    unwrap(await one.set('failover-limit', 7))
    const before = one.saved()
    await server.end()
    unwrap(await one.setServer('log-file-level', 4))
    const global = await one.setServer('api-token-timeout', 24)
    expect(!global.ok && global.failure.code).to.equal('store-unreachable')
    const refused = await one.set('failover-limit', 8)
    expect(!refused.ok && refused.failure.code).to.equal('store-unreachable')
    expect(one.value('failover-limit')).to.equal(7)
    expect(one.saved()).to.equal(before)
    await server.start()
    unwrap(await one.set('failover-limit', 8))
  })
})
