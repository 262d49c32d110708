import { expect } from 'chai'
import fc from 'fast-check'
import { assign, type Fleet, nextMove, type Owners } from '../../../lib/lease/assign.js'

const instance = (id: string, site = '') => ({ id, site })
const cluster = (name: string, weight = 3, site = '') => ({ name, weight, site })

/** The fleet when every move has been made. */
function settled({ instances, clusters, owners }: Fleet): { readonly owners: Owners; readonly moves: number } {
  const now = new Map(assign({ instances, clusters, owners }))
  for (let moves = 0; ; moves += 1) {
    const move = nextMove({ instances, clusters, owners: now })
    if (!move) return { owners: now, moves }
    expect(moves, 'moves end').to.be.below(clusters.length * instances.length * 4)
    // As it happens: the cluster is free for a moment, and every instance computes which one takes it.
    now.delete(move.cluster)
    const taken = assign({ instances, clusters, owners: now }).get(move.cluster)
    expect(taken).to.equal(move.to)
    now.set(move.cluster, move.to)
  }
}

const fleets = fc
  .record({
    instances: fc.uniqueArray(fc.constantFrom('a', 'b', 'c', 'd'), { minLength: 1, maxLength: 4 }),
    weights: fc.array(fc.integer({ min: 1, max: 7 }), { maxLength: 12 }),
    owners: fc.array(fc.constantFrom('a', 'b', 'c', 'gone', ''), { maxLength: 12 }),
    sites: fc.array(fc.constantFrom('', '', 'x', 'y'), { maxLength: 12 }),
  })
  .map(
    ({ instances, weights, owners, sites }): Fleet => ({
      instances: instances.map((id) => instance(id, id < 'c' ? 'x' : 'y')),
      clusters: weights.map((weight, index) => cluster(`c${index}`, weight, sites[index])),
      owners: new Map(owners.flatMap((id, index) => (id === '' ? [] : [[`c${index}`, id] as const]))),
    }),
  )

describe('assign', () => {
  it('gives every cluster to one instance that is there, and leaves owners that may stay', () => {
    fc.assert(
      fc.property(fleets, (fleet) => {
        const wanted = assign(fleet)
        for (const { name, site } of fleet.clusters) {
          const sites = fleet.instances.filter((one) => site === '' || one.site === site)
          const permitted = (sites.length > 0 ? sites : fleet.instances).map(({ id }) => id)
          expect(permitted).to.include(wanted.get(name))
          const owner = fleet.owners.get(name)
          if (owner !== undefined && permitted.includes(owner)) expect(wanted.get(name)).to.equal(owner)
        }
      }),
    )
  })

  it('is the same for everyone, in whatever order the fleet is listed', () => {
    fc.assert(
      fc.property(fleets, (fleet) => {
        const { instances, clusters } = fleet
        const reversed = { ...fleet, instances: [...instances].reverse(), clusters: [...clusters].reverse() }
        expect([...assign(reversed)].sort()).to.deep.equal([...assign(fleet)].sort())
        expect(nextMove(reversed)).to.deep.equal(nextMove(fleet))
      }),
    )
  })

  it('is empty without an instance', () => {
    expect(assign({ instances: [], clusters: [cluster('c')], owners: new Map() }).size).to.equal(0)
  })
})

describe('nextMove', () => {
  it('comes to an end, and then no move would make the load more even', () => {
    fc.assert(
      fc.property(fleets, (fleet) => {
        const { owners } = settled(fleet)
        expect(nextMove({ ...fleet, owners })).to.equal(undefined)
      }),
    )
  })

  it('gives an instance that joins its share, and no cluster moves twice', () => {
    const clusters = Array.from({ length: 30 }, (_, index) => cluster(`c${index}`))
    const one = assign({ instances: [instance('a'), instance('b')], clusters, owners: new Map() })
    const { owners, moves } = settled({ instances: ['a', 'b', 'c'].map((id) => instance(id)), clusters, owners: one })
    expect(moves).to.equal(10)
    for (const id of ['a', 'b', 'c']) expect([...owners.values()].filter((owner) => owner === id)).to.have.length(10)
  })

  it('brings a cluster to its site', () => {
    const fleet = { instances: [instance('a', 'x'), instance('b', 'y')], clusters: [cluster('c', 3, 'y')] }
    expect(nextMove({ ...fleet, owners: new Map([['c', 'a']]) })).to.deep.equal({ cluster: 'c', to: 'b' })
  })
})
