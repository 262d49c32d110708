// A gateway on free ports with rows of every kind of reply, and the requests that specs make to it.
import { type Agent, request as httpRequest, type IncomingHttpHeaders } from 'node:http'
import { request as httpsRequest } from 'node:https'
import { connect } from 'node:net'
import path from 'node:path'
import * as z from 'zod'
import { listRoutes, type Route, route } from '../../../http/api/kit/route.js'
import { sessionRoutes } from '../../../http/api/rows/monitor/session.js'
import { tokenRoutes } from '../../../http/api/rows/monitor/tokens.js'
import { type Gateway, type GatewayOptions, type LiveOptions, startGateway } from '../../../http/gateway/index.js'
import { makeTokenKeys } from '../../../http/gateway/session/token-seal.js'
import { fail, ok, unwrap } from '../../../lib/base/result.js'
import { secret } from '../../../lib/base/secret.js'
import { HOUR } from '../../../lib/base/time.js'
import { ApiTokens, BrowserSessions } from '../../../lib/store/index.js'
import { newDirectory } from '../machine/directories.js'
import { FakeFace } from './fake-face.js'

const rows = {
  status: route({
    methods: ['GET'],
    paths: ['/api/status'],
    summary: 'Open to all.',
    grant: 'none',
    reply: { status: 200, type: 'json' },
    failures: {},
    answer: ({ manager, caller }) => ok({ alive: manager.alive(), user: caller.user }),
  }),
  clusters: route({
    methods: ['GET'],
    paths: ['/api/clusters'],
    summary: 'A filtered list.',
    grant: 'token',
    reply: { status: 200, type: 'json' },
    failures: {},
    answer: ({ manager, caller }) => ok(manager.clusters().filter((name) => caller.sees(name))),
  }),
  view: route({
    methods: ['GET'],
    paths: ['/api/clusters/:cluster/topology/servers'],
    summary: 'A view.',
    grant: 'token',
    reply: { status: 200, type: 'view' },
    failures: { 'unknown-cluster': [500, 'Cluster Not Found'] },
    answer: ({ manager, params }) => manager.view(params.cluster, 'servers'),
  }),
  switchover: route({
    methods: ['GET', 'POST'],
    paths: ['/api/clusters/:cluster/actions/switchover'],
    summary: 'An action with a body.',
    grant: ['cluster-switchover', 'cluster-failover'],
    body: z.object({ prefmaster: z.string().optional() }),
    reply: { status: 200, type: 'empty' },
    failures: { 'primary-failed': [400, 'Master failed'] },
    answer: ({ cluster, body }) =>
      cluster.ask('switchover', { user: 'x', wait: true, ...(body.prefmaster && { candidate: body.prefmaster }) }),
  }),
  set: route({
    methods: ['POST'],
    paths: ['/api/clusters/settings/actions/set/:name/:value'],
    summary: 'Literal segments beside a parameter.',
    grant: 'global-settings',
    params: z.object({ name: z.string().regex(/^[a-z-]+$/), value: z.string() }),
    reply: { status: 200, type: 'json' },
    failures: {},
    answer: ({ params }) => ok(params),
  }),
  start: route({
    methods: ['GET', 'POST'],
    paths: ['/api/clusters/:cluster/servers/:server/actions/start'],
    summary: 'A server action.',
    grant: 'db-start',
    reply: { status: 200, type: 'json' },
    failures: { 'unknown-server': [500, 'Server Not Found'] },
    answer: ({ server }) => ok(server),
  }),
  check: route({
    methods: ['GET'],
    paths: ['/api/clusters/:cluster/servers/:server/:port/need-restart'],
    summary: 'A check.',
    grant: 'none',
    ofOwner: true,
    reply: { status: 200, type: 'text', text: '200 -Need restart!' },
    failures: {
      'check-negative': [503, '503 -No restart needed!'],
      'unknown-server': [500, '503 -Not a Valid Server!'],
    },
    answer: async ({ manager, params, server }) =>
      (await manager.need({ cluster: params.cluster, server: server.id, need: 'restart', consume: false }))
        ? ok(undefined)
        : fail('check-negative', 'no'),
  }),
  config: route({
    methods: ['GET'],
    paths: ['/api/clusters/:cluster/servers/:server/:port/config'],
    summary: 'A file.',
    grant: 'none',
    reply: { status: 200, type: 'bytes' },
    failures: {},
    answer: async ({ manager, params, server }) => {
      const archive = await manager.archive(params.cluster, server.id)
      return archive.ok ? ok({ ...archive.value, name: 'config "x".tar.gz' }) : archive
    },
  }),
  events: route({
    methods: ['GET'],
    paths: ['/api/clusters/:cluster/events'],
    summary: 'Events.',
    grant: 'show',
    reply: { status: 200, type: 'events' },
    failures: {},
    answer: ({ manager, params }) =>
      ok((after, listener, signal) => manager.events({ cluster: params.cluster, after, signal }, listener)),
  }),
  metrics: route({
    methods: ['GET'],
    paths: ['/api/prometheus'],
    summary: 'Metrics.',
    grant: 'none',
    reply: { status: 200, type: 'metrics' },
    failures: {},
    answer: ({ manager }) => ok((form) => manager.metrics(form, {})),
  }),
  broken: route({
    methods: ['GET'],
    paths: ['/api/broken'],
    summary: 'Throws.',
    grant: 'none',
    reply: { status: 200, type: 'json' },
    failures: {},
    answer: () => {
      throw new Error('broken row')
    },
  }),
}

