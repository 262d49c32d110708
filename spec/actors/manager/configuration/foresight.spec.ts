// What a change would come to: judged as the change itself, shown as values now and then, and without a trace of its own.
import { readdirSync, readFileSync, writeFileSync } from 'node:fs'
import path from 'node:path'
import { expect } from 'chai'
import { Clusters } from '../../../../actors/manager/configuration/clusters.js'
import { type ForesightParts, foresee } from '../../../../actors/manager/configuration/foresight.js'
import { SettingChanges } from '../../../../actors/manager/configuration/setting-changes.js'
import { Previews } from '../../../../actors/manager/configurator/previews.js'
import type { Servers } from '../../../../actors/manager/configurator/servers.js'
import { Tags } from '../../../../actors/manager/configurator/tags.js'
import { clusterViews } from '../../../../actors/protocol/cluster.js'
import { Supervisor } from '../../../../actors/supervisor/index.js'
import { previewForeseen } from '../../../../http/api/kit/plan/foreseen.js'
import { fail, ok, unwrap } from '../../../../lib/base/result.js'
import { loadConfiguration } from '../../../../lib/settings/index.js'
import { shippedRules } from '../../../support/configuration/rules.js'
import { newDirectory } from '../../../support/machine/directories.js'

const hostEntry = new URL('../../../../bin/host.js', import.meta.url)

const may = () => true
const ann = { cluster: 'a', username: 'ann', by: 'admin', may, password: 'tinker-8', roles: '', grants: 'show db-show' }

