import { mkdirSync, writeFileSync } from 'node:fs'
import path from 'node:path'
import { expect } from 'chai'
import { unwrap } from '../../../../lib/base/result.js'
import { addCluster } from '../../../../lib/settings/change/clusters.js'
import { switchSetting } from '../../../../lib/settings/change/switch.js'
import { changeSetting, settingNames, settingRow } from '../../../../lib/settings/index.js'
import { ground } from '../../../support/configuration/configuration.js'

const text = (folder = '') => `[Default]\nmonitoring-cluster-files = "${folder}"\n[shop]\n[lab]\n`
const set = (name: string, value: string, scope = 'shop') => ({ scope, name, value })
const codeOf = (result: ReturnType<typeof changeSetting>) =>
  result.ok ? 'set' : `${result.failure.code} ${result.failure.message}`

/** Settings of clusters that name something of the manager's machine. */
const paths = settingNames.filter((name) => ['program', 'file', 'key'].includes(settingRow(name).machine ?? ''))

describe('Settings that name programs, files or keys of the machine', () => {
  it('are all marked as such', () => {
    const suspects = settingNames.filter((name) => {
      const { scope, machine, shape } = settingRow(name)
      const isNamed = /script|-cert$|-key$|-path$|known-hosts|-file$|-dir$|folder/.test(name)
      // Files of the hosts of the databases: the manager opens none of them.
      const isElsewhere = name.startsWith('replication-ssl-')
      return scope === 'cluster' && shape.kind === 'text' && machine === undefined && isNamed && !isElsewhere
    })
    expect(suspects).to.deep.equal([])
  })

  it('are not set at run time where no folder is configured', async () => {
    const configuration = await ground(text()).configuration()
    for (const name of paths)
      expect(codeOf(changeSetting(configuration, set(name, '/usr/bin/tar'))), name).to.match(
        /^(wrong-value|wrong-scope) /,
      )
  })

  it('are set to files below the folder of the cluster, or the shared one, and to no others', async () => {
    const configuration = await ground(text('/srv/files')).configuration()
    const tried = (file: string, scope = 'shop') =>
      codeOf(changeSetting(configuration, set('failover-pre-script', file, scope)))
    expect(tried('/srv/files/shop/hooks/pre.sh')).to.equal('set')
    expect(tried('/srv/files/shared/pre.sh')).to.equal('set')
    expect(tried('')).to.equal('set')
    for (const file of [
      '/srv/files/lab/pre.sh',
      '/srv/files/shop/../../../usr/bin/tar',
      '/srv/files/shop/../lab/pre.sh',
      '/srv/files/shopping/pre.sh',
      '/srv/files/shop',
      '/srv/files/pre.sh',
      'shop/pre.sh',
      '/usr/bin/tar',
    ])
      expect(tried(file), file).to.match(/^wrong-value .*below \/srv\/files\/shop or \/srv\/files\/shared/)
  })

  it('name keys in the configuration files only', async () => {
    const configuration = await ground(text('/srv/files')).configuration()
    for (const name of ['onpremise-ssh-private-key', 'db-servers-tls-server-key', 'onpremise-ssh-known-hosts'] as const)
      expect(codeOf(changeSetting(configuration, set(name, '/srv/files/shop/key')))).to.match(
        /configuration files only/,
      )
    expect(codeOf(changeSetting(configuration, set('monitoring-cluster-files', '/', '')))).to.match(/files only/)
  })

  it('are refused on every path: switched, with a new cluster, saved before', async () => {
    const place = ground(text('/srv/files'))
    const configuration = await place.configuration()
    expect(switchSetting(configuration, { scope: 'shop', name: 'failover-pre-script' }).ok).to.equal(false)
    expect(addCluster(configuration, 'eve', { 'prov-db-start-script': '/usr/bin/tar' }).ok).to.equal(false)
    const file = path.join(place.datadir, 'shop', 'shop.toml')
    mkdirSync(path.dirname(file), { recursive: true })
    const saved = ['/usr/bin/tar', '/srv/files/shop/post.sh']
    writeFileSync(
      file,
      `[saved-shop]\nprov-db-start-script = "${saved[0]}"\nfailover-post-script = "${saved[1]}"\nfailover-limit = 7\n`,
    )
    const loaded = await place.load()
    if (!loaded.ok) throw new Error('not loaded')
    const settings = loaded.configuration.clusters.get('shop')?.settings
    expect(settings?.['prov-db-start-script']).to.equal('')
    expect(settings?.['failover-post-script']).to.equal(saved[1])
    expect(settings?.['failover-limit']).to.equal(7)
    expect(loaded.warnings.filter(({ lost }) => lost).map(({ name }) => name)).to.deep.equal(['prov-db-start-script'])
  })

  it('take any path from the configuration files, and a change back to it', async () => {
    const given = '[Default]\nfailover-pre-script = "/opt/pre"\n[shop]\nonpremise-ssh-private-key = "/etc/key"\n'
    const configuration = await ground(given).configuration()
    expect(configuration.clusters.get('shop')?.settings['onpremise-ssh-private-key']).to.equal('/etc/key')
    const off = unwrap(changeSetting(configuration, set('failover-pre-script', '')))
    expect(codeOf(changeSetting(off.configuration, set('failover-pre-script', '/opt/pre')))).to.equal('set')
    expect(codeOf(changeSetting(configuration, set('onpremise-ssh-private-key', '')))).to.match(/files only/)
  })
})
