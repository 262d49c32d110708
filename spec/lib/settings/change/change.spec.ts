import { expect } from 'chai'
import { unwrap } from '../../../../lib/base/result.js'
import {
  type Configuration,
  changeSetting,
  clearSetting,
  saveChanges,
  viewSettings,
} from '../../../../lib/settings/index.js'
import { ground } from '../../../support/configuration/configuration.js'

const text = '[Default]\nfailover-limit = 3\n[alpha]\ndb-servers-hosts = "db1,db2"\n[beta]\ndb-servers-hosts = "db3"\n'
const alpha = (name: string, value: unknown = '') => ({ scope: 'alpha', name, value })
const failure = (code: string, message: RegExp) => (result: unknown) => {
  expect(result).to.have.nested.property('failure.code', code)
  expect(result).to.have.nested.property('failure.message').that.matches(message)
}

describe('changeSetting', () => {
  it('keeps a change of a free setting over restarts, and leaves the given configuration as it was', async () => {
    const before = await ground(text).configuration()
    const { configuration, view, save } = unwrap(changeSetting(before, alpha('failover-mode', 'automatic')))
    expect(view).to.deep.equal({ name: 'failover-mode', value: 'automatic', origin: 'saved', immutable: false })
    expect(save).to.equal('alpha')
    expect(configuration.clusters.get('alpha')?.settings['failover-mode']).to.equal('automatic')
    expect(configuration.clusters.get('beta')).to.equal(before.clusters.get('beta'))
    expect(before.clusters.get('alpha')?.settings['failover-mode']).to.equal('manual')
  })

  it('lets a change of a given setting last until restart', async () => {
    const before = await ground(text).configuration()
    const { configuration, view, save } = unwrap(changeSetting(before, alpha('failover-limit', 9)))
    const { given = '', ...rest } = view
    expect(rest).to.deep.equal({ name: 'failover-limit', value: 9, origin: 'runtime', immutable: true })
    expect(given).to.match(/config\.toml:\d+$/)
    expect(save).to.equal(undefined)
    const back = unwrap(changeSetting(configuration, alpha('failover-limit', '3')))
    expect(back.view).to.deep.include({ value: 3, origin: 'file' })
  })

  it('saves nothing when monitoring-save-config is off', async () => {
    const before = await ground(text).configuration({ flags: ['--monitoring-save-config=false'] })
    const { view, save } = unwrap(changeSetting(before, alpha('failover-mode', 'automatic')))
    expect([view.origin, view.immutable, save]).to.deep.equal(['runtime', false, undefined])
  })

  it('gives a change of the server to every cluster', async () => {
    const before = await ground(text).configuration()
    const { configuration } = unwrap(changeSetting(before, { scope: '', name: 'api-token-timeout', value: '8' }))
    expect([...configuration.clusters.values()].map(({ settings }) => settings['api-token-timeout'])).to.deep.equal([
      8, 8,
    ])
  })

  describe('for all clusters', () => {
    const forAll = (name: string, value: unknown) => ({ scope: '', name, value })
    const shown = (configuration: Configuration, cluster: string, name: string) =>
      viewSettings(configuration, cluster).find((view) => view.name === name)

    it('holds in each that has no value of its own, is kept over a restart, and says where it comes from', async () => {
      const place = ground(`${text}failover-restart-unsafe = true\n`)
      const before = await place.configuration()
      const { configuration, save } = unwrap(changeSetting(before, forAll('autorejoin', false)))
      expect(save).to.equal('')
      unwrap(await saveChanges(configuration, ''))
      const own = unwrap(changeSetting(configuration, { scope: 'beta', name: 'autorejoin', value: true })).configuration
      unwrap(await saveChanges(own, 'beta'))
      const again = await place.configuration()
      for (const one of [own, again]) {
        expect(shown(one, 'alpha', 'autorejoin')).to.include({ value: false, origin: 'saved', ofAll: true })
        expect(shown(one, 'beta', 'autorejoin'))
          .to.include({ value: true, origin: 'saved' })
          .and.not.have.property('ofAll')
        expect(shown(one, '', 'autorejoin')).to.include({ value: false, origin: 'saved' })
        expect(one.clusters.get('alpha')?.settings.autorejoin).to.equal(false)
      }
      const cleared = unwrap(clearSetting(again, { scope: '', name: 'autorejoin' })).configuration
      expect(shown(cleared, 'alpha', 'autorejoin')).to.include({ value: true, origin: 'default' })
      // A value in the section of a cluster holds there, too.
      const unsafe = unwrap(changeSetting(before, forAll('failover-restart-unsafe', false))).configuration
      expect(shown(unsafe, 'beta', 'failover-restart-unsafe')).to.include({ value: true, origin: 'file' })
      expect(shown(unsafe, 'alpha', 'failover-restart-unsafe')).to.include({ value: false, ofAll: true })
    })

    it('lasts until restart where [Default] gives another value', async () => {
      const before = await ground(text).configuration()
      const { configuration, save } = unwrap(changeSetting(before, forAll('failover-limit', 9)))
      expect(save).to.equal(undefined)
      expect(shown(configuration, 'alpha', 'failover-limit')).to.include({ value: 9, origin: 'runtime', ofAll: true })
      expect(shown(configuration, 'alpha', 'failover-limit')?.given).to.match(/config\.toml:\d+$/)
    })

    it('is not given what is of one cluster, or names a file of the machine', async () => {
      const before = await ground(text).configuration()
      for (const [name, value] of [
        ['db-servers-hosts', 'db9'],
        ['api-credentials-acl-allow', 'ann:global'],
        ['failover-post-script', '/bin/sh'],
        ['onpremise-ssh-private-key', '/etc/key'],
      ] as const)
        failure('wrong-scope', /each cluster alone/)(changeSetting(before, forAll(name, value)))
    })
  })

  it('masks the view of a secret', async () => {
    const before = await ground(text).configuration()
    const { view } = unwrap(changeSetting(before, alpha('db-servers-credential', 'root:hidden')))
    expect(view.value).to.equal('*:*')
  })

  for (const [title, change, code, message] of [
    ['an unknown setting', alpha('failovr-mode'), 'unknown-setting', /did you mean failover-mode\?$/],
    [
      'a name that only a setting of another proxy is near to',
      alpha('myproxy-servers'),
      'unknown-setting',
      /not a setting$/,
    ],
    [
      'a name near to one of its own first word',
      alpha('haproxy-paswd'),
      'unknown-setting',
      /did you mean haproxy-password\?$/,
    ],
    ['an unknown cluster', { ...alpha('log-level'), scope: 'none' }, 'unknown-cluster', /none/],
    ['a server setting in a cluster', alpha('api-port', '1'), 'wrong-scope', /belongs to the server$/],
    [
      'what a cluster is, for all of them',
      { ...alpha('db-servers-hosts', 'db9'), scope: '' },
      'wrong-scope',
      /belongs to each cluster alone/,
    ],
    ['a value that is not allowed', alpha('log-level', 'x'), 'wrong-value', /allowed: a whole number from 0 to 4$/],
    ['a server that stands twice', alpha('db-servers-hosts', 'db1,db1'), 'wrong-value', /is listed twice$/],
    [
      'a server of another cluster',
      alpha('db-servers-hosts', 'db3'),
      'wrong-value',
      /belongs to cluster alpha already$/,
    ],
  ] as const)
    it(`refuses ${title}`, async () => {
      failure(code, message)(changeSetting(await ground(text).configuration(), change))
    })
})

