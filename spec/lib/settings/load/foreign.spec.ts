// Files in the style of other installations load; what has no meaning here is named with its place.
import { cpSync, readdirSync } from 'node:fs'
import path from 'node:path'
import { expect } from 'chai'
import { packageRoot } from '../../../../lib/base/package-root.js'
import { type Loaded, loadConfiguration, renderFault } from '../../../../lib/settings/index.js'
import { newDirectory } from '../../../support/machine/directories.js'

const source = path.join(packageRoot, 'spec/fixture/settings/foreign')
const files = readdirSync(source).filter((name) => name.endsWith('.toml'))

const load = async (name: string, flags: readonly string[] = []): Promise<Loaded & { readonly folder: string }> => {
  const folder = newDirectory('foreign')
  cpSync(source, folder, { recursive: true })
  const environment = { MANAGER_MONITORING_DATADIR: path.join(folder, 'data') }
  return { ...(await loadConfiguration({ file: path.join(folder, name), flags, environment })), folder }
}

const texts = ({ warnings, folder }: Loaded & { readonly folder: string }): readonly string[] =>
  warnings
    .map((fault) => renderFault(fault).replaceAll(`${folder}/`, ''))
    .filter((text) => !text.includes('readable by all users'))

const clustersOf = (loaded: Loaded): readonly string[] => (loaded.ok ? [...loaded.configuration.clusters.keys()] : [])

describe('files of other installations', () => {
  for (const file of files)
    it(`${file} loads`, async () => {
      const loaded = await load(file)
      expect(loaded.ok ? [] : loaded.faults.map(renderFault)).to.deep.equal([])
    })

  it('bring clusters with a title and no [Default]', async () => {
    const loaded = await load('title-and-no-default.toml')
    expect(clustersOf(loaded)).to.deep.equal(['Orders_Proxy'])
    expect(texts(loaded)).to.deep.equal([
      'title-and-no-default.toml: no section [Default]',
      'title-and-no-default.toml:4: [Orders_Proxy] title = "Orders_Proxy": is not a setting; the name of the section is the name of the cluster',
      'title-and-no-default.toml:18: [Orders_Proxy] proxysql-multiplex = false: unknown setting; did you mean proxysql-multiplexing?',
    ])
  })

  it('name old settings with the nearest one, wherever [Default] stands', async () => {
    const loaded = await load('default-last.toml')
    expect(clustersOf(loaded)).to.deep.equal(['stock-a', 'stock-b'])
    expect(loaded.recognised.map(({ name }) => name)).to.deep.equal(['user', 'cluster-head'])
    expect(texts(loaded).map((text) => text.split(': ', 2).join(': ').replace(/ = .*/, ''))).to.deep.equal([
      'default-last.toml:19: [Default] daemon',
      'default-last.toml:23: [Default] db-servers-binary-path',
      'default-last.toml:3: [stock-a] title',
      'default-last.toml:4: [stock-a] hosts',
    ])
  })

  it('give booleans, numbers and sizes as text', async () => {
    const loaded = await load('text-values.toml')
    const settings = loaded.ok ? loaded.configuration.clusters.get('ipv6')?.settings : undefined
    expect(settings?.['failover-limit']).to.equal(3)
    expect(settings?.['failover-at-sync']).to.equal(false)
    expect(settings?.autorejoin).to.equal(true)
    expect(settings?.['prov-db-memory']).to.equal(256)
    expect(texts(loaded)).to.deep.equal([])
  })

  it('bring many names without effect, with one warning for a folder that is missing and one for each unknown name', async () => {
    const loaded = await load('other-features.toml')
    expect(loaded.recognised).to.have.length(6)
    expect(texts(loaded)).to.deep.equal([
      'other-features.toml:2: [Default] include = "/etc/missing-by-intent/cluster.d": /etc/missing-by-intent/cluster.d: no such file or directory',
      'other-features.toml:3: [Default] opensvc-use-collector-api = false: unknown setting',
      'other-features.toml:19: [web] title = "web": is not a setting; the name of the section is the name of the cluster',
      'other-features.toml:26: [web] backup-restic-tags = "tenant,cluster": unknown setting; did you mean backup-restic-aws?',
      'other-features.toml:36: [web] shardproxy-user = *:*: unknown setting',
    ])
    expect(JSON.stringify(loaded.recognised)).not.to.contain('hooks.example')
  })

  it('may hold keys outside of a section', async () => {
    const loaded = await load('no-section.toml')
    expect(clustersOf(loaded)).to.deep.equal([])
    expect(texts(loaded)).to.deep.equal([
      'no-section.toml: no section [Default]',
      'no-section.toml:1: title = "shop": outside of a section; put it below [Default] or [<cluster>]',
      'no-section.toml:2: db-servers-hosts = "10.4.0.11:3306": outside of a section; put it below [Default] or [<cluster>]',
    ])
  })

  it('may be a folder with a cluster in each file', async () => {
    const loaded = await load('with-folder.toml')
    expect(clustersOf(loaded)).to.deep.equal(['one', 'two'])
    expect(texts(loaded)).to.deep.equal([
      'cluster.d/one.toml:1: title = "one": outside of a section; put it below [Default] or [<cluster>]',
      'cluster.d/two.toml:2: [two] title = "two": is not a setting; the name of the section is the name of the cluster',
      'cluster.d/two.toml:5: [two] failover-time-limt = 30: unknown setting; did you mean failover-time-limit?',
    ])
  })

  it('fail with all of these as errors when strict, wherever strict stands', async () => {
    for (const file of ['title-and-no-default.toml', 'other-features.toml', 'with-folder.toml'])
      expect((await load(file, ['--strict'])).ok, file).to.equal(false)
    expect((await load('text-values.toml', ['--strict'])).ok).to.equal(true)
  })
})
