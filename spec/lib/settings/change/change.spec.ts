import { expect } from 'chai'
import { unwrap } from '../../../../lib/base/result.js'
import { changeSetting, clearSetting } from '../../../../lib/settings/index.js'
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
      'a cluster setting in the server',
      { ...alpha('log-level', '1'), scope: '' },
      'wrong-scope',
      /belongs to the cluster$/,
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
