import { existsSync, readFileSync, renameSync, statSync } from 'node:fs'
import path from 'node:path'
import { expect } from 'chai'
import fc from 'fast-check'
import { unwrap } from '../../../../lib/base/result.js'
import { reveal } from '../../../../lib/base/secret.js'
import { effectiveValue } from '../../../../lib/settings/configuration/configuration.js'
import {
  addCluster,
  type Configuration,
  changeSetting,
  generateKeyFile,
  saveChanges,
  setAsideSaved,
  settingNames,
  settingRow,
} from '../../../../lib/settings/index.js'
import { joinSaved } from '../../../../lib/settings/load/saved.js'
import { ground, parsed, plainValues } from '../../../support/configuration/configuration.js'

const changeOf = (configuration: Configuration, name: string, value: unknown): Configuration =>
  unwrap(changeSetting(configuration, { scope: 'alpha', name, value })).configuration

const savedText = (datadir: string): string => readFileSync(path.join(datadir, 'alpha/alpha.toml'), 'utf8')

describe('joinSaved', () => {
  it('takes what is shared from the others, leaves the rest, and is the same when it is done again', () => {
    const isShared = (name: string) => name !== 'log-level' && name !== 'http-port'
    const own = '[saved-default]\nlog-level = 3\napi-token-timeout = 1\n[replaced-default]\nlog-level = "a"\n'
    const theirs = '[saved-default]\nlog-level = 9\nhttp-port = 1\napi-user-tokens = false\nfrom-later = [1]\n'
    const joined = joinSaved(own, theirs, isShared)
    expect(joined).to.match(/\[saved-default\]\nlog-level = 3\napi-user-tokens = false\nfrom-later = \[ ?1 ?\]\n/)
    expect(joined).to.include('[replaced-default]\nlog-level = "a"')
    expect(joined).to.not.match(/api-token-timeout|http-port|9/)
    expect(joinSaved(joined, theirs, isShared)).to.equal(joined)
    expect(joinSaved('', '', isShared)).to.include('[saved-default]')
  })
})

