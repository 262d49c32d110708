// Changes of settings with their history: who, from what to what, undone, kept over a restart, without secrets.
import { appendFileSync, readFileSync, statSync, writeFileSync } from 'node:fs'
import path from 'node:path'
import { expect } from 'chai'
import { Clusters } from '../../../../actors/manager/configuration/clusters.js'
import { CHANGES_KEPT, SettingChanges } from '../../../../actors/manager/configuration/setting-changes.js'
import { clusterViews } from '../../../../actors/protocol/cluster.js'
import { Supervisor } from '../../../../actors/supervisor/index.js'
import { fail, ok, unwrap } from '../../../../lib/base/result.js'
import { reveal } from '../../../../lib/base/secret.js'
import { splitAccount } from '../../../../lib/settings/change/account.js'
import { loadConfiguration } from '../../../../lib/settings/index.js'
import { newDirectory } from '../../../support/machine/directories.js'

const hostEntry = new URL('../../../../bin/host.js', import.meta.url)

describe('SettingChanges', () => {
  let directory = ''
  let supervisor: Supervisor
  let clusters: Clusters
  let changes: SettingChanges
  let clock = 1_000

  const reopen = () => {
    changes = new SettingChanges({ clusters, log: () => {}, now: () => ++clock })
  }
  const limit = (user = 'ann') => ({ cluster: 'a', name: 'failover-limit', user })
  const value = (name: 'failover-limit' | 'failover-mode') => clusters.settings('a')?.[name]
  const journal = () => path.join(directory, 'setting-changes.jsonl')

  before(async () => {
    directory = newDirectory('setting-changes')
    const file = path.join(directory, 'config.toml')
    writeFileSync(file, `[Default]\nmonitoring-datadir = "${directory}"\n[a]\n`, { mode: 0o600 })
    const loaded = await loadConfiguration({ file })
    if (!loaded.ok) throw new Error(JSON.stringify(loaded.faults))
    supervisor = new Supervisor({ entry: hostEntry, kinds: { cluster: { views: clusterViews } }, threads: 1 })
    clusters = new Clusters(supervisor, loaded.configuration)
    unwrap(clusters.start())
    // A thread may take longer to start than a change waits for an actor.
    await supervisor.ref('a')?.ask('snapshot', {}, { deadlineMs: 60_000 })
    reopen()
  })
  after(() => supervisor.stop(1_000))

  it('notes who changed what, newest first', async () => {
    unwrap(await changes.set(limit(), '3'))
    unwrap(await changes.set(limit('bob'), '9'))
    unwrap(await changes.switch({ ...limit(), name: 'failover-mode' }, true))
    const [third, second, first] = await changes.list('a')
    expect(first).to.deep.include({ id: 1, user: 'ann', action: 'set', before: { value: 5, origin: 'default' } })
    expect(second).to.deep.include({ id: 2, user: 'bob', after: { value: 9, origin: 'saved' } })
    expect(third).to.deep.include({ id: 3, name: 'failover-mode', action: 'switch' })
  })

  it('notes nothing of a change that was refused', async () => {
    expect((await changes.set(limit(), 'many')).ok).to.equal(false)
    expect((await changes.list('a')).length).to.equal(3)
  })

  it('undoes the last change of a setting, and none that another one followed', async () => {
    expect(await changes.undo({ cluster: 'a', user: 'eve' }, 1)).to.have.nested.property('failure.code', 'wrong-state')
    unwrap(await changes.undo({ cluster: 'a', user: 'eve' }, 2))
    expect(value('failover-limit')).to.equal(3)
    const [undo] = await changes.list('a')
    expect(undo).to.deep.include({ user: 'eve', action: 'undo', undoes: 2 })
  })

  it('undoes an undo, and a first change back to what was given', async () => {
    unwrap(await changes.undo({ cluster: 'a', user: 'eve' }, 4))
    expect(value('failover-limit')).to.equal(9)
    unwrap(await changes.undo({ cluster: 'a', user: 'eve' }, 3))
    expect(value('failover-mode')).to.equal('manual')
    expect((await changes.list('a'))[0]?.after.origin).to.equal('default')
  })

  it('notes what other work changed, as one change, and takes it back as one', async () => {
    const known = (await changes.list('a')).length
    const asked = { cluster: 'a', user: 'ann' }
    const work = () => clusters.edit('a', () => ok({ 'prov-db-tags': 'row,innodb', 'prov-db-cores': '7' }))
    unwrap(await changes.noting(asked, work, () => ['prov-db-tags', 'prov-db-cores', 'prov-db-memory']))
    const [change] = await changes.list('a')
    expect(change).to.deep.include({ user: 'ann', action: 'set', name: 'prov-db-tags' })
    expect(change?.after).to.deep.equal({ value: 'row,innodb', origin: 'saved' })
    expect(change?.along).to.have.all.keys('prov-db-cores')
    unwrap(await changes.undo({ cluster: 'a', user: 'eve' }, change?.id ?? 0))
    expect(clusters.settings('a')?.['prov-db-cores']).not.to.equal(7)
    unwrap(
      await changes.noting(
        asked,
        async () => ok(undefined),
        () => ['prov-db-tags'],
      ),
    )
    expect((await changes.list('a')).length).to.equal(known + 2)
  })

  it('undoes together what was changed together, but not what was changed again since', async () => {
    const target = { ...limit(), name: 'prov-service-plan' }
    unwrap(
      await changes.setTogether(target, {
        'prov-service-plan': 'small',
        'prov-db-memory': '512M',
        'failover-limit': '7',
      }),
    )
    unwrap(await changes.set(limit(), '8'))
    reopen()
    const plan = (await changes.list('a'))[1]
    expect(Object.keys(plan?.along ?? {})).to.deep.equal(['prov-db-memory', 'failover-limit'])
    unwrap(await changes.undo({ cluster: 'a', user: 'eve' }, plan?.id ?? 0))
    const { 'prov-service-plan': name, 'prov-db-memory': memory } = clusters.settings('a') ?? {}
    expect([name, memory, value('failover-limit')]).to.deep.equal(['', 256, 8])
    unwrap(await changes.undo({ cluster: 'a', user: 'eve' }, (plan?.id ?? 0) + 2))
    expect(clusters.settings('a')).to.include({
      'prov-service-plan': 'small',
      'prov-db-memory': 512,
      'failover-limit': 8,
    })
    unwrap(await changes.clear(limit()))
  })

  it('sets the account of proxies as one change, whose undoing restores no mask as a password', async () => {
    const set = (account: string) => {
      const { name, values } = unwrap(splitAccount('proxysql-servers-credential', account) ?? fail('bad-request', ''))
      return changes.setTogether({ ...limit(), name }, values)
    }
    const account = () => {
      const { 'proxysql-user': user, 'proxysql-password': password } = clusters.settings('a') ?? {}
      return [user, password && reveal(password)]
    }
    unwrap(await set('ops:first:hidden'))
    expect(account()).to.deep.equal(['ops', 'first:hidden'])
    const [first] = await changes.list('a')
    expect(first).to.deep.include({ name: 'proxysql-password', after: { value: '*:*', origin: 'saved' } })
    unwrap(await set('other:second-hidden'))
    const [second] = await changes.list('a')
    expect(await changes.undo({ cluster: 'a', user: 'eve' }, second?.id ?? 0)).to.have.nested.property(
      'failure.code',
      'unsupported',
    )
    expect(account()).to.deep.equal(['other', 'second-hidden'])
    for (const name of ['proxysql-user', 'proxysql-password']) unwrap(await changes.clear({ ...limit(), name }))
  })

  it('does not know a change of another scope', async () => {
    expect(await changes.undo({ cluster: '', user: 'eve' }, 5)).to.have.nested.property(
      'failure.code',
      'unknown-change',
    )
    expect(await changes.list('')).to.deep.equal([])
  })

  it('keeps no secret, and says so when one is to be undone', async () => {
    const target = { ...limit(), name: 'db-servers-credential' }
    unwrap(await changes.set(target, 'root:first-hidden'))
    unwrap(await changes.set(target, 'root:second-hidden'))
    expect(readFileSync(journal(), 'utf8')).not.to.contain('hidden')
    const [last] = await changes.list('a')
    expect(last?.after.value).to.equal('*:*')
    expect(await changes.undo({ cluster: 'a', user: 'eve' }, last?.id ?? 0)).to.have.nested.property(
      'failure.code',
      'unsupported',
    )
  })

  it('is there after a restart, also when its last line was cut off', async () => {
    const before = await changes.list('a')
    appendFileSync(journal(), '\n{"id":99,"name":"fail')
    reopen()
    expect(await changes.list('a')).to.deep.equal(before)
    expect(statSync(journal()).mode & 0o777).to.equal(0o600)
    unwrap(await changes.set(limit(), '4'))
    expect((await changes.list('a'))[0]?.id).to.equal((before[0]?.id ?? 0) + 1)
  })

  it('keeps the changes of a cluster, however many those of another are', async () => {
    const before = (await changes.list('a')).length
    const [latest] = await changes.list('a')
    const others = Array.from({ length: 2 * CHANGES_KEPT }, (_, index) => ({
      ...latest,
      id: 10_000 + index,
      cluster: 'b',
    }))
    appendFileSync(journal(), others.map((change) => `\n${JSON.stringify(change)}`).join(''))
    reopen()
    expect(await changes.list('a')).to.have.length(before)
    unwrap(await changes.set(limit(), '7'))
    expect(await changes.list('a')).to.have.length(before + 1)
    expect(await changes.list('b')).to.have.length(CHANGES_KEPT - before - 1)
  })
})
