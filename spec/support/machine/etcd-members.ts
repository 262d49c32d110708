// A real etcd of three members, which speak TLS to each other and to clients, and ask clients for a certificate and a login.
import { type ChildProcess, execFile, spawn } from 'node:child_process'
import { closeSync, openSync } from 'node:fs'
import { readFile } from 'node:fs/promises'
import path from 'node:path'
import { promisify } from 'node:util'
import { Etcd } from '../../../lib/lease/index.js'
import { eventually } from '../wait.js'
import { makeAuthority } from './authority.js'
import { newDirectory } from './directories.js'
import { howEnded } from './how-ended.js'
import { endWithRun } from './leftovers.js'
import { freePorts } from './ports.js'

const run = promisify(execFile)

const MEMBERS = 3
const USER = 'manager'
const PASSWORD = 'secret-of-etcd'

interface Files {
  readonly caFile: string
  readonly certFile: string
  readonly keyFile: string
}

export class EtcdMembers {
  readonly #directory = newDirectory('etcd')
  readonly #ports: readonly number[]
  readonly #server: Files
  readonly #client: Files
  readonly #children: (ChildProcess | undefined)[] = []

  private constructor(ports: readonly number[], server: Files, client: Files) {
    this.#ports = ports
    this.#server = server
    this.#client = client
  }

  /** Resolves when all answer, and each call needs the login of a user who may change the keys of managers alone. */
  static async create(): Promise<EtcdMembers> {
    const authority = await makeAuthority()
    const { caFile } = authority
    const server = await authority.issue('IP:127.0.0.1')
    // etcd's gateway refuses logins over certificates that have a common name.
    const client = await authority.issue('IP:127.0.0.1', { subject: '/' })
    const members = new EtcdMembers(await freePorts(2 * MEMBERS), { caFile, ...server }, { caFile, ...client })
    for (let index = 0; index < MEMBERS; index += 1) members.#spawn(index)
    await members.#answer()
    await members.#askForLogins()
    return members
  }

  /** Of the server scope of a manager. */
  get settings(): Readonly<Record<string, string>> {
    return {
      'cluster-store': 'etcd',
      'cluster-store-endpoints': this.#endpoints.join(','),
      'cluster-store-ca-cert': this.#client.caFile,
      'cluster-store-client-cert': this.#client.certFile,
      'cluster-store-client-key': this.#client.keyFile,
      'cluster-store-user': USER,
      'cluster-store-password': PASSWORD,
    }
  }

  /** Resolves when it is gone; the others go on. */
  async kill(index: number): Promise<void> {
    const child = this.#children[index]
    if (!child || child.exitCode !== null || child.signalCode !== null) return
    const gone = new Promise((resolve) => child.once('exit', resolve))
    child.kill('SIGKILL')
    await gone
  }

  async end(): Promise<void> {
    await Promise.all(this.#children.map((_, index) => this.kill(index)))
  }

  get #endpoints(): readonly string[] {
    return this.#ports.slice(0, MEMBERS).map((port) => `https://127.0.0.1:${port}`)
  }

  #peer(index: number): string {
    return `https://127.0.0.1:${this.#ports[MEMBERS + index]}`
  }

  #spawn(index: number): void {
    const { caFile, certFile, keyFile } = this.#server
    const client = this.#endpoints[index] ?? ''
    const peer = this.#peer(index)
    const names = Array.from({ length: MEMBERS }, (_, other) => `m${other}=${this.#peer(other)}`)
    const log = openSync(path.join(this.#directory, `log-${index}`), 'a')
    const child = spawn(
      'etcd',
      [
        ...['--name', `m${index}`, '--data-dir', path.join(this.#directory, `m${index}`)],
        ...['--listen-client-urls', client, '--advertise-client-urls', client],
        ...['--listen-peer-urls', peer, '--initial-advertise-peer-urls', peer, '--initial-cluster', names.join(',')],
        ...['--cert-file', certFile, '--key-file', keyFile, '--trusted-ca-file', caFile, '--client-cert-auth'],
        ...['--peer-cert-file', certFile, '--peer-key-file', keyFile, '--peer-trusted-ca-file', caFile],
        '--peer-client-cert-auth',
        // A busy machine answers heartbeats late; an election is still over long before a lease.
        ...['--heartbeat-interval', '200', '--election-timeout', '2000'],
      ],
      { stdio: ['ignore', log, log] },
    )
    closeSync(log)
    endWithRun(child)
    this.#children[index] = child
  }

  async #tls() {
    const [ca, cert, key] = await Promise.all(
      [this.#client.caFile, this.#client.certFile, this.#client.keyFile].map((file) => readFile(file, 'utf8')),
    )
    return { ca: ca ?? '', cert: cert ?? '', key: key ?? '' }
  }

  async #answer(): Promise<void> {
    const tls = await this.#tls()
    for (const [index, endpoint] of this.#endpoints.entries()) {
      const etcd = new Etcd({ endpoints: [endpoint], user: '', password: '', ...tls })
      const child = this.#children[index]
      await eventually(async () => (await etcd.range('/')).ok, `${endpoint} answers`, {
        over: () => child && howEnded(child),
      })
      etcd.close()
    }
  }

  async #askForLogins(): Promise<void> {
    const [key, end] = ['/manager/', '/manager0'].map((text) => Buffer.from(text).toString('base64'))
    for (const [command, body] of [
      ['user/add', { name: 'root', password: PASSWORD }],
      ['user/grant', { user: 'root', role: 'root' }],
      ['role/add', { name: USER }],
      ['role/grant', { name: USER, perm: { permType: 'READWRITE', key, range_end: end } }],
      ['user/add', { name: USER, password: PASSWORD }],
      ['user/grant', { user: USER, role: USER }],
      ['enable', {}],
    ] as const)
      await this.#command(command, body)
  }

  async #command(command: string, body: object): Promise<void> {
    const { certFile, keyFile, caFile } = this.#client
    const tls = ['--cacert', caFile, '--cert', certFile, '--key', keyFile]
    const url = `${this.#endpoints[0]}/v3/auth/${command}`
    await run('curl', ['--silent', '--show-error', '--fail', ...tls, '--data', JSON.stringify(body), url])
  }
}