describe('saveChanges', () => {
  const text = '[Default]\n[alpha]\n'

  it('writes a file of mode 0600 that the next start reads', async () => {
    const place = ground(text)
    unwrap(await saveChanges(changeOf(await place.configuration(), 'failover-limit', 7), 'alpha'))
    expect(statSync(path.join(place.datadir, 'alpha/alpha.toml')).mode & 0o777).to.equal(0o600)
    expect(savedText(place.datadir)).to.match(/\[saved-alpha\]\nfailover-limit = 7\n/)
    expect((await place.configuration()).clusters.get('alpha')?.settings['failover-limit']).to.equal(7)
  })

  it('round-trips every setting of a cluster with any value it allows', async () => {
    const place = ground(text)
    // Paths of the machine are restored below one folder only: see configuration/machine.spec.
    const names = settingNames.filter((name) => {
      const { scope, machine = 'account' } = settingRow(name)
      return scope === 'cluster' && name !== 'db-servers-hosts' && machine === 'account'
    })
    const values = fc.tuple(...names.map((name) => plainValues(settingRow(name))))
    await fc.assert(
      fc.asyncProperty(values, async (inputs) => {
        const start = await place.configuration()
        const saved = new Map(
          names.map((name, index) => [
            name,
            { value: parsed(settingRow(name), inputs[index]), origin: { kind: 'saved' as const } },
          ]),
        )
        const alpha = start.clusters.get('alpha')
        if (!alpha) throw new Error('no cluster')
        unwrap(await saveChanges({ ...start, clusters: new Map([['alpha', { ...alpha, saved }]]) }, 'alpha'))
        const again = await place.configuration()
        const scope = again.clusters.get('alpha') ?? again.server
        for (const [name, { value }] of saved)
          expect(settingRow(name).shape.plain(effectiveValue(again.server, scope, name).value), name).to.deep.equal(
            settingRow(name).shape.plain(value),
          )
      }),
      { numRuns: 15 },
    )
  })

  it('keeps the former file, and never replaces a good copy by a damaged one', async () => {
    const place = ground(text)
    const one = changeOf(await place.configuration(), 'failover-limit', 1)
    const two = changeOf(one, 'failover-limit', 2)
    unwrap(await saveChanges(one, 'alpha'))
    unwrap(await saveChanges(two, 'alpha'))
    const old = path.join(place.datadir, 'alpha/alpha.toml.old')
    expect(readFileSync(old, 'utf8')).to.contain('failover-limit = 1')
    place.write('data/alpha/alpha.toml', '[saved-al')
    unwrap(await saveChanges(two, 'alpha'))
    expect(readFileSync(old, 'utf8')).to.contain('failover-limit = 1')
    expect(savedText(place.datadir)).to.contain('failover-limit = 2')
    expect(readFileSync(path.join(place.datadir, 'alpha/alpha.toml.damaged'), 'utf8')).to.equal('[saved-al')
  })

  it('writes secrets encrypted when there is a key, in clear when there is none', async () => {
    const place = ground(text)
    const change = ['db-servers-credential', 'root:hidden'] as const
    unwrap(await saveChanges(changeOf(await place.configuration(), ...change), 'alpha'))
    expect(savedText(place.datadir)).to.contain('root:hidden')
    unwrap(await generateKeyFile(path.join(place.directory, 'key')))
    unwrap(await saveChanges(changeOf(await place.configuration(), ...change), 'alpha'))
    expect(savedText(place.datadir)).to.contain('aes256gcm:').and.not.contain('hidden')
    const { clusters, server } = await place.configuration()
    const value = effectiveValue(server, clusters.get('alpha') ?? server, 'db-servers-credential')
    expect(settingRow('db-servers-credential').shape.plain(value.value)).to.equal('root:hidden')
  })

  it('writes values back that this start could not read', async () => {
    const place = ground(text)
    unwrap(await generateKeyFile(path.join(place.directory, 'key')))
    unwrap(await saveChanges(changeOf(await place.configuration(), 'db-servers-credential', 'root:hidden'), 'alpha'))
    renameSync(path.join(place.directory, 'key'), path.join(place.directory, 'away'))
    unwrap(await saveChanges(changeOf(await place.configuration(), 'log-level', 1), 'alpha'))
    unwrap(await saveChanges(changeOf(await place.configuration(), 'log-level', 2), 'alpha'))
    renameSync(path.join(place.directory, 'away'), path.join(place.directory, 'key'))
    const { settings } = (await place.configuration()).clusters.get('alpha') ?? {}
    expect(settings && reveal(settings['db-servers-credential'])).to.equal('root:hidden')
    expect(settings?.['log-level']).to.equal(2)
  })

  it('brings a cluster that was added back at the next start, until it is set aside', async () => {
    const place = ground(text)
    const added = unwrap(addCluster(await place.configuration(), 'my.cluster', { 'db-servers-hosts': 'h1' }))
    unwrap(await saveChanges(added, 'my.cluster'))
    const again = await place.configuration()
    expect(again.clusters.get('my.cluster')).to.deep.include({ added: true })
    unwrap(await setAsideSaved(place.datadir, 'my.cluster'))
    expect((await place.configuration()).clusters.has('my.cluster')).to.equal(false)
    expect(existsSync(path.join(place.datadir, 'my.cluster/my.cluster.toml.removed'))).to.equal(true)
  })

  it('saves the server’s changes beside the clusters', async () => {
    const place = ground(text)
    const change = { scope: '', name: 'api-token-timeout', value: 8 }
    unwrap(await saveChanges(unwrap(changeSetting(await place.configuration(), change)).configuration, ''))
    expect((await place.configuration()).server.settings['api-token-timeout']).to.equal(8)
  })

  it('fails when the directory cannot be made', async () => {
    const place = ground(text)
    const change = changeOf(await place.configuration(), 'log-level', 1)
    place.write('data', 'a file')
    expect(await saveChanges(change, 'alpha')).to.have.nested.property('failure.code', 'file-unwritable')
  })
})
