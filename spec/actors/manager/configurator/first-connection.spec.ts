// Which clusters are discovered when they are first connected, and when that is.
import { writeFileSync } from 'node:fs'
import path from 'node:path'
import { expect } from 'chai'
import type { Clusters } from '../../../../actors/manager/configuration/clusters.js'
import type { Discoverer } from '../../../../actors/manager/configurator/discovery.js'
import { FirstConnections } from '../../../../actors/manager/configurator/first-connection.js'
import type { Member, Servers } from '../../../../actors/manager/configurator/servers.js'
import { fail, unwrap } from '../../../../lib/base/result.js'
import { changeSetting, loadConfiguration } from '../../../../lib/settings/index.js'
import { newDirectory } from '../../../support/machine/directories.js'

type Told = Partial<Pick<Member, 'software' | 'generated'>>

const answers: Told = { software: 'MariaDB 10.11.6' as unknown as NonNullable<Member['software']> }

/** A cluster `a` of the file with these settings, and servers that tell this. */
async function world({ settings = '', told = [answers] }: { settings?: string; told?: readonly Told[] }) {
  const directory = newDirectory('first-connection')
  const file = path.join(directory, 'config.toml')
  writeFileSync(file, `[Default]\nmonitoring-datadir = "${directory}"\n[a]\n${settings}\n`, { mode: 0o600 })
  const loaded = await loadConfiguration({ file })
  if (!loaded.ok) throw new Error(JSON.stringify(loaded.faults))
  const clusters = {
    configuration: loaded.configuration,
    settings: (name: string) => loaded.configuration.clusters.get(name)?.settings,
  }
  const members = { list: told }
  const asked: string[] = []
  const discoverer = {
    runFirst: async (cluster: string, wanted: () => boolean) => {
      asked.push(cluster)
      expect(wanted()).to.equal(true)
      return fail('sql-refused', 'nobody answers')
    },
  }
  const first = new FirstConnections({
    clusters: clusters as unknown as Clusters,
    servers: { members: () => members.list } as unknown as Servers,
    discoverer: discoverer as unknown as Discoverer,
  })
  return { clusters, members, asked, first }
}

describe('FirstConnections', () => {
  it('waits until every server has told what it is', async () => {
    const { members, asked, first } = await world({ told: [answers, {}] })
    expect(await first.check('a')).to.equal('waits')
    expect(asked).to.deep.equal([])
    members.list = [answers, answers]
    await first.check('a')
    expect(asked).to.deep.equal(['a'])
  })

  it('waits for the first look at servers that are configured', async () => {
    const { first } = await world({ settings: 'db-servers-hosts = "db1"', told: [] })
    expect(await first.check('a')).to.equal('waits')
  })

  for (const [what, request] of [
    ['whose tags the file gives', { settings: 'prov-db-tags = "innodb,row"' }],
    ['that the manager runs on its own machine', { settings: 'prov-orchestrator = "local"' }],
    ['that runs on generated files', { told: [{ ...answers, generated: true as const }] }],
    ['without servers', { told: [] }],
  ] as const)
    it(`leaves a cluster alone ${what}`, async () => {
      const { asked, first } = await world(request)
      expect(await first.check('a')).to.equal('settled')
      expect(asked).to.deep.equal([])
    })

  it('leaves a cluster alone whose tags somebody chose over the API', async () => {
    const { clusters, asked, first } = await world({})
    const change = { scope: 'a', name: 'prov-db-tags', value: 'innodb' }
    clusters.configuration = unwrap(changeSetting(clusters.configuration, change)).configuration
    expect(await first.check('a')).to.equal('settled')
    expect(asked).to.deep.equal([])
  })

  it('asks again in the next round where nobody could be asked', async () => {
    const { asked, first } = await world({})
    expect(await first.check('a')).to.equal('settled')
    await first.check('a')
    expect(asked).to.deep.equal(['a', 'a'])
  })
})
