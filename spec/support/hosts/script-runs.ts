// Runs the scripts that a manager serves, on a host of their own, and says how they ended.
import { expect } from 'chai'
import type { HostScriptName } from '../../../lib/orchestrator/host-scripts.js'
import { hostScripts } from '../../../lib/orchestrator/host-scripts.js'
import { freePorts } from '../machine/ports.js'
import { ManagerProcess } from '../manager/manager-process.js'
import { eventually } from '../wait.js'
import { type HostRoot, type Run, type RunOptions, whyNoHosts } from './host-root.js'

export interface Target {
  readonly cluster: string
  readonly port: number | undefined
}

export type Environment = Readonly<Record<string, string>>

export interface ScriptManager {
  readonly manager: ManagerProcess
  /** Its runs are those of the first cluster until a run says otherwise. */
  readonly runs: ScriptRuns
  /** By the names of the clusters, in their order. */
  readonly ports: readonly number[]
}

/**
 * Starts a manager with one server on this machine for each cluster, and resolves when their archives are there. `logIn`
 * gives the token for downloads where they need one. Undefined, with a line that says why, where no hosts can be made.
 */
export async function serveScripts(
  clusters: Readonly<Record<string, Readonly<Record<string, unknown>>>>,
  logIn?: (manager: ManagerProcess) => Promise<string>,
): Promise<ScriptManager | undefined> {
  const reason = await whyNoHosts()
  if (reason !== undefined) {
    process.stderr.write(`    skipped: ${reason}\n`)
    return undefined
  }
  const names = Object.keys(clusters)
  const ports = await freePorts(names.length)
  const targets = names.map((cluster, index) => ({ cluster, port: ports[index] }))
  const manager = await ManagerProcess.create({
    clusters: Object.fromEntries(
      targets.map(({ cluster, port }) => [cluster, { 'db-servers-hosts': `127.0.0.1:${port}`, ...clusters[cluster] }]),
    ),
  })
  manager.start()
  await manager.alive()
  const [first = { cluster: '', port: undefined }] = targets
  const runs = new ScriptRuns(manager, first)
  if (logIn) runs.token = await logIn(manager)
  await runs.ready(...targets)
  return { manager, runs, ports }
}

export class ScriptRuns {
  readonly #manager: ManagerProcess
  readonly #target: Target
  readonly #texts = new Map<HostScriptName, Promise<string>>()
  host: HostRoot | undefined
  /** What `archive` asks with where downloads want a login. */
  token: string | undefined

  /** Scripts get the environment of `target` unless a run says otherwise. */
  constructor(manager: ManagerProcess, target: Target) {
    this.#manager = manager
    this.#target = target
  }

  get url(): string {
    return `http://127.0.0.1:${this.#manager.httpPort}`
  }

  environment({ cluster, port }: Target = this.#target): Environment {
    return {
      MANAGER_URL: this.url,
      MANAGER_CLUSTER_NAME: cluster,
      MANAGER_HOST_NAME: '127.0.0.1',
      MANAGER_HOST_PORT: String(port),
    }
  }

  archive({ cluster, port }: Target = this.#target): Promise<Response> {
    const headers = this.token === undefined ? {} : { authorization: `Bearer ${this.token}` }
    return fetch(`${this.url}/api/clusters/${cluster}/servers/127.0.0.1/${port}/config`, { headers })
  }

  /** Resolves when the archive of every target is there. */
  async ready(...targets: readonly Target[]): Promise<void> {
    for (const target of targets)
      await eventually(async () => (await this.archive(target)).status === 200, `${target.cluster} has its archive`)
  }

  /** Makes a change and resolves when the archive is another one. */
  async rebuilds(change: () => Promise<void>): Promise<void> {
    const etag = async () => (await this.archive()).headers.get('etag')
    const before = await etag()
    await change()
    await eventually(async () => (await etag()) !== before, 'the archive is another one')
  }

  /** The script as the manager serves it. */
  text(name: HostScriptName): Promise<string> {
    const text = this.#texts.get(name) ?? this.#download(name)
    this.#texts.set(name, text)
    return text
  }

  async #download(name: HostScriptName): Promise<string> {
    const target = hostScripts[name].path.replace(':orchestrator', 'kube')
    const reply = await fetch(`${this.url}/static/configurator/${target}`)
    expect(`${reply.status} ${reply.headers.get('content-type')}`).to.equal('200 text/plain; charset=utf-8')
    return reply.text()
  }

  get #host(): HostRoot {
    if (!this.host) throw new Error('there is no host')
    return this.host
  }

  async run(name: HostScriptName, env: Environment = {}, options: RunOptions = {}): Promise<Run> {
    return this.#host.run(await this.text(name), { ...options, env: { ...this.environment(), ...env } })
  }

  /** Runs it and expects that it comes to its end; gives what it said. */
  async does(name: HostScriptName, env: Environment = {}, options: RunOptions = {}): Promise<string> {
    const { code, output } = await this.run(name, env, options)
    expect(code, output).to.equal(0)
    return output
  }

  /** Runs it and expects that it stops with one clear line and leaves nothing lying about. */
  async stops(name: HostScriptName, why: RegExp, env: Environment = {}): Promise<void> {
    const { code, output } = await this.run(name, env)
    expect(output.trimEnd().split('\n').at(-1)).to.match(why)
    expect(code, output).to.equal(1)
    expect(await this.#host.outputOf('ls -a /tmp | grep manager || :'), 'leavings').to.equal('')
  }

  /** Ends the server of the host as an operator would, and waits for it. */
  async shutDown(): Promise<void> {
    await this.#host.outputOf('kill $(pidof mariadbd)')
    const state =
      "cat /proc/[0-9]*/status 2>/dev/null | grep -A 1 '^Name:.mariadbd$' | grep -v '^Name' | grep -c '^Umask' || :"
    await eventually(async () => (await this.#host.outputOf(state)) === '0', 'the server is down')
  }

  sql(statement: string, login = ''): Promise<string> {
    return this.#host.outputOf(`mariadb ${login} -N -e "${statement}"`)
  }
}
