// What would be lost if the primary died now: proven nothing, bounded, or unknown.
import { expect } from 'chai'
import { SECOND } from '../../../../lib/base/time.js'
import { judgeFailover } from '../../../../lib/decide/failover/failover.js'
import type { SemiSyncState } from '../../../../lib/model/server/reading.js'
import type { ServerSnapshot } from '../../../../lib/model/snapshot.js'
import {
  acknowledgedSource,
  acknowledgingReplica,
  cutOff,
  NOW,
  primary,
  refused,
  replica,
  situation,
} from '../../../support/simulator/situation.js'

const forecast = (servers: readonly ServerSnapshot[]) => judgeFailover(situation(servers)).loss
const acking = { state: { semiSync: acknowledgingReplica } }
const source = (semiSync: Partial<SemiSyncState> = {}, executed = '0-1-100') =>
  primary(1, { executed, semiSync: { ...acknowledgedSource(1), ...semiSync } })

describe('the loss forecast', () => {
  it('is nothing when every commit waits for a replica that can be promoted', () => {
    expect(forecast([source(), replica(2, acking)]).kind).to.equal('none')
  })

  for (const [claim, servers] of [
    ['replication is asynchronous', [source({ sourceEnabled: false, sourceActive: false }), replica(2)]],
    ['the source fell back', [source({ sourceActive: false, unacknowledged: 7 }), replica(2, acking)]],
    ['the wait point is after the commit', [source({ waitPoint: 'after-commit' }), replica(2, acking)]],
    ['no replica acknowledges', [source({ clients: 0 }), replica(2)]],
    ['a receiver that is no member acknowledges', [source({ clients: 2 }), replica(2, acking)]],
  ] as const)
    it(`is bounded at best when ${claim}`, () => {
      expect(forecast(servers).kind).to.equal('at-most')
    })

  it('counts what the candidate is missing', () => {
    expect(
      forecast([source({ sourceEnabled: false }, '0-1-107'), replica(2), replica(3, { received: '0-1-104' })]),
    ).to.include({
      kind: 'at-most',
      transactions: 3,
    })
  })

  it('is unknown when the dead primary wrote asynchronously', () => {
    expect(forecast([primary(1, {}, refused), replica(2, cutOff)]).kind).to.equal('unknown')
  })

  it('is still nothing when it died within its timeout after the last probe', () => {
    const dead = primary(1, { semiSync: acknowledgedSource(1) }, refused)
    const witness = replica(2, { ...cutOff, ...acking, server: { inSyncAt: NOW - 300 } })
    expect(forecast([dead, witness]).kind).to.equal('none')
    const long = { ...refused, stateAt: NOW - 30 * SECOND }
    expect(forecast([primary(1, { semiSync: acknowledgedSource(1) }, long), witness]).kind).to.equal('unknown')
  })

  it('is unknown when a replica vanished with it that may have acknowledged after the receivers were counted', () => {
    const dead = primary(1, { semiSync: acknowledgedSource(1) }, refused)
    const witness = replica(2, { ...cutOff, ...acking, server: { inSyncAt: NOW - 300 } })
    const gone = (failingSince: number) => replica(3, { ...acking, server: { ...refused, failingSince } })
    expect(forecast([dead, witness, gone(NOW - 100)])).to.include({ kind: 'unknown' })
    expect(forecast([dead, witness, gone(NOW - 60 * SECOND)]).kind).to.equal('none')
  })

  it('is unknown without a candidate', () => {
    expect(forecast([source()]).kind).to.equal('unknown')
  })

  it('is unknown when a server that cannot be promoted holds more', () => {
    const broken = replica(3, { ...acking, sql: 'stopped', received: '0-1-110', applied: '0-1-90' })
    expect(forecast([source({ clients: 2 }), replica(2, acking), broken]).kind).to.equal('unknown')
  })
})
