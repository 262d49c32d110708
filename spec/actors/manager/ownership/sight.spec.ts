import { expect } from 'chai'
import { sightOf } from '../../../../actors/manager/ownership/sight.js'
import {
  NOW,
  primary,
  refused,
  replica,
  running,
  type ServerDraft,
  situation,
} from '../../../support/simulator/situation.js'

const context = { cluster: 'c1', at: NOW - 5, now: NOW, split: false, blindSince: NOW - 8_000 }
const seen = (first: ServerDraft, more: Partial<typeof context> = {}) =>
  sightOf(situation([primary(1, {}, first), replica(2), replica(3)]).snapshot, { ...context, ...more })

describe('sightOf', () => {
  it('says when the primary answered, and how many servers do', () => {
    expect(seen({ observedAt: NOW - 700 })).to.deep.equal({
      ...{ cluster: 'c1', at: NOW - 5 },
      sight: { primary: 'db1:3306', failing: false, sinceMs: 700, alive: 3, servers: 3, split: false },
    })
  })

  it('says since when the primary fails', () => {
    const { sight } = seen({ ...refused, failingSince: NOW - 2_500 }, { split: true }) ?? {}
    expect(sight).to.include({ primary: 'db1:3306', failing: true, sinceMs: 2_500, alive: 2, split: true })
  })

  it('takes a primary that is not known for one that fails since then', () => {
    const { primary: _, ...snapshot } = situation([primary(), replica(2)]).snapshot
    expect(sightOf(snapshot, context)?.sight).to.include({ primary: '', failing: true, sinceMs: 8_000 })
  })

  it('reports no failure while it moves the role itself', () => {
    const servers = [primary(1, {}, { ...refused, failingSince: NOW - 2_500 }), replica(2)]
    const { snapshot } = situation(servers, { operation: running({ kind: 'failover', newPrimary: 'db2' }) })
    expect(sightOf(snapshot, context)?.sight.failing).to.equal(false)
  })

  it('says nothing before every server was probed', () => {
    expect(seen({ observation: 'unseen' })).to.equal(undefined)
  })
})
