// Whether a user may still have what it asked for, by the permissions in force.
import { expect } from 'chai'
import { type ApiToken, createAccess, judgeAsker } from '../../../lib/access/index.js'
import { secret } from '../../../lib/base/secret.js'

const asker = { user: 'ann', grants: ['cluster-switchover', 'cluster-failover'] }
const access = createAccess({
  credentials: secret('ann:first,bob:second'),
  allow: 'ann:cluster-failover show:shop,bob:cluster:shop',
  discard: '',
})
const token: ApiToken = {
  ...{ id: 'a1', user: 'ann', label: 'nightly', grants: [], clusters: [], createdAt: 0, createdFrom: '127.0.0.1' },
}
const sight = { access, token: () => token, userTokens: true, at: 100 }
const byToken = { ...asker, apiToken: 'a1' }

describe('judgeAsker', () => {
  for (const [title, given, seen] of [
    ['a user with one of the grants', asker, sight],
    ['a user with any grant, where any permits the work', { user: 'ann', grants: [] }, sight],
    ['an API token that is valid and opens the grant', byToken, sight],
    ['a user whose API tokens were switched off, who logged in', asker, { ...sight, userTokens: false }],
  ] as const)
    it(`permits ${title}`, () => expect(judgeAsker(given, 'shop', seen)).to.equal(undefined))

  for (const [title, given, cluster, seen, reason] of [
    ['a user that was removed', { ...asker, user: 'eve' }, 'shop', sight, 'the user eve that asked for it'],
    ['a cluster on which it has no grant', asker, 'lab', sight, 'grant cluster-switchover or cluster-failover on lab'],
    ['a grant that was taken away', { ...asker, grants: ['db-backup'] }, 'shop', sight, 'the grant db-backup on shop'],
    ['a user without any grant', { user: 'bob', grants: [] }, 'lab', sight, 'any grant on lab'],
    ['a revoked token', byToken, 'shop', { ...sight, token: () => ({ ...token, revokedAt: 50 }) }, 'the API token a1'],
    [
      'an expired token',
      byToken,
      'shop',
      { ...sight, token: () => ({ ...token, expiresAt: 100 }) },
      'the API token a1',
    ],
    ['a forgotten token', byToken, 'shop', { ...sight, token: () => undefined }, 'the API token a1'],
    ['a token of another user', byToken, 'shop', { ...sight, token: () => ({ ...token, user: 'bob' }) }, 'of ann'],
    ['tokens that were switched off', byToken, 'shop', { ...sight, userTokens: false }, 'is not valid any more'],
    [
      'a token of another cluster',
      byToken,
      'shop',
      { ...sight, token: () => ({ ...token, clusters: ['lab'] }) },
      'does not hold',
    ],
    [
      'a token without the grant',
      byToken,
      'shop',
      { ...sight, token: () => ({ ...token, grants: ['show'] }) },
      'does not hold',
    ],
  ] as const)
    it(`refuses ${title}, and says so`, () => expect(judgeAsker(given, cluster, seen)).to.contain(reason))
})
