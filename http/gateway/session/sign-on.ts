// Single sign-on by OpenID Connect: authorization code with PKCE, state and nonce; the provider's user becomes one of ours.
import { LRUCache } from 'lru-cache'
import type * as Library from 'openid-client'
import { fail, ok, type Result } from '../../../lib/base/result.js'
import { reveal } from '../../../lib/base/secret.js'
import { MINUTE } from '../../../lib/base/time.js'
import type { Provider } from '../kit/options.js'

export interface SignOn {
  /** Where to send a user to log in. `disabled`, or `http-failed` when the provider does not answer. */
  begin(): Promise<Result<{ readonly location: string; readonly state: string }>>
  /** The name of who came back, by the query that the provider sent along. `wrong-credentials` for anything but a fresh, own login. */
  finish(query: Readonly<Record<string, string>>): Promise<Result<string>>
}

interface Pending {
  readonly verifier: string
  readonly nonce: string
}

/** How long a login at the provider may take, and how many may be under way. */
const UNDER_WAY = { max: 10_000, ttl: 10 * MINUTE }
const PROVIDER_SECONDS = 5

/** Only who has a provider needs it. */
const loadLibrary = (): Promise<typeof Library> => import('openid-client')

export function createSignOn(provider: () => Provider | undefined): SignOn {
  const pending = new LRUCache<string, Pending>(UNDER_WAY)
  const known = new LRUCache<string, Library.Configuration>({ max: 4, ttl: 10 * MINUTE })

  const configure = async (oidc: typeof Library, given: Provider): Promise<Library.Configuration> => {
    const key = JSON.stringify([given.url, given.clientId, reveal(given.clientSecret)])
    const cached = known.get(key)
    if (cached) return cached
    const plain = given.url.startsWith('http://') ? { execute: [oidc.allowInsecureRequests] } : {}
    const options = { ...plain, timeout: PROVIDER_SECONDS }
    const secret = reveal(given.clientSecret)
    const found = await oidc.discovery(new URL(given.url), given.clientId, secret, undefined, options)
    known.set(key, found)
    return found
  }

  return {
    begin: async () => {
      const given = provider()
      if (!given) return fail('disabled', 'api-oauth-provider-url is empty')
      try {
        const oidc = await loadLibrary()
        const configuration = await configure(oidc, given)
        const [verifier, state, nonce] = [oidc.randomPKCECodeVerifier(), oidc.randomState(), oidc.randomNonce()]
        const location = oidc.buildAuthorizationUrl(configuration, {
          redirect_uri: given.redirectUrl,
          scope: 'openid email profile',
          ...{ state, nonce },
          code_challenge: await oidc.calculatePKCECodeChallenge(verifier),
          code_challenge_method: 'S256',
        })
        pending.set(state, { verifier, nonce })
        return ok({ location: location.href, state })
      } catch (error) {
        return fail('http-failed', `${given.url}: ${reasonOf(error)}`)
      }
    },
    finish: async (query) => {
      const given = provider()
      if (!given) return fail('disabled', 'api-oauth-provider-url is empty')
      const { state = '' } = query
      const started = pending.get(state)
      pending.delete(state)
      if (!started) return fail('wrong-credentials', 'this login did not begin here, is over, or took too long')
      const url = new URL(given.redirectUrl)
      for (const [name, value] of Object.entries(query)) url.searchParams.set(name, value)
      try {
        const oidc = await loadLibrary()
        const tokens = await oidc.authorizationCodeGrant(await configure(oidc, given), url, {
          pkceCodeVerifier: started.verifier,
          expectedState: state,
          expectedNonce: started.nonce,
          idTokenExpected: true,
        })
        return nameOf(tokens.claims() ?? {}, given.claim)
      } catch (error) {
        return fail('wrong-credentials', `${given.url}: ${reasonOf(error)}`)
      }
    },
  }
}

/**
 * Only what the settings ask for: a name that anybody may take at the provider must not become a user of that name here,
 * and an address of which the provider does not say that it is verified is anybody's.
 */
function nameOf(claims: Readonly<Record<string, unknown>>, claim: Provider['claim']): Result<string> {
  const name = claims[claim]
  if (typeof name !== 'string' || name === '') return fail('wrong-credentials', `the provider sent no ${claim}`)
  if (claim === 'email' && claims.email_verified !== true)
    return fail('wrong-credentials', `the provider has not verified the address ${name}`)
  return ok(name)
}

const reasonOf = (error: unknown): string => (error instanceof Error ? error.message : String(error))
