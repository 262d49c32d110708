// One database host during one action: the scripts that run there, each line of theirs in the action's log.
import { readFile } from 'node:fs/promises'
import { done, fail, ok, type Result } from '../../base/result.js'
import { SECOND } from '../../base/time.js'
import type { HeldRun, SshAnswer } from '../../connect/ssh/ssh.js'
import type { RenewalState, ServiceSpec } from '../../model/work/services.js'
import type { Run, TailRequest } from '../index.js'
import type { BuiltInScript, OnPremiseOptions } from './options.js'
import { remoteCommand } from './remote-script.js'

/** What a host says of itself. */
export interface HostFacts {
  readonly family: string
  /** What its data folder holds: nothing, a server of the manager's making, or somebody else's. */
  readonly data: 'none' | 'made' | 'foreign'
  /** How far a renewal has come, by what lies beside the data folder. */
  readonly renewal: RenewalState
  /** Address of the manager as the host sees it. */
  readonly client: string
}

export type HostStep = 'inspect' | 'settle' | 'mark' | 'aside' | 'remove' | RenewalStep

/** Steps of a server that is made anew. */
type RenewalStep = 'room' | 'keep' | 'filled' | 'restore' | 'drop' | 'finish' | 'release'

/** What a script is told besides what every one of them is. */
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

  /** Time that is left of the action's deadline, milliseconds. */
  get remaining(): number {
    return Math.max(1, Math.ceil(this.#until - performance.now()))
  }

  /** A step of host.sh; its lines are in the log unless it only asks. */
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

  /** The end of a file; lines longer than a line of a script may be are cut. */
  tail({ file, bytes }: TailRequest): Promise<Result<string>> {
    return this.#read('tail', { MANAGER_FILE: file, MANAGER_BYTES: `${bytes}` })
  }

  /** The option files beside my.cnf, one after the other. */
  optionFiles(): Promise<Result<string>> {
    return this.#read('options', {})
  }

  /** What a step of host.sh shows. */
  async #read(step: 'tail' | 'options', request: Environment): Promise<Result<string>> {
    const text = await this.#options.builtIn('host')
    if (!text.ok) return text
    const lines: string[] = []
    const environment = { ...this.#about(step), ...request }
    const onLine = (line: string) => lines.push(line)
    const sent = await this.#send(step, { text: text.value, environment, onLine })
    return sent.ok ? ok(lines.join('\n')) : sent
  }

  /** What every step of host.sh is told. */
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
        `${this.#service.name}: the host is neither of the Debian nor of the Red Hat family; use the tag pkg, or scripts of your own`,
      )
    const script: BuiltInScript = packaged
      ? 'package-start' // it makes what is missing as well
      : `${facts.family === 'debian' ? 'debian' : 'redhat'}-${word}`
    const text = await builtIn(script)
    return text.ok ? this.#script(script, text.value, { facts, more }) : text
  }

  /** A script of the operator's, a file on this machine. */
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

  /** A script with all that it is told; its lines are in the log. */
  async run(name: string, script: { readonly text: string; readonly environment: Environment }): Promise<Result<void>> {
    this.#run.log(`running ${name} on ${this.#service.host}`)
    const answer = await this.#send(name, { ...script, onLine: this.#run.log })
    return answer.ok ? done : answer
  }

  async #send(
    name: string,
    { text, environment, onLine }: { text: string; environment: Environment; onLine?: (line: string) => void },
  ): Promise<Result<SshAnswer>> {
    const { sudo } = this.#options
    const answer = await this.#ask({
      ...remoteCommand({ text, environment, sudo, limitSeconds: Math.ceil(this.remaining / SECOND) }),
      timeoutMs: this.remaining,
      signal: this.#run.signal,
      ...(onLine ? { onLine } : {}),
    })
    if (!answer.ok || answer.value.code === 0) return answer
    const last = answer.value.lastLines.at(-1)
    const end = answer.value.code === -1 ? 'was ended by a signal' : `ended with status ${answer.value.code}`
    return fail('script-failed', `${this.#service.name}: ${name} ${end}${last === undefined ? '' : `: ${last}`}`)
  }
}
