// Every interleaving of two instances, etcd, one database and the clock, over the functions that decide.
import { expect } from 'chai'
import { explore } from '../../support/lease/explorer.js'
import { cases } from '../../support/run/soak.js'

/** Seconds: 140,217 states in four of them, 825,329 in six. */
const horizon = cases({ commit: 4, soak: 6 })

describe('Ownership of one cluster by two instances', function () {
  this.timeout(600_000)

  it('never lets an earlier owner act on a database that a later one has claimed', () => {
    const { violation, states, laterActs } = explore({ horizon })
    expect(violation).to.equal(undefined)
    expect(states).to.be.above(1_000)
    expect(laterActs, 'the later owner acts somewhere').to.equal(true)
  })

  for (const [fault, options] of [
    ['databases do not know the owner', { fenced: false }],
    ['the term counts from the reply, and databases do not know the owner', { fenced: false, countsFromReply: true }],
    ['the later owner ends no sessions', { kills: false }],
  ] as const)
    it(`would find it where ${fault}`, () => {
      expect(explore({ horizon, ...options }).violation).to.not.equal(undefined)
    })
})
