// A real OpenID Connect provider on loopback, whose user agrees to everything, and the browser that goes through it.
import { createServer, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import Provider from 'oidc-provider'
import { next } from '../wait.js'

export interface OidcProvider {
  readonly url: string
  readonly clientId: string
  readonly clientSecret: string
  /** Goes the way of a browser from this address; resolves with the address that the provider sends it back to. */
  follow(location: string): Promise<URL>
  close(): Promise<void>
}

/** Claims of its only user. */
export interface OidcUser {
  readonly sub: string
  readonly email?: string
  readonly email_verified?: boolean
  readonly preferred_username?: string
}

const CLIENT = 'manager'
const CLIENT_SECRET = 'client-secret-of-the-specs'

export async function startOidcProvider(user: () => OidcUser, redirectUrl: string): Promise<OidcProvider> {
  const server: Server = createServer()
  server.listen(0, '127.0.0.1')
  await next(server, 'listening', 'the server listens')
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
  const provider = new Provider(url, {
    clients: [{ client_id: CLIENT, client_secret: CLIENT_SECRET, redirect_uris: [redirectUrl] }],
    claims: { openid: ['sub'], email: ['email', 'email_verified'], profile: ['preferred_username'] },
    conformIdTokenClaims: false,
    features: { devInteractions: { enabled: false } },
    interactions: { url: (_ctx, interaction) => `/agree/${interaction.uid}` },
    findAccount: (_ctx, id) => ({ accountId: id, claims: () => ({ ...user(), sub: id }) }),
    loadExistingGrant: async ({ oidc }) => {
      const { Grant } = oidc.provider
      const grant = new Grant({ clientId: oidc.client?.clientId ?? '', accountId: oidc.session?.accountId ?? '' })
      grant.addOIDCScope('openid email profile')
      await grant.save()
      return grant
    },
    cookies: { keys: ['of the specs'] },
  })
  const handle = provider.callback()
  server.on('request', async (request, response) => {
    if (!request.url?.startsWith('/agree/')) return handle(request, response)
    await provider.interactionFinished(request, response, { login: { accountId: user().sub } })
  })
  return {
    ...{ url, clientId: CLIENT, clientSecret: CLIENT_SECRET },
    follow: async (location) => {
      const cookies = new Map<string, string>()
      let at = new URL(location)
      for (let hops = 0; at.origin === url && hops < 10; hops++) {
        const cookie = [...cookies].map(([name, value]) => `${name}=${value}`).join('; ')
        const answer = await fetch(at, { redirect: 'manual', headers: { cookie } })
        for (const line of answer.headers.getSetCookie()) {
          const [name = '', value = ''] = line.split(';')[0]?.split(/=(.*)/s) ?? []
          cookies.set(name, value)
        }
        const target = answer.headers.get('location')
        if (target === null) throw new Error(`the provider stops at ${at}: ${answer.status} ${await answer.text()}`)
        at = new URL(target, at)
      }
      return at
    },
    close: async () => {
      server.closeAllConnections()
      server.close()
      await next(server, 'close', 'the end of it')
    },
  }
}
