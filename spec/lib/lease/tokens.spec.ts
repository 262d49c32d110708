// What instances agree on about API tokens: nothing that one of them ended is valid again, whatever the order in which they learn of it.
import { expect } from 'chai'
import fc from 'fast-check'
import { isTokenLive } from '../../../lib/access/index.js'
import { DAY } from '../../../lib/base/time.js'
import { agreeOnTokens, joinTokens, parseToken, renderToken, type TokenKey } from '../../../lib/lease/tokens.js'
import type { StoredToken } from '../../../lib/store/index.js'

const NOW = 1_000 * DAY

const token = (change: Partial<StoredToken> = {}): StoredToken => ({
  ...{ id: 'a', user: 'ann', label: 'report', hash: 'h', grants: [], clusters: [] },
  ...{ createdAt: NOW - DAY, createdFrom: '10.0.0.1' },
  ...change,
})

const time = fc.integer({ min: NOW - 200 * DAY, max: NOW + 200 * DAY })

/** What instances can know of one token: its owner, text and creation are the same for all of them. */
const states = fc
  .record({
    clusters: fc.subarray(['c1', 'c2', 'c3']),
    expiresAt: fc.option(time, { nil: undefined }),
    revokedAt: fc.option(time, { nil: undefined }),
    lastUsedAt: fc.option(time, { nil: undefined }),
    ownerGoneAt: fc.option(time, { nil: undefined }),
  })
  .map(({ clusters, ...rest }) => {
    const given = Object.fromEntries(Object.entries(rest).filter(([, value]) => value !== undefined))
    return token({ clusters, ...given, ...(rest.revokedAt === undefined ? {} : { revokedBy: 'boss' }) })
  })

const reaches = ({ clusters }: StoredToken, cluster: string) => clusters.length === 0 || clusters.includes(cluster)
const opens = (one: StoredToken, cluster: string) => isTokenLive(one, NOW) && reaches(one, cluster)
const everywhere = ['c1', 'c2', 'c3', 'c4']
/** What the token opens now, for all to see. */
const power = (one: StoredToken) => everywhere.map((cluster) => opens(one, cluster))

describe('joinTokens', () => {
  it('opens what both open, and nothing else', () => {
    fc.assert(
      fc.property(states, states, (mine, theirs) => {
        const joined = joinTokens(mine, theirs, NOW)
        expect(power(joined)).to.deep.equal(everywhere.map((one) => opens(mine, one) && opens(theirs, one)))
      }),
    )
  })

  it('comes to the same whatever the order, and however often', () => {
    const join = (left: StoredToken, right: StoredToken) => joinTokens(left, right, NOW)
    fc.assert(
      fc.property(states, states, states, (one, two, three) => {
        const first = join(join(one, two), three)
        for (const other of [join(one, join(two, three)), join(three, join(two, one)), join(first, two)]) {
          expect(power(other)).to.deep.equal(power(first))
          expect(other.expiresAt).to.equal(first.expiresAt)
        }
        expect(join(one, one)).to.deep.equal(one)
      }),
    )
  })

  it('keeps who revoked it first, and the use that this instance knows', () => {
    const mine = token({ revokedAt: NOW - 5, revokedBy: 'late', lastUsedAt: 7, lastUsedFrom: 'here' })
    const theirs = token({ revokedAt: NOW - 9, revokedBy: 'early', lastUsedAt: 8, lastUsedFrom: 'there' })
    expect(joinTokens(mine, theirs, NOW)).to.include({ revokedBy: 'early', lastUsedFrom: 'here' })
  })
})

const ending = ({ expiresAt: _, ...one }: StoredToken, end: number | undefined): StoredToken => ({
  ...one,
  ...(end === undefined ? {} : { expiresAt: end }),
})

