// A hosted service on loopback with a state of its own: the registration API, with faults.
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http'
import type { AddressInfo, Socket } from 'node:net'
import { next } from '../wait.js'

/** hang: no answer. gone: the connection ends. The others are answers that no client can use. */
export type Fault = 'hang' | 'gone' | 'error' | 'no-json' | 'huge' | 'redirect' | 'echo'

interface Account {
  readonly id: number
  readonly password: string
  /** The owner has opened the link of the mail. */
  confirmed: boolean
}

export interface ServiceRequest {
  readonly method: string
  readonly path: string
  readonly body: Readonly<Record<string, unknown>>
  readonly authorization: string
}

/** Status and body. */
type Answer = readonly [number, unknown]

type Handle = (request: ServiceRequest) => Answer

const PLANS = ['free', 'support', 'support-services', 'partner']

export class HostedService {
  readonly accounts = new Map<string, Account>()
  /** By URI. */
  readonly instances = new Map<string, { readonly email: string; plan: string }>()
  /** `group/project`. */
  readonly projects = new Set<string>()
  readonly requests: ServiceRequest[] = []
  /** By the beginning of `METHOD /path`; it stays until it is deleted. */
  readonly faults = new Map<string, Fault>()
  port = 0
  readonly #sockets = new Set<Socket>()
  #server: Server | undefined
  #ids = 100

  async open(port = 0): Promise<void> {
    const server = createServer((request, response) => void this.#serve(request, response))
    server.on('connection', (socket) => {
      this.#sockets.add(socket)
      socket.on('close', () => this.#sockets.delete(socket))
    })
    server.listen(port, '127.0.0.1')
    await next(server, 'listening', 'the server listens')
    this.port = (server.address() as AddressInfo).port
    this.#server = server
  }

  get url(): string {
    return `http://127.0.0.1:${this.port}`
  }

  /** The owner of the address opens the link of the mail. */
  confirmMail(email: string): void {
    const account = this.accounts.get(email)
    if (account) account.confirmed = true
  }

  /** How often this was asked: `POST /api/register`. */
  count(asked: string): number {
    return this.requests.filter(({ method, path }) => `${method} ${path.split('?')[0]}` === asked).length
  }

  async close(): Promise<void> {
    for (const socket of this.#sockets) socket.destroy()
    await new Promise((resolve) => this.#server?.close(resolve) ?? resolve(undefined))
  }

  async #serve(message: IncomingMessage, response: ServerResponse): Promise<void> {
    const chunks: Buffer[] = []
    for await (const chunk of message) chunks.push(chunk as Buffer)
    const text = Buffer.concat(chunks).toString()
    const request = {
      ...{ method: message.method ?? '', path: message.url ?? '', body: parsed(text) },
      authorization: message.headers.authorization ?? '',
    }
    this.requests.push(request)
    const called = `${request.method} ${request.path}`
    const fault = [...this.faults].find(([start]) => called.startsWith(start))?.[1]
    if (fault) return this.#fail(fault, { message, response, text })
    const [status, body] = this.#answer(request)
    response.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(body))
  }

  #fail(
    fault: Fault,
    {
      message,
      response,
      text,
    }: { readonly message: IncomingMessage; readonly response: ServerResponse; readonly text: string },
  ): void {
    const acts: Readonly<Record<Fault, () => unknown>> = {
      hang: () => undefined,
      gone: () => message.socket.destroy(),
      error: () => response.writeHead(500).end(JSON.stringify({ error: 'out of order' })),
      'no-json': () => response.writeHead(200).end('<html>'),
      huge: () => response.writeHead(200).end(JSON.stringify({ plan: 'partner', rest: 'x'.repeat(200_000) })),
      redirect: () => response.writeHead(307, { location: `${this.url}/elsewhere` }).end(),
      echo: () => response.writeHead(400).end(JSON.stringify({ error: `not understood: ${text}` })),
    }
    acts[fault]()
  }

  #answer(request: ServiceRequest): Answer {
    const handle = this.#routes[`${request.method} ${request.path.split('?')[0]}`]
    return handle ? handle(request) : [404, { message: 'no such path' }]
  }

