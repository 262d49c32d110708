// The real daemon as a child process of a spec: configured by a file, asked through its API, killed at will.
import { type ChildProcess, spawn } from 'node:child_process'
import { closeSync, mkdirSync, openSync, readFileSync, writeFileSync } from 'node:fs'
import { rm } from 'node:fs/promises'
import path from 'node:path'
import { createSession, type Session } from '../../../http/client/session.js'
import { packageRoot } from '../../../lib/base/package-root.js'
import { unwrap } from '../../../lib/base/result.js'
import { newDirectory } from '../machine/directories.js'
import { endWithRun } from '../machine/leftovers.js'
import { pauseProcess } from '../machine/pause.js'
import { freePorts } from '../machine/ports.js'
import { eventually, PATIENCE_MS } from '../wait.js'
import { keepConnected } from './kept-session.js'
import { pastRepairs } from './repairs.js'

export interface ManagerRequest {
  /** Settings of `[Default]` and of each cluster. */
  readonly settings?: Readonly<Record<string, string | number | boolean>>
  readonly clusters: Readonly<Record<string, Readonly<Record<string, string | number | boolean>>>>
  /** A folder of programs that come before those of this machine. */
  readonly programs?: string
  /** Where it runs when not beside the spec: what starts a program there, and the address it is reached at. */
  readonly place?: { readonly prefix: readonly string[]; readonly host: string }
}

const PASSWORD = 'spec-password'
/** A request that waits for a whole recovery; less than a test may take. */
const POST_MS = 300_000

export class ManagerProcess {
  readonly directory = newDirectory('manager')
  readonly configFile = path.join(this.directory, 'config.toml')
  readonly logFile = path.join(this.directory, 'manager.log')
  readonly apiPort: number
  readonly httpPort: number
  readonly session: Session
  readonly #place: ManagerRequest['place']
  readonly #programs: string
  #child: ChildProcess | undefined

  private constructor(apiPort: number, httpPort: number, request: ManagerRequest) {
    this.apiPort = apiPort
    this.httpPort = httpPort
    this.#place = request.place
    this.#programs = request.programs === undefined ? '' : `${request.programs}:`
    this.configure(request)
    // each process has keys of its own, so a kept token of another spec would only cost a refused request
    process.env.XDG_CONFIG_HOME = this.directory
    const endpoint = { host: request.place?.host ?? '127.0.0.1', port: apiPort, insecure: request.place !== undefined }
    this.session = keepConnected(createSession(endpoint, { user: 'admin', password: async () => PASSWORD }), 'admin')
  }

  static async create(request: ManagerRequest): Promise<ManagerProcess> {
    const [apiPort = 0, httpPort = 0] = await freePorts(2)
    return new ManagerProcess(apiPort, httpPort, request)
  }

  /** Writes the configuration file; a running process reads it again on SIGHUP. */
  configure({ settings = {}, clusters }: ManagerRequest): void {
    const section = (name: string, values: object) =>
      `[${name}]\n${Object.entries(values)
        .map(([key, value]) => `${key} = ${JSON.stringify(value)}`)
        .join('\n')}\n`
    const common = {
      'monitoring-datadir': this.dataDirectory,
      'api-port': this.apiPort,
      'api-bind': this.#place?.host ?? '127.0.0.1',
      'http-port': this.httpPort,
      'api-credentials': `admin:${PASSWORD}`,
      'api-credentials-acl-allow': 'admin:cluster db proxy prov global grant show',
      // Most stories are not about backups, and assert which findings are open: here, and only here, their policy is off.
      'backup-max-age': 0,
      ...(settings['cluster-store'] === 'etcd' ? { 'cluster-store-address': `https://127.0.0.1:${this.apiPort}` } : {}),
      ...settings,
    }
    const text = [
      section('Default', common),
      ...Object.entries(clusters).map(([name, values]) => section(name, values)),
    ]
    writeFileSync(this.configFile, text.join('\n'), { mode: 0o600 })
  }

  get dataDirectory(): string {
    return path.join(this.directory, 'data')
  }

  /** Variables that the client finds it by, as its administrator. */
  clientEnvironment(): Readonly<Record<string, string>> {
    return { MANAGER_PORT: String(this.apiPort), MANAGER_USER: 'admin', MANAGER_PASSWORD: PASSWORD }
  }

  get pid(): number {
    return this.#child?.pid ?? 0
  }

  /** Starts the daemon; `alive` resolves when it answers. */
  start(...flags: readonly string[]): void {
    mkdirSync(this.dataDirectory, { recursive: true })
    const output = openSync(this.logFile, 'a')
    const daemon = [path.join(packageRoot, 'bin/manager'), '--config', this.configFile, ...flags]
    const [program = '', ...args] = [...(this.#place?.prefix ?? []), ...daemon]
    // As users start it, by this process's node.
    const env = { ...process.env, PATH: `${this.#programs}${path.dirname(process.execPath)}:${process.env.PATH}` }
    const child = spawn(program, args, { stdio: ['ignore', output, output], env })
    closeSync(output)
    endWithRun(child)
    child.once('exit', () => {
      if (this.#child === child) this.#child = undefined
    })
    this.#child = child
  }

  /** Resolves when it answers; fails at once when it ended instead. */
  async alive(limitMs = PATIENCE_MS): Promise<void> {
    const answers = async () => unwrap(await this.session.call('GET', '/api/status')).body.includes('running')
    const over = () => (this.#child ? undefined : 'the manager ended')
    await eventually(answers, () => `it runs\n${this.log().slice(-4_000)}`, { limitMs, over })
  }

  /** The JSON body of a GET; throws for anything but 200. */
  async get<T>(target: string): Promise<T> {
    const reply = await this.session.call('GET', target)
    if (!reply.ok) throw new Error(reply.failure.message)
    if (reply.value.status !== 200) throw new Error(`${target}: ${reply.value.status} ${reply.value.body}`)
    return JSON.parse(reply.value.body) as T
  }

  /** Status and body of a POST. */
  async post(target: string, body?: unknown): Promise<{ readonly status: number; readonly body: string }> {
    const ask = async () => {
      const request = { timeoutMs: POST_MS, ...(body === undefined ? {} : { body }) }
      const reply = await this.session.call('POST', target, request)
      if (!reply.ok) throw new Error(reply.failure.message)
      return reply.value
    }
    return pastRepairs(ask, ({ status, body: text }) => ({ status, text }))
  }

  /** One that is suspended (SIGSTOP) does nothing more when this returns: other threads run on until each is stopped. */
  signal(signal: NodeJS.Signals): void {
    if (!this.#child) return
    if (signal === 'SIGSTOP') pauseProcess(this.#child)
    else this.#child.kill(signal)
  }

  /** Ends the process by a signal; resolves with its exit status when it is gone. */
  async end(signal: NodeJS.Signals): Promise<number | null> {
    const child = this.#child
    if (!child) return null
    const gone = new Promise<number | null>((resolve) => child.once('exit', resolve))
    child.kill(signal)
    return gone
  }

  log(): string {
    return readFileSync(this.logFile, 'utf8')
  }

  async destroy(): Promise<void> {
    await this.end('SIGKILL')
    // The process that stores binary logs ends after the manager, and writes until then.
    await rm(this.directory, { recursive: true, force: true, maxRetries: 20, retryDelay: 100 })
  }
}