describe('agreeOnTokens', () => {
  /** One key as all instances see it, and each instance with a file of its own. */
  class Fleet {
    key: TokenKey | undefined
    #revision = 0
    readonly files: (StoredToken | undefined)[]

    constructor(files: readonly (StoredToken | undefined)[]) {
      this.files = [...files]
    }

    /** The instance reads `seen` and writes later: only where the key is still the one that it read. */
    agree(index: number, seen: TokenKey | undefined): void {
      const mine = this.files[index]
      const { known, writes, ended } = agreeOnTokens(mine ? [mine] : [], seen ? [seen] : [], NOW)
      this.files[index] = known[0]
      const changed = this.key?.changed ?? 0
      const [write] = writes
      if (write?.changed === changed) {
        this.#revision += 1
        this.key = { id: 'a', token: write.token, changed: this.#revision }
      }
      if (ended[0]?.changed === changed) this.key = undefined
    }
  }

  it('ends with one token at all instances, which no instance had ended', () => {
    const steps = fc.array(fc.tuple(fc.nat(2), fc.boolean()), { maxLength: 12 })
    const files = fc.array(fc.option(states, { nil: undefined }), { minLength: 3, maxLength: 3 })
    fc.assert(
      fc.property(files, fc.option(time, { nil: undefined }), steps, (drawn, end, order) => {
        // It was given its end when it was created, before anyone knew it.
        const begun = drawn.map((one) => one && ending(one, end))
        const fleet = new Fleet(begun)
        let late: TokenKey | undefined
        for (const [index, isLate] of order) {
          const seen = isLate ? late : fleet.key
          late = fleet.key
          fleet.agree(index, seen)
        }
        for (const index of [0, 1, 2, 0, 1, 2]) fleet.agree(index, fleet.key)
        const had = begun.filter((one) => one !== undefined)
        const wanted = everywhere.map((one) => had.length > 0 && had.every((each) => opens(each, one)))
        for (const file of fleet.files) expect(file ? power(file) : everywhere.map(() => false)).to.deep.equal(wanted)
      }),
    )
  })

  it('brings a revoked token in as revoked, and forgets no revocation before the token has expired', () => {
    const revoked = token({ revokedAt: NOW - 300 * DAY, revokedBy: 'boss' })
    expect(agreeOnTokens([revoked], [], NOW).writes).to.have.length(1)
    expect(agreeOnTokens([], [{ id: 'a', token: revoked, changed: 3 }], NOW).ended).to.deep.equal([])
    const expired = { ...revoked, expiresAt: NOW - 91 * DAY }
    const agreed = agreeOnTokens([token()], [{ id: 'a', token: expired, changed: 3 }], NOW)
    expect(agreed.known).to.deep.equal([])
    expect(agreed.ended.map(({ id, changed }) => ({ id, changed }))).to.deep.equal([{ id: 'a', changed: 3 }])
  })

  it('writes nothing that the others know already, or that is of this instance', () => {
    const used = token({ lastUsedAt: 5, lastUsedFrom: '10.0.0.9', ownerGoneAt: 6 })
    const { known, writes } = agreeOnTokens([used], [{ id: 'a', token: token(), changed: 3 }], NOW)
    expect(known).to.deep.equal([used])
    expect(writes).to.deep.equal([])
  })

  it('replaces a value of another shape by what this instance knows', () => {
    const { writes } = agreeOnTokens([token()], [{ id: 'a', changed: 3 }], NOW)
    expect(writes.map(({ changed }) => changed)).to.deep.equal([3])
  })
})

describe('parseToken', () => {
  it('reads what was written, and nothing under another id or of another shape', () => {
    fc.assert(
      fc.property(states, (one) => {
        const { lastUsedAt: _, ownerGoneAt: __, ...common } = one
        expect(parseToken('a', renderToken(one))).to.deep.equal(common)
      }),
    )
    expect(parseToken('b', renderToken(token()))).to.equal(undefined)
    for (const value of ['', '{', '[]', 'null', '{"id":"a"}']) expect(parseToken('a', value), value).to.equal(undefined)
  })
})
