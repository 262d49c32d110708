// Which settings of the server hold at all instances of a fleet: none that names something of one machine.
import { expect } from 'chai'
import { settingNames, settingRow } from '../../../../lib/settings/table/index.js'
import { isOfFleet } from '../../../../lib/settings/table/of-instance.js'

const serverSettings = settingNames.filter((name) => settingRow(name).scope === 'server')

describe('isOfFleet', () => {
  it('leaves to each instance what names a file, a program, a port or an address of its machine', () => {
    const ofMachine = serverSettings.filter(
      (name) =>
        ['program', 'file', 'key'].includes(settingRow(name).machine ?? '') ||
        /(^|-)(port|bind|path|file|cert|datadir|bind-address)$/.test(name),
    )
    const others = new Set(['graphite-carbon-port'])
    expect(ofMachine.filter((name) => isOfFleet(name) && !others.has(name))).to.deep.equal([])
  })

  it('leaves to each instance how it finds the others, and its log', () => {
    const own = serverSettings.filter((name) => /^(cluster-store|arbitration|log)/.test(name))
    expect(own).to.include.members(['cluster-store', 'cluster-store-lease', 'log-file'])
    expect(own.filter(isOfFleet)).to.deep.equal([])
  })

  it('holds at all instances what concerns users, in any spelling, and what this version does not know', () => {
    for (const name of ['api-user-tokens', 'api-token-timeout', 'API-Token-Timeout', 'from-a-newer-version'])
      expect(isOfFleet(name), name).to.equal(true)
  })
})
