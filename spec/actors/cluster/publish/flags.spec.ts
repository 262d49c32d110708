import { expect } from 'chai'
import { flagWords } from '../../../../actors/cluster/publish/flags.js'
import {
  FLAG_KNOWN,
  FLAG_LAG_SHIFT,
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

const rules = { readOnPrimary: false, readOnPrimaryWithoutReplica: true, sourceName: '' }

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
})
