// What other tags and resources would change in the files of a cluster's servers.
import { writeFileSync } from 'node:fs'
import path from 'node:path'
import { expect } from 'chai'
import { Previews } from '../../../../actors/manager/configurator/previews.js'
import type { Servers } from '../../../../actors/manager/configurator/servers.js'
import { fail, ok, unwrap } from '../../../../lib/base/result.js'
import { loadConfiguration } from '../../../../lib/settings/index.js'
import { shippedRules } from '../../../support/configuration/rules.js'
import { newDirectory } from '../../../support/machine/directories.js'

/** A cluster of two servers with these tags. */
async function previewsOf(tags: string): Promise<Previews> {
  const directory = newDirectory('previews')
  const file = path.join(directory, 'config.toml')
  const lines = [
    `[Default]\nmonitoring-datadir = "${directory}"\n[a]`,
    'db-servers-hosts = "db1:3306,db2:3306"',
    `prov-db-tags = "${tags}"`,
    'prov-db-memory = 1024',
  ]
  writeFileSync(file, `${lines.join('\n')}\n`, { mode: 0o600 })
  const loaded = await loadConfiguration({ file })
  if (!loaded.ok) throw new Error(JSON.stringify(loaded.faults))
  const settings = (name: string) => {
    const found = loaded.configuration.clusters.get(name)?.settings
    return found ? ok(found) : fail('unknown-cluster', name)
  }
  return new Previews({ servers: { settings } as unknown as Servers, rules: shippedRules() })
}

const nothing = { cluster: 'a', add: [], drop: [], replace: false, resources: {} }

describe('Previews', () => {
  it('shows nothing where nothing would change', async () => {
    const { tags, servers, memory } = unwrap(await (await previewsOf('innodb,row')).preview(nothing))
    expect(tags).to.deep.equal({ tags: ['innodb', 'row'], added: [], dropped: [] })
    expect(servers.map(({ server, differences, files }) => [server, differences, files])).to.deep.equal([
      ['db1:3306', [], []],
      ['db2:3306', [], []],
    ])
    expect(memory.after).to.deep.equal(memory.before)
  })

  it('shows the options and the text of a tag on every server', async () => {
    const previews = await previewsOf('innodb,row')
    const { tags, servers } = unwrap(await previews.preview({ ...nothing, add: ['nodurable'] }))
    expect(tags.added).to.deep.equal(['nodurable'])
    for (const { differences, files } of servers) {
      expect(differences.map(({ name }) => name)).to.include('innodb_flush_log_at_trx_commit')
      const fragment = files.find(({ path }) => path === 'etc/mysql/conf.d/nodurable.cnf')
      expect(fragment?.before).to.equal('')
      expect(fragment?.after).to.match(/innodb_flush_log_at_trx_commit = 0/)
    }
  })

  it('splits more memory, and says which options follow', async () => {
    const previews = await previewsOf('innodb,row')
    const preview = await previews.preview({
      ...nothing,
      resources: { 'prov-db-memory': '4096', 'prov-db-disk-iops': '9000' },
    })
    const { memory, servers } = unwrap(preview)
    const pool = ({ figures }: typeof memory.after) => figures.find(({ name }) => name === 'innodbBufferPool')?.kb ?? 0
    expect(pool(memory.after)).to.be.above(3 * pool(memory.before))
    expect(servers[0]?.differences.map(({ name }) => name)).to.include.members([
      'innodb_buffer_pool_size',
      'innodb_io_capacity',
    ])
  })

  it('refuses what the change itself would be refused for', async () => {
    const previews = await previewsOf('innodb,row')
    const codes = [
      await previews.preview({ ...nothing, add: ['innodbx'] }),
      await previews.preview({ ...nothing, add: ['statement'] }),
      await previews.preview({ ...nothing, resources: { 'prov-db-memory': 'much' } }),
      await previews.preview({ ...nothing, resources: { 'failover-mode': 'manual' } }),
      await previews.preview({ ...nothing, cluster: 'b' }),
    ].map((result) => (result.ok ? 'ok' : result.failure.code))
    expect(codes).to.deep.equal(['unknown-tag', 'tag-conflict', 'wrong-value', 'unknown-setting', 'unknown-cluster'])
  })

  it('lists every tag with its purpose and whether it is chosen', async () => {
    const { tags, memory } = unwrap((await previewsOf('innodb,row')).configuration('a'))
    expect(tags.filter(({ chosen }) => chosen).map(({ name }) => name)).to.have.members(['innodb', 'row'])
    for (const { doc } of tags) expect(doc).to.not.equal('')
    expect(memory.sumKb).to.be.within(1, 1024 * 1024)
  })
})
