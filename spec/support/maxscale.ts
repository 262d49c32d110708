// Stands in for MaxScale, which is no package of Debian: its REST API, with servers and monitors that keep state. What it
// refuses is what the real one refuses; the source of each rule stands beside it.
import http, { type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import type { StandInMood } from './proxysql.js'

export interface MaxscaleRequest {
  readonly user: string
  readonly password: string
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

export class MaxscaleStandIn {
  /** Changes that were taken, in order, as `set db1 master`. */
  readonly changes: string[] = []
  readonly states: ReadonlyMap<string, Set<string>>
  /** Sessions that each server's going into maintenance ended. */
  readonly ended: string[] = []
  mood: StandInMood = 'up'
  monitorRuns = true
  readonly #request: MaxscaleRequest
  readonly #server: http.Server
  #port = 0

  constructor(request: MaxscaleRequest) {
    this.#request = request
    this.states = new Map(Object.keys(request.servers).map((name) => [name, new Set(['Running'])]))
    this.#server = http.createServer((asked, response) => this.#serve(asked, response))
  }

  get port(): number {
    return this.#port
  }

  async start(): Promise<void> {
    await new Promise<void>((resolve) => this.#server.listen(this.#port, '127.0.0.1', resolve))
    this.#port = (this.#server.address() as AddressInfo).port
  }

  async stop(): Promise<void> {
    const closed = new Promise((resolve) => this.#server.close(resolve))
    this.#server.closeAllConnections()
    await closed
  }

  /** What its own monitor finds: one primary, the others follow. One in maintenance is not looked at. */
  monitorFinds(primary: string): void {
    for (const [name, states] of this.states) {
      if (!this.monitorRuns || states.has('Maintenance')) continue
      states.clear()
      for (const word of [name === primary ? 'Master' : 'Slave', 'Running']) states.add(word)
    }
  }

  state(name: string): string {
    return [...(this.states.get(name) ?? [])].sort().join(', ')
  }

  #serve(asked: IncomingMessage, response: ServerResponse): void {
    if (this.mood === 'hung') return
    if (this.mood === 'garbage') {
      response.end('<html>not what you think</html>')
      return
    }
    const answered = this.#answer(asked)
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

  #answer({ method = '', url = '', headers }: IncomingMessage): Answer {
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
    return refused(405, 'Method not allowed')
  }

  #collection(kind: string): Answer {
    switch (kind) {
      case 'maxscale':
        return { status: 200, body: { data: { id: 'maxscale', type: 'maxscale', attributes: { version: '23.08.5' } } } }
      case 'servers':
        return { status: 200, body: { data: [...this.states.keys()].map((name) => this.#resource(name)) } }
      case 'monitors':
        return { status: 200, body: { data: [this.#monitor()] } }
      default:
        return refused(404, 'Invalid path')
    }
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
      attributes: { module: 'mariadbmon', state: this.monitorRuns ? 'Running' : 'Stopped' },
      relationships: { servers: { data } },
    }
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
