// Stands in for MaxScale, which is no package of Debian: its REST API, with servers and monitors that keep state. What it
// refuses is what the real one refuses; the source of each rule stands beside it.
import http, { type IncomingMessage, type ServerResponse } from 'node:http'
import https from 'node:https'
import { freePorts } from '../machine/ports.js'
import type { StandInMood } from './proxysql.js'

export interface MaxscaleRequest {
  readonly user: string
  readonly password: string
  /** What its monitor and its service log in to the servers with; `monitor` with the password `monitor` when absent. */
  readonly account?: Account
  /** Its `admin_ssl_cert` and `admin_ssl_key`, PEM: it takes nothing in clear then. */
  readonly tls?: { readonly cert: string; readonly key: string }
  /** By name: where its servers are. */
  readonly servers: Readonly<Record<string, { readonly address: string; readonly port: number }>>
}

/** https://mariadb.com/docs/maxscale/reference/maxscale-rest-api/maxscale-server-resource: "Set server state". */
const settable: Readonly<Record<string, string>> = {
  ...{ master: 'Master', slave: 'Slave', maintenance: 'Maintenance', running: 'Running', synced: 'Synced' },
  drain: 'Drained',
}

/** ERR_CANNOT_MODIFY of server/core/monitor.cc of mariadb-corporation/MaxScale, which answers 403 with it. */
const MONITORED =
  'The server is monitored, so only the maintenance status can be set/cleared manually. Status was not modified.'

interface Account {
  readonly user: string
  readonly password: string
}

/** A monitor or a service: its parameters as they are; those that are no text when they are not set. */
type Parameters = Record<string, string | null>

/** What stands for a password that is read: config_mask_passwords() of server/core/config.cc. */
const MASKED = '*****'

export class MaxscaleStandIn {
  /** Changes that were taken, in order, as `set db1 master`. */
  readonly changes: string[] = []
  readonly states: ReadonlyMap<string, Set<string>>
  /** Sessions that each server's going into maintenance ended. */
  readonly ended: string[] = []
  mood: StandInMood = 'up'
  monitorRuns = true
  /** Whether the servers take its monitor's account; all accounts when absent. */
  accepts: (account: Account) => boolean = () => true
  /** Whether its monitor comes to the end of a check. */
  looks: () => boolean = () => true
  readonly parameters: Readonly<Record<'monitors' | 'services', Readonly<Record<string, Parameters>>>>
  #ticks = 0
  #starts = 0
  readonly #request: MaxscaleRequest
  readonly #server: http.Server | https.Server
  #port = 0

  constructor(request: MaxscaleRequest) {
    this.#request = request
    this.states = new Map(Object.keys(request.servers).map((name) => [name, new Set(['Running'])]))
    const { user, password } = request.account ?? { user: 'monitor', password: 'monitor' }
    const monitor = { user, password, replication_user: null, replication_password: null }
    this.parameters = { monitors: { monitor }, services: { write: { user, password } } }
    const serve = (asked: IncomingMessage, response: ServerResponse) => {
      this.#serve(asked, response).catch(() => response.destroy())
    }
    this.#server = request.tls ? https.createServer(request.tls, serve) : http.createServer(serve)
  }

  get port(): number {
    return this.#port
  }

