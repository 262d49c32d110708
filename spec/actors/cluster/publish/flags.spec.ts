import { expect } from 'chai'
import { flagWords } from '../../../../actors/cluster/publish/flags.js'
import {
  FLAG_KNOWN,
  FLAG_LAG_SHIFT,
  FLAG_OWNED,
  FLAG_PRIMARY_CLOSED,
  FLAG_PRIMARY_KNOWN,
  FLAG_REPLICA_KNOWN,
  FLAG_VALID_PRIMARY,
  FLAG_VALID_REPLICA,
} from '../../../../actors/protocol/actor.js'
import type { ServerSnapshot } from '../../../../lib/model/snapshot.js'
import {
  primary,
  refused,
  replica,
  running,
  type SituationDraft,
  situation,
} from '../../../support/simulator/situation.js'

const rules = {
  ...{ readOnPrimary: false, readOnPrimaryWithoutReplica: true, sourceName: '' },
  ...{ owned: true, frozen: false, mayOpen: () => true },
}

const roles = (servers: readonly ServerSnapshot[], draft: SituationDraft = {}, more: Partial<typeof rules> = {}) =>
  flagWords(situation(servers, draft).snapshot, { ...rules, ...more }).map(
    (word) => `${word & FLAG_VALID_PRIMARY ? 'p' : '-'}${word & FLAG_VALID_REPLICA ? 'r' : '-'}`,
  )

describe('flagWords', () => {
  it('marks the writable primary and its healthy replicas', () => {
    expect(roles([primary(), replica(2)])).to.deep.equal(['p-', '-r'])
  })

  it('marks no server as primary while the primary is dead, read-only or in maintenance', () => {
    expect(roles([primary(1, {}, refused), replica(2)])[0]).to.equal('--')
    expect(roles([primary(1, { readOnly: true }), replica(2)])[0]).to.equal('--')
    expect(roles([primary(1, {}, { maintenance: true }), replica(2)])[0]).to.equal('--')
  })

  it('marks no server as primary while the role moves', () => {
    expect(roles([primary(), replica(2)], { operation: running({ newPrimary: 'db2' }) })[0]).to.equal('--')
  })

  it('marks no replica that is kept behind on purpose', () => {
    const delayed = replica(2, { delaySeconds: 3_600, lagSeconds: 3_600 })
    expect(roles([primary(), delayed])).to.deep.equal(['pr', '--'])
    expect(roles([primary(), delayed, replica(3)])).to.deep.equal(['p-', '--', '-r'])
  })

  it('lets the primary read when no replica is left, or when it always may', () => {
    expect(roles([primary(), replica(2, { sql: 'stopped' })])).to.deep.equal(['pr', '--'])
    expect(roles([primary(), replica(2)], {}, { readOnPrimary: true })).to.deep.equal(['pr', '-r'])
  })

  it('carries the lag in seconds, plus one', () => {
    const words = flagWords(situation([primary(), replica(2, { lagSeconds: 7 })]).snapshot, rules)
    expect(words.map((word) => word >> FLAG_LAG_SHIFT)).to.deep.equal([0, 8])
    expect(words.every((word) => word & FLAG_KNOWN)).to.equal(true)
  })

  it('marks a primary that answers and is read-only as closed, while nothing moves the role', () => {
    const closed = (servers: readonly ServerSnapshot[], draft: SituationDraft = {}, mayOpen = true) =>
      flagWords(situation(servers, draft).snapshot, { ...rules, mayOpen: () => mayOpen }).map(
        (word) => (word & FLAG_PRIMARY_CLOSED) !== 0,
      )
    const readOnly = primary(1, { readOnly: true })
    expect(closed([readOnly, replica(2)])).to.deep.equal([true, false])
    expect(closed([primary(), replica(2)])).to.deep.equal([false, false])
    expect(closed([primary(1, { readOnly: true }, { maintenance: true }), replica(2)])).to.deep.equal([false, false])
    expect(closed([readOnly, replica(2)], { operation: running({ newPrimary: 'db2' }) })).to.deep.equal([false, false])
    expect(closed([readOnly, replica(2)], {}, false), 'it is missing transactions').to.deep.equal([false, false])
  })

  it('marks whether no other instance owns the cluster', () => {
    for (const owned of [true, false])
      expect(
        flagWords(situation([primary(), replica(2)]).snapshot, { ...rules, owned }).map(
          (word) => (word & FLAG_OWNED) !== 0,
        ),
      ).to.deep.equal([owned, owned])
  })

  it('has no valid server where the arbitration is lost while the sites are parted: checks answer no, agent checks too', () => {
    const words = flagWords(situation([primary(), replica(2)]).snapshot, {
      ...rules,
      readOnPrimary: true,
      frozen: true,
    })
    expect(words).to.deep.equal(Array(2).fill(FLAG_KNOWN | FLAG_PRIMARY_KNOWN | FLAG_REPLICA_KNOWN))
  })

  describe('knows', () => {
    const known = (servers: readonly ServerSnapshot[], draft: SituationDraft = {}) =>
      flagWords(situation(servers, draft).snapshot, rules).map(
        (word) => `${word & FLAG_PRIMARY_KNOWN ? 'P' : '-'}${word & FLAG_REPLICA_KNOWN ? 'R' : '-'}`,
      )

    const silent = (number: number): ServerSnapshot => ({ ...replica(number), ...refused })

    it('every role while the primary answers', () => {
      expect(known([primary(), replica(2)])).to.deep.equal(['PR', 'PR'])
      expect(known([primary(), silent(2)])).to.deep.equal(['PR', 'PR'])
    })

    it('not whether a primary that does not answer takes writes: only the manager may fail to reach it', () => {
      expect(known([primary(1, {}, refused), replica(2)])).to.deep.equal(['-R', 'PR'])
    })

    it('nothing while no server answers, or one was not probed yet', () => {
      expect(known([primary(1, {}, refused), silent(2)])).to.deep.equal(['--', '--'])
      const unseen = { ...replica(3), observation: 'unseen' as const }
      expect(known([primary(), replica(2), unseen])).to.deep.equal(['--', '-R', '--'])
    })

    it('that no server takes writes while the role moves', () => {
      expect(known([primary(), replica(2)], { operation: running({ newPrimary: 'db2' }) })).to.deep.equal(['PR', 'PR'])
    })
  })
})
