// A real etcd of one member, for stories of several managers.
import { type ChildProcess, spawn } from 'node:child_process'
import { closeSync, openSync } from 'node:fs'
import path from 'node:path'
import { Etcd } from '../../../lib/lease/index.js'
import { eventually } from '../wait.js'
import { newDirectory } from './directories.js'
import { howEnded } from './how-ended.js'
import { endWithRun } from './leftovers.js'
import { freePorts } from './ports.js'

export class EtcdServer {
  readonly endpoint: string
  readonly #peer: string
  readonly #directory = newDirectory('etcd')
  #child: ChildProcess | undefined

  private constructor(port: number, peer: number) {
    this.endpoint = `http://127.0.0.1:${port}`
    this.#peer = `http://127.0.0.1:${peer}`
  }

  static async create(): Promise<EtcdServer> {
    const [port = 0, peer = 0] = await freePorts(2)
    const server = new EtcdServer(port, peer)
    await server.start()
    return server
  }

  /** Resolves when it answers. */
  async start(): Promise<void> {
    const log = openSync(path.join(this.#directory, 'log'), 'a')
    const child = spawn(
      'etcd',
      [
        ...['--data-dir', path.join(this.#directory, 'data'), '--name', 'default'],
        ...['--listen-client-urls', this.endpoint, '--advertise-client-urls', this.endpoint],
        ...['--listen-peer-urls', this.#peer, '--initial-advertise-peer-urls', this.#peer],
        ...['--initial-cluster', `default=${this.#peer}`],
      ],
      { stdio: ['ignore', log, log] },
    )
    closeSync(log)
    endWithRun(child)
    this.#child = child
    const client = this.client()
    await eventually(async () => (await client.range('/')).ok, 'etcd answers', { over: () => howEnded(child) })
    client.close()
  }

  client(user = '', password = ''): Etcd {
    return new Etcd({ endpoints: [this.endpoint], user, password })
  }

  /** Within `work` every client has to log in; the user may do everything. */
  async withLogin(name: string, password: string, work: () => Promise<void>): Promise<void> {
    const ask = async (path: string, body: object, token = '') => {
      const headers = { 'Content-Type': 'application/json', ...(token === '' ? {} : { Authorization: token }) }
      const reply = await fetch(`${this.endpoint}/v3/auth/${path}`, {
        method: 'POST',
        headers,
        body: JSON.stringify(body),
      })
      if (!reply.ok) throw new Error(`${path}: ${await reply.text()}`)
      return (await reply.json()) as { readonly token?: string }
    }
    for (const user of ['root', name]) {
      await ask('user/add', { name: user, password })
      await ask('user/grant', { user, role: 'root' })
    }
    await ask('enable', {})
    try {
      await work()
    } finally {
      const { token } = await ask('authenticate', { name: 'root', password })
      await ask('disable', {}, token)
    }
  }

  /** Resolves when it is gone; its data stay. */
  async end(): Promise<void> {
    const child = this.#child
    if (!child || child.exitCode !== null || child.signalCode !== null) return
    const gone = new Promise((resolve) => child.once('exit', resolve))
    child.kill('SIGKILL')
    await gone
  }
}
