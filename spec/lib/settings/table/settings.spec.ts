import { expect } from 'chai'
import fc from 'fast-check'
import { secret } from '../../../../lib/base/secret.js'
import { defaultSettings, exportSettings, importSettings } from '../../../../lib/settings/index.js'
import { type Settings, settingNames, settingRow } from '../../../../lib/settings/table/index.js'
import { parsed, plainValues } from '../../../support/configuration/configuration.js'
import { cases } from '../../../support/run/soak.js'

describe('defaultSettings', () => {
  it('has every setting at its default except the overrides', () => {
    const settings = defaultSettings({ 'failover-mode': 'automatic' })
    const shown = settingNames.map((name) => settings[name])
    expect(shown).to.deep.equal(settingNames.map((n) => (n === 'failover-mode' ? 'automatic' : settingRow(n).default)))
    expect(Object.keys(settings)).to.deep.equal(['failover-mode'])
  })
})

describe('exportSettings', () => {
  it('gives only what differs, plain, with secrets in clear', () => {
    const settings = defaultSettings({
      'log-level': 1,
      'db-servers-credential': secret('u:p'),
      'db-servers-hosts': ['a', 'b'],
    })
    const plain = { 'db-servers-hosts': 'a,b', 'db-servers-credential': 'u:p', 'log-level': 1 }
    expect(structuredClone(exportSettings(settings))).to.deep.equal(plain)
  })
})

describe('importSettings', () => {
  it('gives back what exportSettings was given', () => {
    const any = fc.tuple(...settingNames.map((name) => plainValues(settingRow(name))))
    fc.assert(
      fc.property(any, (inputs) => {
        const values = settingNames.map((name, index) => [name, parsed(settingRow(name), inputs[index])])
        const settings = defaultSettings(Object.fromEntries(values) as Partial<Settings>)
        const again = importSettings(structuredClone(exportSettings(settings)))
        expect(exportSettings(again)).to.deep.equal(exportSettings(settings))
        const shown = (whole: Settings) => JSON.stringify(settingNames.map((name) => whole[name]))
        expect(shown(again)).to.equal(shown(settings))
      }),
      { numRuns: cases({ commit: 10, soak: 100 }) },
    )
  })

  it('throws on what exportSettings did not make', () => {
    expect(() => importSettings({ 'none-such': 1 })).to.throw('none-such')
    expect(() => importSettings({ 'log-level': 'x' })).to.throw('log-level')
  })
})
