// Flags of servers: what raises them and what settles them, as values.
import { expect } from 'chai'
import { raisedBy, settledCookies, takenUpBy } from '../../../../actors/cluster/services/needs.js'
import { HOUR, SECOND } from '../../../../lib/base/time.js'
import type { ServerSnapshot } from '../../../../lib/model/snapshot.js'
import { defaultSettings } from '../../../../lib/settings/index.js'
import type { SettingName } from '../../../../lib/settings/table/index.js'
import { cookies } from '../../../../lib/store/cluster/cookies.js'
import { primary } from '../../../support/simulator/situation.js'

describe('raisedBy', () => {
  const hosts = defaultSettings({ 'prov-orchestrator': 'onpremise' })
  const containers = defaultSettings({ 'prov-orchestrator': 'kube' })

  for (const [name, need] of Object.entries(takenUpBy) as [SettingName, string][])
    it(`asks for what ${name} needs`, () => {
      expect(raisedBy([name], hosts)).to.equal(need === 'limits' ? 'restart' : need)
      expect(raisedBy([name], containers)).to.equal(need === 'limits' ? 'reprov' : need)
    })

  it('asks for nothing where a running server takes it up, and for the most of several', () => {
    expect(raisedBy(['failover-limit'], hosts)).to.equal(undefined)
    expect(raisedBy(['failover-limit', 'prov-db-tags', 'prov-db-disk'], hosts)).to.equal('reprov')
  })
})

describe('settledCookies', () => {
  const at = 10 * HOUR
  const all = (setAt: number) => cookies.map((cookie) => ({ cookie, setAt }))
  const up = (seconds: number): ServerSnapshot =>
    primary(1, { uptimeSeconds: seconds }, { observation: 'answered', stateAt: at })
  const down = (since: number): ServerSnapshot => ({
    ...up(9),
    observation: 'refused',
    stateName: 'failed',
    failingSince: since,
  })
  const settings = defaultSettings({ 'prov-orchestrator': 'slapos' })

  it('takes a start after the flag for what was asked', () => {
    expect(settledCookies(all(at - 60 * SECOND), up(10), settings)).to.have.members([
      'prov',
      'restart',
      'reprov',
      'config',
      'waitstart',
    ])
    expect(settledCookies(all(at - 5 * SECOND), up(10), settings)).to.deep.equal([])
    expect(settledCookies(all(at - 10 * SECOND), up(10), settings), 'within a second').to.deep.equal([])
  })

  it('takes an end after the flag for what was asked', () => {
    expect(settledCookies(all(at - 60 * SECOND), down(at), settings)).to.have.members(['unprov', 'waitstop'])
    expect(settledCookies(all(at), down(at - SECOND), settings)).to.deep.equal([])
  })

  it('leaves a new provisioning to its own path', () => {
    const standing = [{ cookie: 'reprov', setAt: 0 }] as const
    for (const own of [
      { 'prov-orchestrator': 'local' },
      { 'prov-orchestrator': 'onpremise', 'onpremise-ssh': true },
    ] as const)
      expect(settledCookies(standing, up(10), defaultSettings(own))).to.deep.equal([])
    expect(settledCookies(standing, up(10), defaultSettings({ 'prov-orchestrator': 'onpremise' }))).to.deep.equal([
      'reprov',
    ])
  })

  it('does not take a start for a changed configuration that it did not fetch', () => {
    const kept = defaultSettings({ 'prov-db-start-fetch-config': false })
    expect(settledCookies([{ cookie: 'config', setAt: 0 }], up(10), kept)).to.deep.equal([])
  })
})
