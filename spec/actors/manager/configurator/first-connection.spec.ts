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

type Reported = Partial<Pick<Member, 'software' | 'generated'>>

const answers: Reported = { software: 'MariaDB 10.11.6' as unknown as NonNullable<Member['software']> }

/** A cluster `a` of the file with these settings, and servers that report this. */
async function world({ settings = '', reported = [answers] }: { settings?: string; reported?: readonly Reported[] }) {
  const directory = newDirectory('first-connection')
  const file = path.join(directory, 'config.toml')
  writeFileSync(file, `[Default]\nmonitoring-datadir = "${directory}"\n[a]\n${settings}\n`, { mode: 0o600 })
  const loaded = await loadConfiguration({ file })
  if (!loaded.ok) throw new Error(JSON.stringify(loaded.faults))
  const clusters = {
    configuration: loaded.configuration,
    settings: (name: string) => loaded.configuration.clusters.get(name)?.settings,
  }
  const members = { list: reported }
  const asked: string[] = []
  const discoverer = {
    runFirst: async (cluster: string, wanted: () => boolean) => {
      asked.push(cluster)
      expect(wanted()).to.equal(true)
      return fail('sql-refused', 'no server answers')
    },
  }
  const first = new FirstConnections({
    clusters: clusters as unknown as Clusters,
    servers: { members: () => members.list } as unknown as Servers,
    discoverer: discoverer as unknown as Discoverer,
    adopt: async () => undefined,
  })
  return { clusters, members, asked, first }
}

describe('FirstConnections', () => {
  it('waits until every server has reported its software', async () => {
    const { members, asked, first } = await world({ reported: [answers, {}] })
    expect(await first.check('a')).to.equal('waits')
    expect(asked).to.deep.equal([])
    members.list = [answers, answers]
    await first.check('a')
    expect(asked).to.deep.equal(['a'])
  })

  it('waits for the first probe of configured servers', async () => {
    const { first } = await world({ settings: 'db-servers-hosts = "db1"', reported: [] })
    expect(await first.check('a')).to.equal('waits')
  })

  for (const [what, request] of [
    ['whose tags the file gives', { settings: 'prov-db-tags = "innodb,row"' }],
    ['that the manager runs on its own machine', { settings: 'prov-orchestrator = "local"' }],
    ['that runs on generated files', { reported: [{ ...answers, generated: true as const }] }],
    ['without servers', { reported: [] }],
  ] as const)
    it(`leaves a cluster alone ${what}`, async () => {
      const { asked, first } = await world(request)
      expect(await first.check('a')).to.equal('settled')
      expect(asked).to.deep.equal([])
    })

  it('does not change a cluster whose tags were set over the API', async () => {
    const { clusters, asked, first } = await world({})
    const change = { scope: 'a', name: 'prov-db-tags', value: 'innodb' }
    clusters.configuration = unwrap(changeSetting(clusters.configuration, change)).configuration
    expect(await first.check('a')).to.equal('settled')
    expect(asked).to.deep.equal([])
  })

  it('retries in the next round where no server answered', async () => {
    const { asked, first } = await world({})
    expect(await first.check('a')).to.equal('settled')
    await first.check('a')
    expect(asked).to.deep.equal(['a', 'a'])
  })
})