describe('clearSetting', () => {
  it('takes a saved change back to the default and saves that', async () => {
    const before = await ground(text).configuration()
    const { configuration } = unwrap(changeSetting(before, alpha('failover-mode', 'automatic')))
    const cleared = unwrap(clearSetting(configuration, alpha('failover-mode')))
    expect(cleared.before).to.deep.include({ value: 'automatic', origin: 'saved' })
    expect(cleared.view).to.deep.include({ value: 'manual', origin: 'default' })
    expect(cleared.save).to.equal('alpha')
  })

  it('takes a change of a given setting back to what the file says, and has nothing to save', async () => {
    const before = await ground(text).configuration()
    const { configuration } = unwrap(changeSetting(before, alpha('failover-limit', 9)))
    const { view, save } = unwrap(clearSetting(configuration, alpha('failover-limit')))
    expect([view.value, view.origin, save]).to.deep.equal([3, 'file', undefined])
  })

  it('can be repeated', async () => {
    const { view } = unwrap(clearSetting(await ground(text).configuration(), alpha('failover-limit')))
    expect(view.origin).to.equal('file')
  })

  it('does not know what no setting is, nor a setting of the other scope', async () => {
    const saved = unwrap(
      changeSetting(await ground('[Default]\n[alpha]\n').configuration(), alpha('autorejoin', false)),
    )
    failure('unknown-setting', /not a setting/)(clearSetting(saved.configuration, alpha('autorejoyn')))
    failure('wrong-scope', /server/)(clearSetting(saved.configuration, alpha('api-port')))
  })
})