  readonly #routes: Readonly<Record<string, Handle>> = {
    'POST /api/register': ({ body }) => this.#register(body),
    'POST /api/register/confirm': ({ body }) => this.#confirm(body),
    'POST /api/unregister': (request) =>
      this.#owned(request, String(request.body.uri), (uri) => {
        this.instances.delete(uri)
        const [domain = '', ...rest] = uri.split('.')
        for (const end of ['', '-pull']) this.projects.delete(`${domain}/${[domain, ...rest].join('-')}${end}`)
        return [200, { uri }]
      }),
    'GET /api/subscription': (request) => {
      const uri = new URL(request.path, this.url).searchParams.get('uri') ?? ''
      return this.#owned(request, uri, () => [200, { uri, plan: this.instances.get(uri)?.plan }])
    },
    'POST /api/subscription': (request) =>
      this.#owned(request, String(request.body.uri), (uri, instance) => {
        const plan = String(request.body.plan)
        if (!PLANS.includes(plan)) return [400, { error: 'no such plan' }]
        instance.plan = plan
        return [200, { uri, plan }]
      }),
    'GET /api/subscription/plans': () => [200, { plans: PLANS.map((plan) => ({ plan, title: `Plan ${plan}` })) }],
    // For readers who run it as a program.
    'POST /stand-in/confirm-mail': ({ body }) => {
      this.confirmMail(String(body.email))
      return [200, {}]
    },
    'GET /stand-in': () => [200, { instances: Object.fromEntries(this.instances), projects: [...this.projects] }],
  }

  #register({ email, password, domain, subdomain, zone }: ServiceRequest['body']): Answer {
    if (this.instances.has(`${domain}.${subdomain}.${zone}`)) return [409, { error: 'zone already registered' }]
    if (this.accounts.get(String(email))?.confirmed) return [409, { error: 'email already confirmed' }]
    this.accounts.set(String(email), { id: this.#nextId(), password: String(password), confirmed: false })
    return [202, { message: `a mail was sent to ${email}` }]
  }

  #confirm({ email, password, domain, subdomain, zone }: ServiceRequest['body']): Answer {
    const uri = `${domain}.${subdomain}.${zone}`
    const account = this.accounts.get(String(email))
    if (!account) return [404, { error: 'account not found' }]
    if (account.password !== password) return [401, { error: 'wrong password' }]
    if (!account.confirmed) return [400, { error: 'email not confirmed' }]
    if (this.instances.has(uri)) return [409, { error: 'zone already registered' }]
    this.instances.set(uri, { email: String(email), plan: 'free' })
    const main = `${domain}/${domain}-${subdomain}-${zone}`
    for (const name of [main, `${main}-pull`]) this.projects.add(name)
    return [201, { uri, plan: 'free', project: main, api_token: 'never-passed-on' }]
  }

  /** Of the account whose instance it is, by its password. */
  #owned(
    { authorization }: ServiceRequest,
    uri: string,
    act: (uri: string, instance: { readonly email: string; plan: string }) => Answer,
  ): Answer {
    const [email = '', password = ''] = Buffer.from(authorization.replace('Basic ', ''), 'base64').toString().split(':')
    if (this.accounts.get(email)?.password !== password) return [401, { error: 'wrong password' }]
    const instance = this.instances.get(uri)
    return instance?.email === email ? act(uri, instance) : [404, { error: 'no such instance' }]
  }

  #nextId(): number {
    this.#ids += 1
    return this.#ids
  }
}

function parsed(text: string): Readonly<Record<string, unknown>> {
  try {
    const value: unknown = JSON.parse(text)
    return typeof value === 'object' && value !== null ? { ...value } : {}
  } catch {
    return {}
  }
}
