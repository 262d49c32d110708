// The arbitrator as a program, for stories of managers at several sites.
import { type ChildProcess, spawn } from 'node:child_process'
import { closeSync, openSync, readFileSync, writeFileSync } from 'node:fs'
import path from 'node:path'
import { packageRoot } from '../../../lib/base/package-root.js'
import { eventually } from '../wait.js'
import { newDirectory } from './directories.js'
import { howEnded } from './how-ended.js'
import { endWithRun } from './leftovers.js'
import { freePorts } from './ports.js'

export const ARBITRATOR_SECRET = 'a secret that managers and arbitrator share'

export class ArbitratorProcess {
  readonly port: number
  readonly #directory = newDirectory('arbitrator')
  #child: ChildProcess | undefined

  private constructor(port: number, leaseSeconds: number) {
    this.port = port
    writeFileSync(path.join(this.#directory, 'secrets'), `# one a line\n${ARBITRATOR_SECRET}\n`, { mode: 0o600 })
    const file = (name: string): string => JSON.stringify(path.join(this.#directory, name))
    writeFileSync(
      this.#configFile,
      `listen = "127.0.0.1:${port}"\nlease = ${leaseSeconds}\nsecrets-file = ${file('secrets')}\nstate-file = ${file('state.json')}\n`,
    )
  }

  static async create(leaseSeconds: number): Promise<ArbitratorProcess> {
    const [port = 0] = await freePorts(1)
    const arbitrator = new ArbitratorProcess(port, leaseSeconds)
    await arbitrator.start()
    return arbitrator
  }

  /** Resolves when it listens. */
  async start(): Promise<void> {
    const before = this.log().length
    const output = openSync(this.#logFile, 'a')
    const child = spawn(process.execPath, [path.join(packageRoot, 'bin/arbitrator'), this.#configFile], {
      stdio: ['ignore', output, output],
    })
    closeSync(output)
    endWithRun(child)
    this.#child = child
    await eventually(
      () => this.log().slice(before).includes('listening on port'),
      () => `the arbitrator listens\n${this.log()}`,
      { over: () => howEnded(child) },
    )
  }

  async end(signal: NodeJS.Signals = 'SIGKILL'): Promise<void> {
    const child = this.#child
    if (!child) return
    this.#child = undefined
    const gone = new Promise((resolve) => child.once('exit', resolve))
    child.kill(signal)
    await gone
  }

  log(): string {
    try {
      return readFileSync(this.#logFile, 'utf8')
    } catch {
      return ''
    }
  }

  get #configFile(): string {
    return path.join(this.#directory, 'arbitrator.toml')
  }

  get #logFile(): string {
    return path.join(this.#directory, 'log')
  }
}
