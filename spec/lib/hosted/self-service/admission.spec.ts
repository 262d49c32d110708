// The checks of a creation: their order over every combination, and 50 creations one after the other.
import { expect } from 'chai'
import fc from 'fast-check'
import { judgeDoor, judgeRoom, neededUnits, type Offer } from '../../../../lib/hosted/index.js'

const offer: Offer = {
  ...{ isOn: true, isHosted: true, orchestrator: 'local', maxClusters: 3 },
  plan: { dbu: 2, apu: 1, bku: 0 },
  ...{ pool: { cores: 16, memoryMb: 65_536, quotaPct: 100 }, canBorrow: false },
}
const ann = { identity: 'ann@shop.example', isSignOn: true, hasApiToken: false }
const none = { dbu: 0, apu: 0 }
const textOf = (result: ReturnType<typeof judgeDoor>): string =>
  result.ok ? 'open' : `${result.failure.code} ${result.failure.message}`

describe('judgeDoor', () => {
  /** In the order of the contract: what closes the door, and by what it is known. */
  const closers = [
    [{}, { isSignOn: false }, /^no-grant .*cluster-create or prov-cluster/],
    [{}, { hasApiToken: true }, /^self-service-refused an API token/],
    [{ isOn: false }, {}, /^self-service-refused hosted-self-service-clusters is off/],
    [{ isHosted: false }, {}, /^self-service-refused hosted is off/],
    [{ barrier: 'not offered' }, {}, /^self-service-refused orchestrator local: not offered/],
  ] as const

  it('names the first of all reasons that hold, in their order', () => {
    for (let holding = 0; holding < 1 << closers.length; holding += 1) {
      const held = closers.filter((_, index) => (holding >> index) % 2 === 1)
      const given: Offer = Object.assign({}, offer, ...held.map(([more]) => more))
      const applicant: typeof ann = Object.assign({}, ann, ...held.map(([, more]) => more))
      const first = held[0]?.[2] ?? /^open$/
      expect(textOf(judgeDoor(given, applicant)), `${holding}`).to.match(first)
    }
  })
})

describe('judgeRoom', () => {
  const room = (more: Partial<Offer>, sponsored: number, sold = none) =>
    judgeRoom({ ...offer, ...more }, { sold, over: none, sponsored: Array.from({ length: sponsored }, String) })

  it('judges the clusters of the identity before the pool, with the figures of either', () => {
    const full = { dbu: 16, apu: 0 }
    expect(room({}, 3, full)).to.nested.include({
      'failure.code': 'self-service-refused',
      'failure.message': '3 of 3 clusters are in use: drop one first',
    })
    expect(room({}, 2, full)).to.nested.include({
      'failure.message': '4 DBU and 1 APU are needed, 0 DBU or 0 APU of the pool are free',
    })
    expect(room({}, 2)).to.nested.include({ ok: true, 'value.verdict': 'guaranteed' })
    expect(room({ maxClusters: 0 }, 0).ok).to.equal(false)
  })

  it('lends with a note what the quota does not guarantee', () => {
    const quota = { pool: { ...offer.pool, quotaPct: 25 }, canBorrow: true }
    expect(room(quota, 0)).to.deep.equal({
      ok: true,
      value: {
        verdict: 'borrowed',
        note: '4 DBU and 1 APU are needed, 4 DBU or 4 APU of the pool are free, 16 DBU or 16 APU can be borrowed: the plan is not guaranteed',
      },
    })
    expect(room({ ...quota, canBorrow: false }, 0).ok).to.equal(false)
  })

  it('lets no row of creations pass the limit of an identity, or the pool', () => {
    const creations = fc.array(fc.nat(6), { minLength: 50, maxLength: 50 })
    const pools = fc.record({
      cores: fc.nat(60),
      memoryMb: fc.nat(200_000),
      quotaPct: fc.integer({ min: 1, max: 120 }),
    })
    const offers = fc.record({ pool: pools, maxClusters: fc.nat(5), canBorrow: fc.boolean() })
    fc.assert(
      fc.property(creations, offers, (identities, terms) => {
        const given = { ...offer, ...terms }
        const { pool, maxClusters, canBorrow } = given
        const need = neededUnits(given)
        const held = new Map<number, string[]>()
        let sold = none
        for (const identity of identities) {
          const sponsored = held.get(identity) ?? []
          if (!judgeRoom(given, { sold, over: none, sponsored }).ok) continue
          held.set(identity, [...sponsored, `c${sold.dbu}`])
          sold = { dbu: sold.dbu + need.dbu, apu: sold.apu + need.apu }
        }
        const share = canBorrow ? Math.max(100, pool.quotaPct) : pool.quotaPct
        for (const { length } of held.values()) expect(length).to.be.at.most(maxClusters)
        if (pool.cores > 0) expect((sold.dbu + sold.apu) * 100).to.be.at.most(pool.cores * share)
        if (pool.memoryMb > 0) expect((sold.dbu * 4096 + sold.apu * 2048) * 100).to.be.at.most(pool.memoryMb * share)
      }),
      { numRuns: 500 },
    )
  })
})
