import { expect } from 'chai'
import { archiveInputs } from '../../../../actors/manager/delivery/archives.js'
import { serverId } from '../../../../lib/model/server/server-id.js'
import { defaultSettings, type Settings } from '../../../../lib/settings/index.js'

const settings = (changes: Partial<Settings>): Settings =>
  defaultSettings({ 'monitoring-datadir': '/var/lib/manager', ...changes })

describe('archiveInputs', () => {
  it('gives one input for each server, under the id that the monitor knows it by', () => {
    const inputs = archiveInputs('shop', settings({ 'db-servers-hosts': ['db1', 'db2:3307', '[fe80::1]:3308'] }))
    expect(inputs.map(({ server: { host, port } }) => `${host} ${port}`)).to.deep.equal([
      'db1 3306',
      'db2 3307',
      'fe80::1 3308',
    ])
    expect(inputs[0]?.server.id).to.equal(serverId('shop', 'db1:3306'))
    expect(new Set(inputs.map(({ server }) => server.id)).size).to.equal(3)
  })

  it('gives all servers of a cluster the same settings, so that they share a template', () => {
    const [one, two] = archiveInputs('shop', settings({ 'db-servers-hosts': ['db1', 'db2'] }))
    expect(one?.settings).to.equal(two?.settings)
  })

  it('places a local server in its own directory', () => {
    const [input] = archiveInputs('shop', settings({ 'db-servers-hosts': ['db1'], 'prov-orchestrator': 'local' }))
    expect(JSON.stringify(input?.context)).to.contain('/var/lib/manager/shop/db1_3306')
  })

  it('gives each server the archive for the software that it reported', () => {
    const mysql = { flavour: 'mysql', version: { major: 8, minor: 4, patch: 0 } } as const
    const inputs = archiveInputs('shop', settings({ 'db-servers-hosts': ['db1', 'db2'] }), { 'db2:3306': mysql })
    expect(inputs.map(({ software }) => software)).to.deep.equal([{ flavour: 'mariadb' }, mysql])
  })

  it('takes certificates from the files that the settings name, else from the manager itself', () => {
    const hosts = { 'db-servers-hosts': ['db1', 'db2:3307'] }
    expect(archiveInputs('shop', settings(hosts))[0]?.certificates).to.deep.equal({ hosts: ['db1', 'db2'] })
    const files = {
      'db-servers-tls-server-cert': '/c',
      'db-servers-tls-server-key': '/k',
      'db-servers-tls-ca-cert': '/a',
    }
    expect(archiveInputs('shop', settings({ ...hosts, ...files }))[0]?.certificates).to.deep.equal({
      hosts: ['db1', 'db2'],
      files: { ca: '/a', serverCert: '/c', serverKey: '/k' },
    })
  })

  it('leaves out what is no address', () => {
    expect(archiveInputs('shop', settings({ 'db-servers-hosts': ['not an address'] }))).to.deep.equal([])
    expect(archiveInputs('shop', settings({ 'db-servers-hosts': [] }))).to.deep.equal([])
  })
})
