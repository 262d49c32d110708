// One database host during one action: the scripts that run there, each line of theirs in the action's log.
import { readFile } from 'node:fs/promises'
import { done, fail, ok, type Result } from '../../base/result.js'
import { SECOND } from '../../base/time.js'
import type { HeldRun, SshAnswer } from '../../connect/ssh.js'
import type { ServiceSpec } from '../../model/services.js'
import type { Run, TailWish } from '../index.js'
import type { BuiltInScript, OnPremiseOptions } from './options.js'
import { remoteCommand } from './remote-script.js'

/** What a host says of itself. */
export interface HostFacts {
  readonly family: string
  /** What its data folder holds: nothing, a server of the manager's making, or somebody else's. */
  readonly data: 'none' | 'made' | 'foreign'
  /** Address of the manager as the host sees it. */
  readonly client: string
}

export type HostStep = 'inspect' | 'settle' | 'mark' | 'aside' | 'remove'

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
    const environment = { MANAGER_STEP: step, MANAGER_DATADIR: this.#options.dataDir(this.#service) }
    return this.#send(step, {
      ...{ text: text.value, environment },
      ...(step === 'inspect' ? {} : { onLine: this.#run.log }),
    })
  }

  async inspect(): Promise<Result<HostFacts>> {
    const answer = await this.step('inspect')
    if (!answer.ok) return answer
    const said = new Map(answer.value.lastLines.map((line) => line.split('=', 2) as [string, string]))
    const data = said.get('data')
    if (data !== 'none' && data !== 'made' && data !== 'foreign')
      return fail(
        'script-failed',
        `${this.#service.name}: the host does not tell what it is: ${answer.value.lastLines.join(' ')}`,
      )
    return ok({ family: said.get('family') ?? 'unknown', data, client: said.get('client') ?? '' })
  }

  /** The end of a file; lines longer than a line of a script may be are cut. */
  tail({ file, bytes }: TailWish): Promise<Result<string>> {
    return this.#read('tail', { MANAGER_FILE: file, MANAGER_BYTES: `${bytes}` })
  }

  /** The option files beside my.cnf, one after the other. */
  optionFiles(): Promise<Result<string>> {
    return this.#read('options', { MANAGER_CONFIGDIR: this.#options.configDir(this.#service) })
  }

  /** What a step of host.sh shows. */
  async #read(step: 'tail' | 'options', wish: Readonly<Record<string, string>>): Promise<Result<string>> {
    const text = await this.#options.builtIn('host')
    if (!text.ok) return text
    const lines: string[] = []
    const environment = { MANAGER_STEP: step, MANAGER_DATADIR: this.#options.dataDir(this.#service), ...wish }
    const onLine = (line: string) => lines.push(line)
    const sent = await this.#send(step, { text: text.value, environment, onLine })
    return sent.ok ? ok(lines.join('\n')) : sent
  }

  /** The built-in script for this kind of host. */
  async builtIn(word: 'bootstrap' | 'start', facts: HostFacts): Promise<Result<void>> {
    const { packaged, builtIn } = this.#options
    if (!packaged && facts.family !== 'debian' && facts.family !== 'redhat')
      return fail(
        'unsupported',
        `${this.#service.name}: the host is neither of the Debian nor of the Red Hat family; use the tag pkg, or scripts of your own`,
      )
    const script: BuiltInScript = packaged
      ? 'package-start' // it makes what is missing as well
      : `${facts.family === 'debian' ? 'debian' : 'redhat'}-${word}`
    const text = await builtIn(script)
    return text.ok ? this.#script(script, text.value, facts) : text
  }

  /** A script of the operator's, a file on this machine. */
  async custom(file: string, facts: HostFacts): Promise<Result<void>> {
    const text = await readFile(file, 'utf8').catch((error: Error) => error)
    if (typeof text !== 'string') return fail('file-unreadable', `${file}: ${text.message}`)
    return this.#script(file, text, facts)
  }

  async #script(name: string, text: string, { client }: HostFacts): Promise<Result<void>> {
    const environment = await this.#options.environment(this.#service, client)
    if (!environment.ok) return environment
    this.#run.log(`running ${name} on ${this.#service.host}`)
    const answer = await this.#send(name, { text, environment: environment.value, onLine: this.#run.log })
    return answer.ok ? done : answer
  }

  async #send(
    name: string,
    {
      text,
      environment,
      onLine,
    }: { text: string; environment: Readonly<Record<string, string>>; onLine?: (line: string) => void },
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
