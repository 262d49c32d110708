// What durability-policy makes of the servers, and what is reported while they differ.
import { expect } from 'chai'
import { planFailover } from '../../../../lib/decide/failover/failover.js'
import { planRepair } from '../../../../lib/decide/repair/repair.js'
import { NO_FALLBACK_MS } from '../../../../lib/decide/situation/durability.js'
import type { DecideSettings } from '../../../../lib/decide/situation/situation.js'
import type { SemiSyncState } from '../../../../lib/model/server/reading.js'
import {
  acknowledgedSource,
  acknowledgingReplica,
  cutOff,
  primary,
  refused,
  replica,
  semiSyncOff,
  situation,
} from '../../../support/simulator/situation.js'

type Policy = DecideSettings['durability-policy']

const under = (
  policy: Policy,
  source: Partial<SemiSyncState>,
  follower: Partial<SemiSyncState> = acknowledgingReplica,
) =>
  situation(
    [
      primary(1, { semiSync: { ...acknowledgedSource(1), ...source } }),
      replica(2, { state: { semiSync: { ...acknowledgingReplica, ...follower } } }),
    ],
    { settings: { 'durability-policy': policy }, memory: { semiSync: true } },
  )

const endless = { timeoutMs: NO_FALLBACK_MS }

describe('durability-policy', () => {
  for (const [claim, one, expected] of [
    [
      'lossless takes the fallback from the primary',
      under('lossless', {}, endless),
      { server: 'db1', source: true, replica: false, waitMs: NO_FALLBACK_MS },
    ],
    [
      'lossless takes it from a replica, which may become the primary',
      under('lossless', endless),
      { server: 'db2', source: false, replica: true, waitMs: NO_FALLBACK_MS },
    ],
    [
      'lossless enables the source side without waiting for a replica',
      under('lossless', { ...semiSyncOff, ...endless }, { ...endless, replicaEnabled: false, replicaActive: false }),
      { server: 'db1', source: true, replica: false },
    ],
    [
      'lossless waits also without replicas',
      under('lossless', { ...endless, waitsWithoutReplica: false }, endless),
      { server: 'db1', source: true, replica: false, waitMs: NO_FALLBACK_MS },
    ],
    [
      'semi-sync gives an endless wait its fallback',
      under('semi-sync', endless),
      { server: 'db1', source: true, replica: false, waitMs: 10_000 },
    ],
    ['async lets commits wait for no replica', under('async', {}), { server: 'db1', source: false, replica: false }],
  ] as const)
    it(claim, () => {
      expect(planRepair(one)?.commands).to.deep.equal([{ type: 'set-semi-sync', ...expected }])
    })

  for (const [policy, source, follower] of [
    ['observed', {}, {}],
    ['lossless', endless, endless],
    ['semi-sync', { timeoutMs: 2_000 }, { timeoutMs: 2_000 }],
  ] as const)
    it(`${policy} sets nothing where servers show it`, () => {
      const one = under(policy, source, follower)
      expect(planRepair(one)).to.equal(undefined)
      const codes = one.snapshot.findings.map(({ code }) => code)
      expect(codes).to.not.include.members(['ERR00141'])
      expect(codes).to.not.include.members(['WARN0250'])
    })

  for (const [policy, source, detail] of [
    ['lossless', {}, 'db1 (lossless): its semi-sync timeout is 10000 ms.'],
    ['semi-sync', { sourceActive: false }, 'db1 (semi-sync): semi-sync fell back to asynchronous.'],
    ['async', {}, 'db1 (async): semi-sync is enabled, so commits wait for a replica.'],
  ] as const)
    it(`reports a primary that does not keep ${policy}`, () => {
      const found = under(policy, source).snapshot.findings.find(({ code }) => code === 'ERR00141')
      expect(found?.detail).to.equal(detail)
    })

  it('opens a new primary under lossless only with its source side on, without any replica left', () => {
    const servers = [
      primary(1, { semiSync: { ...acknowledgedSource(1), ...endless } }, refused),
      replica(2, { ...cutOff, state: { semiSync: acknowledgingReplica } }),
    ]
    const plan = planFailover(situation(servers, { settings: { 'durability-policy': 'lossless' } }))
    const set = plan.ok ? plan.value.commands.find(({ type }) => type === 'set-semi-sync') : undefined
    expect(set).to.include({ server: 'db2', source: true, waitMs: NO_FALLBACK_MS }).and.not.have.property('bestEffort')
  })
})