describe('foresee', () => {
  let directory = ''
  let file = ''
  let supervisor: Supervisor
  let clusters: Clusters
  let parts: ForesightParts

  before(async () => {
    directory = newDirectory('foresight')
    file = path.join(directory, 'config.toml')
    const lines = [`[Default]\nmonitoring-datadir = "${directory}"`, '[a]', 'db-servers-hosts = "db1:3306,db2:3306"']
    writeFileSync(file, `${lines.join('\n')}\nprov-db-tags = "innodb,row"\n`, { mode: 0o600 })
    const loaded = await loadConfiguration({ file })
    if (!loaded.ok) throw new Error(JSON.stringify(loaded.faults))
    // No actor is started: a rehearsal asks none.
    supervisor = new Supervisor({ entry: hostEntry, kinds: { cluster: { views: clusterViews } }, threads: 1 })
    clusters = new Clusters(supervisor, loaded.configuration)
    const rules = shippedRules()
    const previews = new Previews({ servers: {} as Servers, rules })
    parts = {
      clusters,
      changes: new SettingChanges({ clusters, log: () => {}, now: () => 1_000 }),
      members: () => ({ servers: [], proxies: [], active: true }),
      sizes: (plan) => ok(plan === 'x1' ? { 'prov-db-memory': '2048' } : {}),
      tags: (over) => {
        const tags = new Tags(over, { database: rules, proxy: { ...rules, rules: [] } }, () => {})
        return { addTag: (request) => tags.add(request), dropTag: (request) => tags.drop(request) }
      },
      read: async (running) => {
        const read = await loadConfiguration({ file }, running)
        return read.ok
          ? ok(read.configuration)
          : fail('bad-configuration', read.faults.map(({ problem }) => problem).join())
      },
      compare: (cluster, was, is) => previews.compare(cluster, was, is),
    }
  })

  after(() => supervisor.stop(1_000))

  /** Nothing of a rehearsal is left in the configuration or in the folder. */
  const untouched = async <T>(work: () => Promise<T>): Promise<T> => {
    const [configuration, names] = [clusters.configuration, readdirSync(directory)]
    const result = await work()
    expect(clusters.configuration).to.equal(configuration)
    expect(readdirSync(directory)).to.deep.equal(names)
    return result
  }

  const planOf = (change: Parameters<typeof foresee>[1]) =>
    untouched(async () => previewForeseen('change', unwrap(await foresee(parts, change))))

  it('shows a setting now and then, and where its change would not last', async () => {
    const target = { cluster: 'a', name: 'failover-limit', user: 'ann' }
    const { changes, follows } = await planOf((manager) => manager.setSetting({ ...target, value: '3' }))
    expect([changes, follows]).to.deep.equal([[{ what: 'failover-limit', before: '5', after: '3' }], []])
    const hosts = { ...target, name: 'db-servers-hosts', value: 'db1:3306' }
    const fewer = await planOf((manager) => manager.setSetting(hosts))
    expect(fewer.follows?.join('\n')).to.match(/db2:3306 goes on running/)
    expect(fewer.follows?.join('\n')).to.match(/holds until the manager restarts; then .*config.toml.* holds again/)
  })

  it('shows nothing for a value that is the present one', async () => {
    const same = { cluster: 'a', name: 'failover-limit', user: 'ann', value: '5' }
    expect((await planOf((manager) => manager.setSetting(same))).changes).to.deep.equal([])
  })

  it('is refused where the change would be', async () => {
    const refused = await foresee(parts, (manager) =>
      manager.setSetting({ cluster: 'a', name: 'failover-limit', user: 'ann', value: 'many' }),
    )
    expect(refused).to.have.nested.property('failure.code', 'wrong-value')
    const exists = await foresee(parts, (manager) =>
      manager.addServer({ cluster: 'a', address: 'db1:3306', user: 'ann' }),
    )
    expect(exists).to.have.nested.property('failure.code', 'server-exists')
  })

  it('masks a secret, and says that it is another one', async () => {
    const credential = { cluster: 'a', name: 'db-servers-credential', user: 'ann', value: 'root:tinker-8' }
    const plan = await planOf((manager) => manager.setSetting(credential))
    expect(plan.changes).to.deep.equal([{ what: 'db-servers-credential', before: '*:*', after: '*:* (another one)' }])
    expect(JSON.stringify(plan)).not.to.contain('tinker')
  })

  it('shows what a tag changes in the files of each server', async () => {
    const request = { cluster: 'a', kind: 'database', tag: 'nodurable', replace: true, user: 'ann' } as const
    const { changes = [], follows = [] } = await planOf(({ configurator }) => configurator.addTag(request))
    expect(changes[0]).to.include({ what: 'prov-db-tags', before: 'innodb,row' })
    for (const server of ['db1:3306', 'db2:3306'])
      expect(follows.filter((text) => text.startsWith(`${server}: its archive is built again`))).to.have.length(1)
  })

  it('shows the access of a user, and neither its password nor the lists', async () => {
    const added = await planOf(({ users }) => users.add(ann))
    expect(added.changes).to.deep.equal([{ what: 'access of ann', before: null, after: 'show db-show' }])
    expect(JSON.stringify(added)).not.to.contain('tinker')
    const dropped = await foresee(parts, ({ users }) => users.drop(ann))
    expect(dropped).to.have.nested.property('failure.code', 'unknown-user')
  })

  it('shows a new cluster with what its plan gives it, and one that goes', async () => {
    const added = await planOf((manager) => manager.addCluster('b', { plan: 'x1' }, 'ann'))
    expect(added.changes?.slice(0, 2)).to.deep.equal([
      { what: 'cluster b', before: null, after: 'watched' },
      { what: 'prov-db-memory', before: null, after: '2048' },
    ])
    const gone = await planOf((manager) => manager.deleteCluster('a', 'ann'))
    expect(gone.changes).to.deep.equal([{ what: 'cluster a', before: 'watched', after: null }])
  })

  it('shows what the files give by now', async () => {
    const text = readFileSync(file, 'utf8')
    writeFileSync(file, `${text}failover-limit = 9\n`)
    const plan = await planOf((manager) => manager.reloadSettings('ann'))
    writeFileSync(file, text)
    expect(plan.changes).to.deep.equal([{ what: 'failover-limit', before: '5', after: '9' }])
  })
})
