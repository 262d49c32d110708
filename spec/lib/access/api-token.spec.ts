// API tokens narrow what their owner may do, and never widen it.
import { expect } from 'chai'
import fc from 'fast-check'
import { createAccess } from '../../../lib/access/access.js'
import { type ApiToken, grantToken, isTokenLive, scopeOf } from '../../../lib/access/api-token.js'
import { expandGrant, grants } from '../../../lib/access/grants.js'
import { secret } from '../../../lib/base/secret.js'
import { DAY } from '../../../lib/base/time.js'

const access = createAccess({
  credentials: secret('ann:1,bob:2'),
  allow: 'ann:db cluster-show,bob:show:c1',
  discard: '',
})
const clusters = ['c1', 'c2']
const ask = (user: string, request: Partial<Parameters<typeof grantToken>[0]>) =>
  grantToken(
    { label: 'x', grants: '', clusters: [], expireDays: 0, ...request },
    {
      may: (grant, cluster) => access.may({ user }, grant, cluster),
      sees: (cluster) => access.sees({ user }, cluster),
      ...{ foreign: [], clusters, defaultDays: 120, at: 0 },
    },
  )
const token = (part: Partial<ApiToken>): ApiToken => ({
  ...{ id: '0', user: 'ann', label: 'x', grants: [], clusters: [], createdAt: 0, createdFrom: '' },
  ...part,
})

describe('grantToken', () => {
  it('takes everything the owner holds when nothing is named', () => {
    expect(ask('ann', {})).to.deep.equal({
      ok: true,
      value: { label: 'x', grants: [], clusters: [], expiresAt: 120 * DAY },
    })
  })

  it('keeps words and clusters once each', () => {
    const made = ask('ann', { grants: ' db-start db-start\tdb-stop', clusters: ['c1', 'c1'], expireDays: 1 })
    expect(made).to.deep.equal({
      ok: true,
      value: { label: 'x', grants: ['db-start', 'db-stop'], clusters: ['c1'], expiresAt: DAY },
    })
  })

  it('never ends when that is asked for', () => {
    expect(ask('ann', { expireDays: -1 }))
      .to.have.property('value')
      .that.does.not.have.property('expiresAt')
  })

  for (const [what, request, problem] of [
    ['a word that is no grant', { grants: 'db-strat' }, 'grants: db-strat is not a grant; did you mean db-start?'],
    ['a star', { grants: '*' }, 'grants: * is not a grant'],
    ['a grant that is not held', { grants: 'prov' }, 'grants: you hold no prov anywhere'],
    ['a cluster that is not there', { clusters: ['c9'] }, 'clusters: c9 is not one of your clusters'],
  ] as const) {
    it(`refuses ${what}`, () => {
      expect(ask('ann', request)).to.deep.equal({ ok: false, failure: { code: 'bad-request', message: problem } })
    })
  }

  it('refuses what is held elsewhere only, and clusters that are not seen', () => {
    expect(ask('bob', { clusters: ['c2'] }).ok).to.equal(false)
    expect(ask('bob', { grants: 'show', clusters: ['c1'] }).ok).to.equal(true)
  })
})

describe('scopeOf', () => {
  it('opens exactly the grants and clusters of the token', () => {
    const anyWord = fc.constantFrom(...grants, 'db', 'cluster', 'sho')
    fc.assert(
      fc.property(
        fc.array(anyWord, { maxLength: 3 }),
        fc.subarray(['c1', 'c2']),
        fc.tuple(fc.constantFrom(...grants), fc.constantFrom('', 'c1', 'c2', 'c3')),
        (words, reached, [grant, cluster]) => {
          const scope = scopeOf(token({ grants: words, clusters: reached }))
          const inClusters = reached.length === 0 || reached.includes(cluster)
          const inGrants = words.length === 0 || words.flatMap(expandGrant).includes(grant)
          expect(scope.opens(grant, cluster)).to.equal(inClusters && inGrants)
          expect(scope.reaches(cluster)).to.equal(inClusters)
        },
      ),
    )
  })
})

describe('isTokenLive', () => {
  it('ends with its time and when it is revoked', () => {
    expect([isTokenLive(token({}), 5), isTokenLive(token({ expiresAt: 6 }), 5)]).to.deep.equal([true, true])
    expect([isTokenLive(token({ expiresAt: 5 }), 5), isTokenLive(token({ revokedAt: 9 }), 5)]).to.deep.equal([
      false,
      false,
    ])
  })
})