  async start(): Promise<void> {
    // None that an outgoing connection could take while it is stopped.
    this.#port ||= (await freePorts(1))[0] ?? 0
    await new Promise<void>((resolve) => this.#server.listen(this.#port, '127.0.0.1', resolve))
  }

  async stop(): Promise<void> {
    if (!this.#server.listening) return
    const closed = new Promise((resolve) => this.#server.close(resolve))
    this.#server.closeAllConnections()
    await closed
  }

  /** Another process of it answers at once: its monitor runs as its files have it, and no server has a state that was set. */
  async restart(): Promise<void> {
    await this.stop()
    this.#starts += 1
    this.monitorRuns = true
    for (const states of this.states.values()) {
      states.clear()
      states.add('Running')
    }
    await this.start()
  }

  /** What its own monitor finds: one primary, the others follow. One in maintenance is not checked. */
  monitorFinds(primary: string): void {
    for (const [name, states] of this.states) {
      if (!this.monitorRuns || states.has('Maintenance')) continue
      states.clear()
      for (const word of [name === primary ? 'Master' : 'Slave', 'Running']) states.add(word)
    }
  }

  /** `user:password` of its monitor and its service, each once. */
  accounts(): readonly string[] {
    const all = Object.values(this.parameters).flatMap((each) => Object.values(each))
    return [...new Set(all.map(({ user, password }) => `${user}:${password}`))]
  }

  state(name: string): string {
    return [...(this.states.get(name) ?? [])].sort().join(', ')
  }

  async #serve(asked: IncomingMessage, response: ServerResponse): Promise<void> {
    if (this.mood === 'hung') return
    if (this.mood === 'garbage') {
      response.end('<html>not what you think</html>')
      return
    }
    const answered = this.#answer(asked, await textOf(asked))
    const text = answered.body === undefined ? '' : JSON.stringify(answered.body)
    response.statusCode = answered.status
    response.setHeader('Content-Type', 'application/json')
    if (this.mood !== 'dying') {
      response.end(text)
      return
    }
    response.setHeader('Content-Length', text.length + 1)
    response.write(text.slice(0, text.length >> 1), () => asked.socket.destroy())
  }

  #answer({ method = '', url = '', headers }: IncomingMessage, body: string): Answer {
    // https://mariadb.com/docs/maxscale/reference/maxscale-rest-api/maxscale-rest-api: "Authentication".
    const { user, password } = this.#request
    if (headers.authorization !== `Basic ${Buffer.from(`${user}:${password}`).toString('base64')}`)
      return refused(401, 'Access denied')
    const { pathname, searchParams } = new URL(url, 'http://maxscale')
    const [version, kind, name, verb] = pathname.split('/').slice(1).map(decodeURIComponent)
    if (version !== 'v1') return refused(404, 'Invalid path')
    if (method === 'GET' && name === undefined) return this.#collection(kind ?? '')
    if (method === 'PUT' && kind === 'servers' && (verb === 'set' || verb === 'clear'))
      return this.#change({ name: name ?? '', verb, parameters: searchParams })
    if (method === 'PUT' && kind === 'monitors' && (verb === 'stop' || verb === 'start')) {
      if (name !== 'monitor') return refused(404, `Monitor '${name}' does not exist`)
      this.monitorRuns = verb === 'start'
      this.changes.push(`${verb} ${name}`)
      return { status: 204 }
    }
    if (method === 'PATCH' && (kind === 'monitors' || kind === 'services'))
      return this.#alter({ kind, name: name ?? '', body })
    return refused(405, 'Method not allowed')
  }

  #collection(kind: string): Answer {
    switch (kind) {
      case 'maxscale':
        return { status: 200, body: { data: { id: 'maxscale', type: 'maxscale', attributes: this.#itself() } } }
      case 'servers':
        return { status: 200, body: { data: [...this.states.keys()].map((name) => this.#resource(name)) } }
      case 'monitors':
        // It goes on checking while it is asked.
        this.#check()
        return { status: 200, body: { data: [this.#monitor()] } }
      case 'services':
        return { status: 200, body: { data: Object.keys(this.parameters.services).map((name) => this.#service(name)) } }
      default:
        return refused(404, 'Invalid path')
    }
  }

  /** https://mariadb.com/docs/maxscale/reference/maxscale-rest-api/maxscale-maxscale-resource */
  #itself() {
    return { version: '23.08.5', started_at: new Date(this.#starts * 1_000).toUTCString(), uptime: 100 }
  }

  #resource(name: string) {
    const { address, port } = this.#request.servers[name] ?? { address: '', port: 0 }
    return {
      ...{ id: name, type: 'servers' },
      attributes: { parameters: { address, port }, state: this.state(name), statistics: { connections: 2 } },
    }
  }

  #monitor() {
    const data = [...this.states.keys()].map((id) => ({ id, type: 'servers' }))
    return {
      ...{ id: 'monitor', type: 'monitors' },
      attributes: {
        ...{ module: 'mariadbmon', state: this.monitorRuns ? 'Running' : 'Stopped', ticks: this.#ticks },
        parameters: masked(this.parameters.monitors.monitor ?? {}),
      },
      relationships: { servers: { data } },
    }
  }

  #service(name: string) {
    return {
      ...{ id: name, type: 'services' },
      attributes: { state: 'Started', parameters: masked(this.parameters.services[name] ?? {}) },
      relationships: { servers: { data: [...this.states.keys()].map((id) => ({ id, type: 'servers' })) } },
    }
  }

  /**
   * A server that refuses the monitor's account is not running for it: SERVER_AUTH_ERROR of server/core/monitor.cc.
   * `ticks` counts its checks: "Get a monitor" of the monitor resource.
   */
  #check(): void {
    if (!this.monitorRuns || !this.looks()) return
    this.#ticks += 1
    const { user, password } = this.parameters.monitors.monitor ?? {}
    const isAccepted = this.accepts({ user: user ?? '', password: password ?? '' })
    for (const states of this.states.values()) {
      if (states.has('Maintenance') || isAccepted !== states.has('Auth Error')) continue
      states.clear()
      for (const word of isAccepted ? ['Running'] : ['Auth Error', 'Down']) states.add(word)
    }
  }

  /**
   * `runtime_alter_monitor_from_json` of server/core/config_runtime.cc: what the body names replaces what is there, the
   * rest stays; a monitor that runs is restarted. What is refused is answered with 403 (`cb_alter_monitor` of
   * server/core/resource.cc), a name that there is not with 404.
   */
  #alter({ kind, name, body }: Alteration): Answer {
    const held = this.parameters[kind][name]
    if (!held) return refused(404, `Object '${name}' does not exist`)
    const data = dataOf(body)
    if (!data) return refused(403, "No '/data' field defined")
    const given = data.attributes?.parameters ?? {}
    const unknown = Object.keys(given).find((parameter) => !(parameter in held))
    if (unknown !== undefined) return refused(403, `Unknown parameter: ${unknown}`)
    Object.assign(held, given)
    if (kind === 'monitors') this.#ticks = 0
    this.changes.push(`alter ${name} ${Object.keys(given).join(' ')}`)
    return { status: 204 }
  }

  #change({ name, verb, parameters }: Change): Answer {
    const states = this.states.get(name)
    const state = parameters.get('state') ?? ''
    const word = settable[state]
    if (!states) return refused(404, `Server '${name}' does not exist`)
    // "Missing or invalid parameter: 403", as above.
    if (word === undefined) return refused(403, `Invalid state: ${state}`)
    if (this.monitorRuns && word !== 'Maintenance' && word !== 'Drained') return refused(403, MONITORED)
    if (verb === 'set') states.add(word)
    else states.delete(word)
    // "force=yes … will cause all connections to the server to be closed if state=maintenance is also set", as above.
    if (verb === 'set' && word === 'Maintenance' && parameters.get('force') === 'yes') this.ended.push(name)
    this.changes.push(`${verb} ${name} ${state}`)
    return { status: 204 }
  }
}

interface Answer {
  readonly status: number
  readonly body?: unknown
}

interface Alteration {
  readonly kind: 'monitors' | 'services'
  readonly name: string
  readonly body: string
}

interface Resource {
  readonly attributes?: { readonly parameters?: Readonly<Record<string, string>> }
}

function dataOf(body: string): Resource | undefined {
  try {
    return (JSON.parse(body) as { readonly data?: Resource }).data
  } catch {
    return undefined
  }
}

const masked = (parameters: Parameters): Parameters =>
  Object.fromEntries(
    Object.entries(parameters).map(([name, value]) => [name, name.endsWith('password') && value ? MASKED : value]),
  )

async function textOf(asked: IncomingMessage): Promise<string> {
  const chunks: Buffer[] = []
  for await (const chunk of asked) chunks.push(chunk as Buffer)
  return Buffer.concat(chunks).toString('utf8')
}

interface Change {
  readonly name: string
  readonly verb: 'set' | 'clear'
  readonly parameters: URLSearchParams
}

/** https://jsonapi.org/format/#errors */
const refused = (status: number, detail: string): Answer => ({ status, body: { errors: [{ detail }] } })

export async function startMaxscale(request: MaxscaleRequest): Promise<MaxscaleStandIn> {
  const standIn = new MaxscaleStandIn(request)
  await standIn.start()
  return standIn
}
