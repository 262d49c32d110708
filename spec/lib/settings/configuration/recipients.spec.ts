import { expect } from 'chai'
import { unwrap } from '../../../../lib/base/result.js'
import {
  type Configuration,
  changeSetting,
  isAddress,
  isAllowed,
  isGiven,
  mailSettings,
} from '../../../../lib/settings/index.js'
import { ground } from '../../../support/configuration/configuration.js'

const text = `[Default]
mail-to = "ops@files.example"
[shop]
[lab]
mail-to = "lab@files.example"
`
type Change = [name: string, value: string, scope?: string]
const change = (configuration: Configuration, ...[name, value, scope = 'shop']: Change) =>
  changeSetting(configuration, { scope, name, value })
const changed = (configuration: Configuration, ...rest: Change) => unwrap(change(configuration, ...rest)).configuration
const limited = (configuration: Configuration) => changed(configuration, 'mail-allowed-domains', 'example.com', '')

describe('isGiven', () => {
  it('holds for what [Default], a section, environment and flags give, and for no change at run time', async () => {
    const place = ground(text)
    const configuration = await place.configuration()
    const held = ['shop', 'lab'].map((cluster) => isGiven(configuration, cluster, 'mail-to'))
    expect(held).to.deep.equal([true, true])
    const flagged = await place.configuration({ flags: ['--mail-to=flag@files.example'] })
    expect(isGiven(flagged, 'shop', 'mail-to')).to.equal(true)
    expect(isGiven(changed(configuration, 'mail-to', 'eve@elsewhere.example'), 'shop', 'mail-to')).to.equal(false)
    expect(isGiven(configuration, 'shop', 'alert-escalation-mail-to'), 'a default').to.equal(true)
  })

  it('does not hold for a saved change where no file gives a value', async () => {
    const configuration = await ground('[Default]\n[shop]\n').configuration()
    const view = unwrap(change(configuration, 'mail-to', 'eve@elsewhere.example'))
    expect([view.view.origin, isGiven(view.configuration, 'shop', 'mail-to')]).to.deep.equal(['saved', false])
  })
})

describe('isAddress', () => {
  it('takes one address without a name, and nothing that can be read as two or sent on', () => {
    expect(['ann@example.com', "o'hara+db@mail.example"].map(isAddress)).to.deep.equal([true, true])
    const refused = [
      ...['ann', '@example.com', 'ann@', 'a@b@c', 'eve@e.example,ann@example.com', '<eve@e.example>ann@example.com'],
      ...['"eve@e.example"@example.com', 'eve%e.example@example.com', 'e.example!eve@example.com', 'ann@example.com\n'],
    ]
    expect(refused.filter(isAddress)).to.deep.equal([])
  })
})

describe('isAllowed', () => {
  it('compares whole domains, in any case', async () => {
    const configuration = await ground(text).configuration()
    const { settings } = limited(configuration).server
    const allowed = (address: string) => isAllowed(settings, address)
    expect(['ann@example.com', 'ann@EXAMPLE.com'].map(allowed)).to.deep.equal([true, true])
    const others = ['ann@mail.example.com', 'ann@notexample.com', 'ann@example.com.elsewhere.example', 'example.com']
    expect(others.filter(allowed)).to.deep.equal([])
    expect(isAllowed(configuration.server.settings, 'ann@elsewhere.example'), 'no list').to.equal(true)
  })
})

describe('mailSettings', () => {
  it('are the settings themselves as long as no domain is named', async () => {
    const configuration = changed(await ground(text).configuration(), 'mail-to', 'eve@elsewhere.example')
    expect(mailSettings(configuration, 'shop')).to.equal(configuration.clusters.get('shop')?.settings)
  })

  it('leave out addresses of other domains that were set before, and none of the files', async () => {
    const before = changed(await ground(text).configuration(), 'mail-to', 'eve@elsewhere.example, ann@example.com')
    const configuration = limited(before)
    expect(mailSettings(configuration, 'shop')?.['mail-to']).to.equal('ann@example.com')
    expect(mailSettings(configuration, 'lab')?.['mail-to']).to.equal('lab@files.example')
    expect(mailSettings(configuration, '')?.['mail-to']).to.equal('ops@files.example')
  })
})

describe('Receivers of mail that are set at run time', () => {
  it('are of the allowed domains, or what the files give', async () => {
    const configuration = limited(await ground(text).configuration())
    for (const name of ['mail-to', 'alert-escalation-mail-to']) {
      expect(change(configuration, name, 'ann@example.com, bob@example.com'), name).to.include({ ok: true })
      expect(change(configuration, name, 'ann@example.com,eve@elsewhere.example'), name).to.nested.include({
        ok: false,
        'failure.code': 'wrong-value',
      })
    }
    expect(change(configuration, 'mail-to', 'ops@files.example')).to.include({ ok: true })
  })

  it('are at most fifty', async () => {
    const configuration = await ground(text).configuration()
    const many = (count: number) => Array.from({ length: count }, (_, at) => `a${at}@example.com`).join(',')
    expect(change(configuration, 'mail-to', many(50))).to.include({ ok: true })
    expect(change(configuration, 'mail-to', many(51))).to.include({ ok: false })
  })
})
