// Who asked for work that begins later, or lasts in steps: kept with the work, and judged again before each step of it.
import * as z from 'zod'
import type { Access } from './access.js'
import { type ApiToken, isTokenLive, scopeOf } from './api-token.js'

/** A user knows its work by name only, like an API token its owner: a change of the password does not end it. */
export interface Asker {
  readonly user: string
  /** Id of the API token that asked: the work ends with it. */
  readonly apiToken?: string
  /** The session of a browser that asked. It is recorded; a logout ends no work. */
  readonly session?: string
  /** Any one of them permits the work; none: any grant on the cluster does. */
  readonly grants: readonly string[]
}

/** As files keep it. */
export const askerShape: z.ZodType<Asker> = z.object({
  user: z.string(),
  apiToken: z.string().exactOptional(),
  session: z.string().exactOptional(),
  grants: z.array(z.string()),
})

/** The permissions in force. */
export interface AskerSight {
  readonly access: Pick<Access, 'knows' | 'may' | 'sees'>
  /** Undefined: there is no such token any more. */
  readonly token: (id: string) => ApiToken | undefined
  /** `api-user-tokens` */
  readonly userTokens: boolean
  readonly at: number
}

/** Why the work is not permitted any more: who, and what is missing. Undefined: it is permitted. */
export function judgeAsker(
  { user, apiToken, grants }: Asker,
  cluster: string,
  { access, token: find, userTokens, at }: AskerSight,
): string | undefined {
  if (!access.knows({ user })) return `the user ${user} that asked for it does not exist any more`
  const token = apiToken === undefined ? undefined : find(apiToken)
  if (apiToken !== undefined && !(token && userTokens && token.user === user && isTokenLive(token, at)))
    return `the API token ${apiToken} of ${user} that asked for it is not valid any more`
  const scope = token && scopeOf(token)
  const holds = (grant: string) =>
    access.may({ user }, grant, cluster) && (scope === undefined || scope.opens(grant, cluster))
  const sees = () => access.sees({ user }, cluster) && (scope === undefined || scope.reaches(cluster))
  if (grants.length === 0 ? sees() : grants.some(holds)) return undefined
  const missing = grants.length === 0 ? 'any grant' : `the grant ${grants.join(' or ')}`
  return `${user} that asked for it does not hold ${missing} on ${cluster} any more`
}