export const testRoutes: readonly Route[] = listRoutes(rows, sessionRoutes, tokenRoutes)

export const testAccess = {
  credentials: secret('boss:right-password,viewer:see-only,nobody:none,admin:repman'),
  allow:
    'boss:cluster db proxy prov global grant show,viewer:show:c1,nobody:,admin:cluster db proxy prov global grant show',
  discard: 'boss:cluster-delete',
}

/** What may change while it runs, as it starts. */
export const testLive: LiveOptions = {
  access: testAccess,
  tokenHours: 48,
  sessionMs: HOUR,
  refreshMs: 4_000,
  staticMaxAge: 18_000,
  userTokens: true,
  tokenDays: 120,
  visitors: {},
}

export interface Answer {
  readonly status: number
  readonly headers: IncomingHttpHeaders
  readonly body: string
  readonly bytes: Buffer
}

export interface Ask {
  readonly method?: string
  readonly headers?: Readonly<Record<string, string>>
  readonly body?: string
  readonly tls?: boolean
  readonly port?: number
  readonly host?: string
  /** Keeps connections open; without one each request has its own. */
  readonly agent?: Agent
}

export interface TestGateway {
  readonly face: FakeFace
  readonly gateway: Gateway
  /** Codes and fields of what was logged. */
  readonly logged: { code: string; fields: Readonly<Record<string, unknown>> }[]
  /** Sends a path as it is written, unlike fetch, which would tidy it. */
  ask(path: string, ask?: Ask): Promise<Answer>
  login(user: string, password: string, headers?: Readonly<Record<string, string>>): Promise<Answer>
  /** Header of a fresh login. */
  bearer(user?: string, password?: string): Promise<{ Authorization: string }>
  close(): Promise<void>
}

/** API tokens in a file of their own. */
export async function openTokens(): Promise<ApiTokens> {
  const { tokens } = await ApiTokens.open(path.join(newDirectory('tokens'), 'api-tokens.json'))
  return tokens
}

/** Sessions of browsers and one-time codes in a folder of their own, or as an earlier gateway left them there. */
export async function openBrowsers(
  workingDir = newDirectory('working'),
): Promise<Pick<GatewayOptions, 'browsers' | 'workingDir'>> {
  const { browserSessions } = await BrowserSessions.open(path.join(workingDir, 'browser-sessions.json'))
  return { browsers: browserSessions, workingDir }
}

/** Two sets of keys for all gateways of a process, which take them in turn: a token of one is never that of the next one. */
const keys: ReturnType<typeof makeTokenKeys>[] = []
let turn = 0

const takeKeys = (): ReturnType<typeof makeTokenKeys> => {
  turn = (turn + 1) % 2
  const taken = keys[turn] ?? makeTokenKeys()
  keys[turn] = taken
  return taken
}

/** Starts one; what is not given is as shipped, with users of the specs. */
export async function startTestGateway(options: Partial<GatewayOptions> = {}): Promise<TestGateway> {
  const face = new FakeFace()
  const logged: TestGateway['logged'] = []
  const started = await startGateway({
    manager: face,
    routes: testRoutes,
    openapi: () => ({ openapi: '3.1.0' }),
    api: { host: '127.0.0.1', port: 0 },
    http: { host: '127.0.0.1', port: 0 },
    httpsBind: false,
    page: { root: '', built: newDirectory('no-page') },
    ...testLive,
    tokens: options.tokens ?? (await openTokens()),
    makeKeys: takeKeys,
    ...(await openBrowsers(options.workingDir)),
    log: (_level, code, fields = {}) => logged.push({ code, fields }),
    ...options,
  })
  const gateway = unwrap(started)
  const ask = (path: string, { port = gateway.apiPort, ...rest }: Ask = {}) => send(path, { port, ...rest })
  const login = (user: string, password: string, headers = {}) =>
    ask('/api/login', {
      method: 'POST',
      headers: { 'Content-Type': 'application/json', Accept: '*/*', ...headers },
      body: JSON.stringify({ username: user, password }),
    })
  const bearer = async (user = 'boss', password = 'right-password') => {
    const { body } = await login(user, password)
    return { Authorization: `Bearer ${JSON.parse(body).token}` }
  }
  return { face, gateway, logged, ask, login, bearer, close: () => gateway.close() }
}

/** One request, on a connection of its own unless an agent is given. */
export function send(
  path: string,
  { method = 'GET', headers = {}, body, tls = false, port = 0, host, agent }: Ask,
): Promise<Answer> {
  return new Promise((resolve, reject) => {
    const request = tls ? httpsRequest : httpRequest
    const options = { host: host ?? '127.0.0.1', port, method, path, headers, rejectUnauthorized: false }
    const sent = request({ ...options, agent: agent ?? false }, (response) => {
      const chunks: Buffer[] = []
      response.on('data', (chunk) => chunks.push(chunk))
      response.on('error', reject)
      response.on('end', () => {
        const bytes = Buffer.concat(chunks)
        resolve({ status: response.statusCode ?? 0, headers: response.headers, body: bytes.toString(), bytes })
      })
    })
    sent.on('error', reject)
    sent.end(body)
  })
}

/** Writes raw bytes and gives all that comes back until the other side closes. */
export function sendRaw(port: number, ...parts: readonly string[]): Promise<string> {
  return new Promise((resolve) => {
    let text = ''
    const socket = connect(port, '127.0.0.1', () => {
      for (const part of parts) socket.write(part)
    })
    socket.on('data', (chunk) => {
      text += chunk
    })
    socket.on('error', () => {})
    socket.on('close', () => resolve(text))
  })
}
