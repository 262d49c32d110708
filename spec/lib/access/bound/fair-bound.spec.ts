import { expect } from 'chai'
import {
  createFairShares,
  type FairBound,
  type Holder,
  holderOf,
  judgeShare,
  SERVICE,
  type Share,
  sharedBounds,
} from '../../../../lib/access/bound/index.js'
import { createAccess } from '../../../../lib/access/index.js'
import { secret } from '../../../../lib/base/secret.js'

const bound: FairBound = {
  ...{ unit: 'things', total: 100, reserve: 10, perCluster: 40, perUser: 15 },
  ...{ failure: 'bound-reached', remedy: 'end some of them' },
}

const user = (name: string, ...clusters: readonly string[]): Holder => ({
  ...{ user: name, clusters, isGlobal: false },
  mayName: () => false,
})
const admin = (name = 'root'): Holder => ({ user: name, clusters: [], isGlobal: true, mayName: () => true })

/** Takes all that it gets, for one user after the other. */
function fill(held: Share[], users: readonly Holder[]): number {
  const before = held.length
  for (const holder of users)
    for (let judged = judgeShare(bound, held, holder); judged.ok; judged = judgeShare(bound, held, holder))
      held.push(judged.value)
  return held.length - before
}

const crowd = (many: number, ...clusters: readonly string[]) =>
  Array.from({ length: many }, (_, index) => user(`user-${index}`, ...clusters))

const refusal = (held: readonly Share[], holder: Holder): string => {
  const judged = judgeShare(bound, held, holder)
  return judged.ok ? 'free' : judged.failure.message
}

describe('judgeShare', () => {
  it('gives one user of a cluster a part of what the cluster may have', () => {
    expect(fill([], [user('eve', 'a')])).to.equal(15)
  })

  it('gives the users of one cluster a part, however many they are', () => {
    const held: Share[] = []
    expect(fill(held, crowd(50, 'a'))).to.equal(40)
    expect(fill(held, crowd(50, 'b')), 'the next cluster').to.be.greaterThan(20)
  })

  it('leaves something for the next cluster, however many clusters one owner has', () => {
    const held: Share[] = []
    const clusters = Array.from({ length: 8 }, (_, index) => `mine-${index}`)
    const taken = fill(held, crowd(100, ...clusters))
    expect(taken).to.be.lessThan(bound.total - bound.reserve)
    expect(fill(held, [user('bob', 'b')])).to.be.greaterThan(0)
  })

  it('counts what belongs to all clusters of a user against the one that holds least', () => {
    const held: Share[] = [{ cluster: 'a', user: 'x' }]
    expect(judgeShare(bound, held, user('eve', 'a', 'b'))).to.deep.equal({
      ok: true,
      value: { cluster: 'b', user: 'eve' },
    })
  })

  it('counts users of the same name in different clusters apart', () => {
    const held: Share[] = []
    fill(held, [user('bob', 'a')])
    expect(fill(held, [user('bob', 'b')])).to.equal(15)
  })

  it('gives users without a cluster one part together', () => {
    const held: Share[] = []
    expect(fill(held, crowd(50))).to.equal(40)
    expect(fill(held, [user('eve', 'a')])).to.equal(15)
  })

  it('keeps a reserve for callers with a grant of the whole service, who count against no cluster', () => {
    const held: Share[] = []
    for (const cluster of Array.from({ length: 60 }, (_, index) => `c${index}`)) fill(held, crowd(50, cluster))
    expect(held.length).to.be.within(bound.total - bound.reserve - 10, bound.total - bound.reserve)
    expect(fill(held, [admin()])).to.be.at.least(bound.reserve)
    expect(held.at(-1)?.cluster).to.equal(SERVICE)
  })

  it('names the bound, its number, what to do, and nobody whom the caller may not see', () => {
    const held: Share[] = []
    fill(held, [user('eve', 'a'), user('ann', 'a'), user('cal', 'a')])
    expect(refusal(held, user('eve', 'a'))).to.equal('things: eve has all 15 of one user in a; end some of them')
    expect(refusal(held, user('dan', 'a'))).to.equal(
      'things: a has all 40 of one cluster, 0 of them by dan; end some of them',
    )
    expect(refusal(held, { ...user('dan', 'a'), mayName: () => true })).to.equal(
      'things: a has all 40 of one cluster, most by eve (15); end some of them',
    )
    fill(held, crowd(9, 'b'))
    expect(refusal(held, user('bob', 'b'))).to.match(
      /^things: b has 25, 0 of them by bob, and no cluster takes more than is left for the others: 25 of 90; end/,
    )
    fill(held, [admin('root'), admin('other'), admin('third')])
    expect(refusal(held, admin('late'))).to.equal('things: all 100 are taken, most by a (40); end some of them')
  })
})

describe('createFairShares', () => {
  it('gives back what has ended, once', () => {
    const shares = createFairShares({ ...bound, perUser: 1 })
    const first = shares.take(user('eve', 'a'))
    expect(shares.take(user('eve', 'a')).ok).to.equal(false)
    if (!first.ok) throw new Error(first.failure.message)
    first.value()
    first.value()
    const again = shares.take(user('eve', 'a'))
    expect([again.ok, shares.take(user('eve', 'a')).ok]).to.deep.equal([true, false])
  })
})

describe('holderOf', () => {
  const access = createAccess({
    credentials: secret('root:1,eve:2,both:3,guest:4,show:5'),
    allow: 'root:global,eve:cluster db:lab,both:cluster-alert:lab shop,show:global-admin-show',
    discard: '',
  })
  const all = () => ['lab', 'shop', 'other']
  const holder = (name: string, cluster?: string) =>
    holderOf(
      {
        ...{ user: name, address: '192.0.2.1' },
        may: (grant, place) => access.may({ user: name }, grant, place),
        sees: (place) => access.sees({ user: name }, place),
      },
      cluster,
      all,
    )

  it('is of the cluster of the request, or of all on which it holds a grant', () => {
    expect(holder('eve', 'lab').clusters).to.deep.equal(['lab'])
    expect(holder('both').clusters).to.deep.equal(['lab', 'shop'])
    expect(holder('guest').clusters).to.deep.equal([])
  })

  it('takes nothing of a cluster on which it holds no grant', () => {
    expect(holder('eve', 'shop').clusters).to.deep.equal(['lab'])
    expect(holder('', 'shop')).to.deep.include({ user: '192.0.2.1', clusters: [] })
  })

  it('serves the whole service with any grant of it, and names users to who may list them', () => {
    expect([holder('root').isGlobal, holder('show', 'lab').isGlobal, holder('eve').isGlobal]).to.deep.equal([
      true,
      true,
      false,
    ])
    expect([holder('eve').mayName('lab'), holder('both').mayName('lab')]).to.deep.equal([true, false])
  })
})

describe('sharedBounds', () => {
  it('leave room for others and for administrators', () => {
    for (const { unit, total, reserve, perCluster, perUser } of Object.values(sharedBounds)) {
      expect(perUser, unit).to.be.at.most(perCluster)
      expect(perCluster * 2, unit).to.be.at.most(total - reserve)
      expect(reserve, unit).to.be.greaterThan(0)
    }
  })
})
