// One database host during one action: the scripts that run there, each line of their output in the action's log.
import { readFile } from 'node:fs/promises'
import { done, fail, ok, type Result } from '../../base/result.js'
import { SECOND } from '../../base/time.js'
import type { HeldRun, SshAnswer } from '../../connect/ssh/ssh.js'
import type { ReprovisionState, ServiceSpec } from '../../model/operation/services.js'
import type { FileSystem } from '../../model/server/watched.js'
import type { Run, TailRequest } from '../index.js'
import type { BuiltInScript, OnPremiseOptions } from './options.js'
import { remoteCommand } from './remote-script.js'

/** KiB. */
const BLOCK = 1_024

/** What a host reports about itself. */
export interface HostFacts {
  readonly family: string
  /** The content of its data folder: nothing, a server created by the manager, or foreign data. */
  readonly data: 'none' | 'made' | 'foreign'
  /** The progress of a rebuild, by the folders beside the data folder. */
  readonly renewal: ReprovisionState
  /** Address of the manager as the host sees it. */
  readonly client: string
}

export type HostStep = 'inspect' | 'settle' | 'mark' | 'aside' | 'remove' | ReprovisionStep

/** Steps of a server that is rebuilt. */
type ReprovisionStep = 'room' | 'keep' | 'filled' | 'restore' | 'drop' | 'finish' | 'release'

/** Parameters of a script besides those that all scripts get. */
export type Environment = Readonly<Record<string, string>>

export class Host {
  readonly #options: OnPremiseOptions
  readonly #service: ServiceSpec
  readonly #run: Run
  readonly #ask: HeldRun
  readonly #until: number

  constructor(
    options: OnPremiseOptions,
    { service, run, ask }: { readonly service: ServiceSpec; readonly run: Run; readonly ask: HeldRun },
  ) {
    this.#options = options
    this.#service = service
    this.#run = run
    this.#ask = ask
    this.#until = performance.now() + options.deadlineMs
  }

