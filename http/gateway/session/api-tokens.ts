// API tokens as the routes use them: created, listed and revoked by their owners and by users that manage tokens.

import type { Caller } from '../../../actors/protocol/manager/face.js'
import { holderOf } from '../../../lib/access/bound/index.js'
import { type ApiToken, grantToken, isTokenLive } from '../../../lib/access/index.js'
import { fail, ok, type Result } from '../../../lib/base/result.js'
import { now } from '../../../lib/base/time.js'
import type { TokenIssuer } from '../../api/kit/route.js'
import { renderToken } from '../../api/views/kit/token.js'
import type { SessionParts } from './session-parts.js'

/** Grants that let a user see and revoke the tokens of others on a cluster; the last is what older lists give. */
export const tokenManagers = ['token-manage', 'cluster-grant'] as const

type IssuerParts = Pick<SessionParts, 'tokens' | 'live' | 'clusters' | 'log'>

export function createTokenIssuer({ tokens, live, clusters, log }: IssuerParts): TokenIssuer {
  const denied = (caller: Caller, why: string): Result<never> => {
    log('warn', 'api_token_denied', { user: caller.user, address: caller.address, why })
    return fail('no-grant', why)
  }
  const foreignTo = ({ user, apiToken, sees }: Caller): readonly string[] =>
    apiToken === undefined ? clusters().filter((name) => live().access.sees({ user }, name) && !sees(name)) : []
  const judge = (caller: Caller, id: string): Result<ApiToken> => {
    const token = tokens.get(id)
    if (!token) return fail('unknown-token', `there is no token ${id}`)
    const places = token.clusters.length > 0 ? token.clusters : ['', ...clusters()]
    const manages = places.every((cluster) => tokenManagers.some((grant) => caller.may(grant, cluster)))
    if ((isOwn(token, caller) && !reachesAny(token, foreignTo(caller))) || manages) return ok(token)
    return fail('no-grant', 'the token is not yours to revoke')
  }
  return {
    issue: async (caller, request) => {
      const { userTokens, tokenDays } = live()
      if (!userTokens) return denied(caller, 'API tokens are disabled (api-user-tokens)')
      if (caller.apiToken !== undefined) return denied(caller, 'an API token cannot create tokens; log in')
      const { may, sees } = caller
      const scope = grantToken(request, {
        ...{ may, sees, foreign: foreignTo(caller), clusters: clusters() },
        ...{ defaultDays: tokenDays, at: Math.floor(now()) },
      })
      if (!scope.ok) return scope
      const holder = holderOf(caller, undefined, () =>
        scope.value.clusters.length > 0 ? scope.value.clusters : clusters(),
      )
      const made = await tokens.issue({ ...scope.value, user: caller.user, createdFrom: caller.address }, holder)
      if (!made.ok) return made
      const { record, token } = made.value
      log('info', 'api_token_created', { ...traceOf(record), address: caller.address })
      return ok({ ...renderToken(record, now()), token })
    },
    own: (caller) =>
      tokens
        .list()
        .filter((token) => token.user === caller.user && !reachesAny(token, foreignTo(caller)))
        .map((token) => renderToken(token, now())),
    on: (cluster) =>
      tokens
        .list()
        .filter((token) => covers(token, cluster))
        .map((token) => renderToken(token, now())),
    revocable: (caller, id) => {
      const token = judge(caller, id)
      return token.ok ? ok(renderToken(token.value, now())) : token
    },
    revoke: async (caller, id) => {
      const judged = judge(caller, id)
      if (!judged.ok) return judged.failure.code === 'no-grant' ? denied(caller, judged.failure.message) : judged
      const revoked = await tokens.revoke(id, caller.user)
      if (!revoked.ok) return revoked
      log('info', 'api_token_revoked', { ...traceOf(judged.value), by: caller.user, address: caller.address })
      return ok(renderToken(revoked.value, now()))
    },
  }
}

/** An API token ends itself at most: it opens no more than its scope, and the others of its owner are not in it. */
const isOwn = ({ id, user }: ApiToken, caller: Caller): boolean =>
  user === caller.user && (caller.apiToken === undefined || caller.apiToken === id)

/** Whether it opens one of the clusters, where the same name may be another user. */
const reachesAny = ({ clusters }: ApiToken, names: readonly string[]): boolean =>
  names.some((name) => clusters.length === 0 || clusters.includes(name))

const covers = (token: ApiToken, cluster: string): boolean =>
  isTokenLive(token, now()) && (token.clusters.length === 0 || token.clusters.includes(cluster))

const traceOf = ({ id, user, label, grants, clusters }: ApiToken) => ({ id, user, label, grants, clusters })
