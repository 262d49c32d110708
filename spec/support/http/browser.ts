// A browser as the gateway meets one: it keeps the cookie of its session and sends it where the cookie says.
import type { Answer, TestGateway } from './test-gateway.js'

export interface BrowserAsk {
  readonly headers?: Readonly<Record<string, string>>
  readonly tls?: boolean
  /** Sent as JSON. */
  readonly body?: unknown
}

export class Browser {
  /** `name=value`. */
  cookie: string | undefined
  #gateway: Pick<TestGateway, 'ask'>

  constructor(gateway: Pick<TestGateway, 'ask'>, cookie?: string) {
    this.#gateway = gateway
    this.cookie = cookie
  }

  moveTo(gateway: Pick<TestGateway, 'ask'>): void {
    this.#gateway = gateway
  }

  async ask(method: string, path: string, { headers = {}, tls = false, body }: BrowserAsk = {}): Promise<Answer> {
    const isSent = this.cookie !== undefined && path.startsWith('/api/session')
    const answer = await this.#gateway.ask(path, {
      ...{ method, tls },
      headers: {
        ...(isSent ? { Cookie: `other=1; ${this.cookie}` } : {}),
        ...(body === undefined ? {} : { 'Content-Type': 'application/json' }),
        ...headers,
      },
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
    })
    const [set] = answer.headers['set-cookie'] ?? []
    if (set !== undefined) this.cookie = /Max-Age=0/.test(set) ? undefined : set.split(';')[0]
    return answer
  }

  login({
    user = 'boss',
    password = 'right-password',
    ...asked
  }: Omit<BrowserAsk, 'body'> & { readonly user?: string; readonly password?: string } = {}): Promise<Answer> {
    return this.ask('POST', '/api/session', { ...asked, body: { username: user, password } })
  }

  refresh(asked: BrowserAsk = {}): Promise<Answer> {
    return this.ask('POST', '/api/session/refresh', asked)
  }

  logout(asked: BrowserAsk = {}): Promise<Answer> {
    return this.ask('DELETE', '/api/session', asked)
  }

  link(code: string, asked: BrowserAsk = {}): Promise<Answer> {
    return this.ask('POST', '/api/session/link', { ...asked, body: { code } })
  }

  /** The status of a read with the token. */
  async reads(token: string): Promise<number> {
    return (await this.#gateway.ask('/api/clusters', { headers: { Authorization: `Bearer ${token}` } })).status
  }
}