  /** Remaining time of the action's deadline, milliseconds. */
  get remaining(): number {
    return Math.max(1, Math.ceil(this.#until - performance.now()))
  }

  /** A step of host.sh; its output is in the log unless it only reads. */
  async step(step: HostStep): Promise<Result<SshAnswer>> {
    const text = await this.#options.builtIn('host')
    if (!text.ok) return text
    return this.#send(step, {
      ...{ text: text.value, environment: this.#about(step) },
      ...(step === 'inspect' ? {} : { onLine: this.#run.log }),
    })
  }

  async inspect(): Promise<Result<HostFacts>> {
    const answer = await this.step('inspect')
    if (!answer.ok) return answer
    const said = new Map(answer.value.lastLines.map((line) => line.split('=', 2) as [string, string]))
    const [data, renewal] = [said.get('data'), said.get('renewal')]
    const isKnown = data === 'none' || data === 'made' || data === 'foreign'
    if (!isKnown || (renewal !== 'none' && renewal !== 'started' && renewal !== 'filled'))
      return fail(
        'script-failed',
        `${this.#service.name}: the host gave no valid description of itself: ${answer.value.lastLines.join(' ')}`,
      )
    return ok({ family: said.get('family') ?? 'unknown', data, renewal, client: said.get('client') ?? '' })
  }

  /** The end of a file; lines longer than the limit of a script's line are cut. */
  tail({ file, bytes }: TailRequest): Promise<Result<string>> {
    return this.#read('tail', { MANAGER_FILE: file, MANAGER_BYTES: `${bytes}` })
  }

  /** The file systems of these directories: total, used and available KiB of each, then the directory. */
  async fileSystems(directories: readonly string[]): Promise<Result<readonly FileSystem[]>> {
    const text = await this.#read('disks', { MANAGER_DIRECTORIES: directories.join('\n') })
    if (!text.ok) return text
    return ok(
      text.value.split('\n').flatMap((line) => {
        const [matched, total, used, available, path = ''] = /^(\d+) (\d+) (\d+) (\/.*)$/.exec(line) ?? []
        if (matched === undefined) return []
        const [totalBytes = 0, usedBytes = 0, availableBytes = 0] = [total, used, available].map(
          (kib) => Number(kib) * BLOCK,
        )
        return [{ path, totalBytes, usedBytes, availableBytes }]
      }),
    )
  }

  /** The option files beside my.cnf, one after the other. */
  optionFiles(): Promise<Result<string>> {
    return this.#read('options', {})
  }

  /** The output of a step of host.sh. */
  async #read(step: 'tail' | 'options' | 'disks', request: Environment): Promise<Result<string>> {
    const text = await this.#options.builtIn('host')
    if (!text.ok) return text
    const lines: string[] = []
    const environment = { ...this.#about(step), ...request }
    const onLine = (line: string) => lines.push(line)
    const sent = await this.#send(step, { text: text.value, environment, onLine })
    return sent.ok ? ok(lines.join('\n')) : sent
  }

  /** The environment of every step of host.sh. */
  #about(step: string): Environment {
    const { dataDir, configDir, baseDir } = this.#options
    return {
      MANAGER_STEP: step,
      MANAGER_DATADIR: dataDir(this.#service),
      MANAGER_CONFIGDIR: configDir(this.#service),
      MANAGER_BASEDIR: baseDir(this.#service),
    }
  }

  /** The built-in script for this kind of host. */
  async builtIn(word: 'bootstrap' | 'start', facts: HostFacts, more: Environment = {}): Promise<Result<void>> {
    const { baseDir, builtIn } = this.#options
    const packaged = baseDir(this.#service) !== ''
    if (!packaged && facts.family !== 'debian' && facts.family !== 'redhat')
      return fail(
        'unsupported',
        `${this.#service.name}: the host is neither of the Debian nor of the Red Hat family; use the tag pkg, or your own scripts`,
      )
    const script: BuiltInScript = packaged
      ? 'package-start' // it also creates what is missing
      : `${facts.family === 'debian' ? 'debian' : 'redhat'}-${word}`
    const text = await builtIn(script)
    return text.ok ? this.#script(script, text.value, { facts, more }) : text
  }

  /** A script of the operator, a file on this machine. */
  async custom(file: string, facts: HostFacts): Promise<Result<void>> {
    const text = await readFile(file, 'utf8').catch((error: Error) => error)
    if (typeof text !== 'string') return fail('file-unreadable', `${file}: ${text.message}`)
    return this.#script(file, text, { facts, more: {} })
  }

  async #script(
    name: string,
    text: string,
    { facts, more }: { readonly facts: HostFacts; readonly more: Environment },
  ): Promise<Result<void>> {
    const environment = await this.#options.environment(this.#service, facts.client)
    if (!environment.ok) return environment
    return this.run(name, { text, environment: { ...environment.value, ...more } })
  }

  /** A script with its environment; its output is in the log. */
  async run(name: string, script: { readonly text: string; readonly environment: Environment }): Promise<Result<void>> {
    this.#run.log(`running ${name} on ${this.#service.host}`)
    const answer = await this.#send(name, { ...script, onLine: this.#run.log })
    return answer.ok ? done : answer
  }

  async #send(
    name: string,
    { text, environment, onLine }: { text: string; environment: Environment; onLine?: (line: string) => void },
  ): Promise<Result<SshAnswer>> {
    const { sudo, timer } = this.#options
    const answer = await this.#ask({
      ...remoteCommand({ text, environment, sudo, limitSeconds: Math.ceil(this.remaining / SECOND) }),
      timeoutMs: this.remaining,
      signal: this.#run.signal,
      ...(timer ? { timer } : {}),
      ...(onLine ? { onLine } : {}),
    })
    if (!answer.ok || answer.value.code === 0) return answer
    const last = answer.value.lastLines.at(-1)
    const end = answer.value.code === -1 ? 'was ended by a signal' : `ended with status ${answer.value.code}`
    return fail('script-failed', `${this.#service.name}: ${name} ${end}${last === undefined ? '' : `: ${last}`}`)
  }
}
