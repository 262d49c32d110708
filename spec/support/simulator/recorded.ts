// The behaviour of a cluster actor on the simulated cluster, with its flight recorder: what it handled and what came of it.
import { clusterBehaviour } from '../../../actors/cluster/handlers/behaviour.js'
import { Recorder } from '../../../actors/cluster/recording/recorder.js'
import type { ActorCommand } from '../../../actors/cluster/state/message/command.js'
import type { RuntimeProtocol } from '../../../actors/cluster/state/message/messages.js'
import { initialState } from '../../../actors/cluster/state/start.js'
import type { ClusterState } from '../../../actors/cluster/state/state.js'
import { type Behaviour, createMailbox, type Mailbox } from '../../../actors/kernel/behaviour.js'
import { fail, ok, type Result } from '../../../lib/base/result.js'
import { secret } from '../../../lib/base/secret.js'
import { freshMemory } from '../../../lib/model/memory.js'
import type { Command } from '../../../lib/model/operation/command.js'
import type { Operation, OperationStep, Plan } from '../../../lib/model/operation/operation.js'
import type { ServerId } from '../../../lib/model/server/server.js'
import { serverId } from '../../../lib/model/server/server-id.js'
import { defaultSettings, exportSettings, type Settings } from '../../../lib/settings/index.js'
import type { World } from './cluster.js'
import { idOf } from './server.js'

/** One message as the original run handled it. */
export interface Original {
  readonly type: string
  readonly commands: readonly ActorCommand[]
  readonly reply: unknown
}

/** Passwords of the settings: they may appear in no recording. */
export const secrets = ['m0nitor-secret', 'r3plication-secret', 'web-hook-secret'] as const

export class RecordedManager {
  readonly world: World
  readonly recorder: Recorder
  readonly originals: Original[] = []
  readonly #mailbox: Mailbox<RuntimeProtocol, ClusterState>
  readonly #plans: { readonly operation: Operation; readonly plan: Plan }[] = []
  readonly #ids: ReadonlyMap<ServerId, ServerId>
  #limit: number | undefined = 1_024 * 1_024

  constructor(world: World, directory: string, overrides: Partial<Settings> = {}) {
    this.world = world
    const hosts = world.servers.map(({ number }) => idOf(number))
    this.#ids = new Map(hosts.map((host) => [serverId('c1', `${host}:3306`), host]))
    const settings = defaultSettings({
      ...{ 'db-servers-hosts': hosts, 'failover-mode': 'automatic', 'failover-limit': 0 },
      'db-servers-credential': secret(`monitor:${secrets[0]}`),
      'replication-credential': secret(`repl:${secrets[1]}`),
      'alert-webhook-secret': secret(secrets[2]),
      ...overrides,
    })
    this.recorder = new Recorder({
      ...{ directory, cluster: 'c1', limit: () => this.#limit },
      complain: (text) => {
        throw new Error(text)
      },
    })
    this.#mailbox = createMailbox<RuntimeProtocol, ClusterState, ActorCommand>({
      behaviour: this.#noting(),
      state: initialState(
        { name: 'c1', directory, settings: exportSettings(settings) },
        { memory: freshMemory, damage: [] },
        world.now,
      ),
      clock: () => world.now,
      record: (handled) => this.recorder.note(handled),
      execute: (commands) => {
        for (const command of commands) if (command.type === 'operate') this.#plans.push(command)
      },
    })
  }

  get state(): ClusterState {
    return this.#mailbox.state()
  }

  /** Kinds of the operations that were begun. */
  readonly begun: string[] = []

  send<T extends keyof RuntimeProtocol & string>(type: T, payload: RuntimeProtocol[T]['in']): void {
    void this.#mailbox.receive(type, payload)
  }

  /** The first probes. */
  begin(): void {
    this.probe()
    this.send('recover', {})
  }

  /** As the recorder is switched off and on by its setting. */
  record(on: boolean): void {
    this.#limit = on ? 1_024 * 1_024 : undefined
  }

  probe(): void {
    for (const { number } of this.world.servers) {
      const reading = this.world.probe(number)
      this.send('observed', { reading: { ...reading, server: serverId('c1', `${idOf(number)}:3306`) } })
    }
  }

  tick(ms = 100): void {
    this.world.pass(ms)
    this.probe()
    this.send('tick', { lostMs: 0 })
    for (let next = this.#plans.shift(); next; next = this.#plans.shift()) this.#operate(next)
  }

  ticks(count: number): void {
    for (let tick = 0; tick < count; tick += 1) this.tick()
  }

  /** The same behaviour; what it answers is kept. */
  #noting(): Behaviour<RuntimeProtocol, ClusterState, ActorCommand> {
    const rows = Object.entries(clusterBehaviour).map(([type, handle]) => {
      const noted = (...given: readonly unknown[]) => {
        const outcome = (handle as (...args: readonly unknown[]) => Omit<Original, 'type'>)(...given)
        this.originals.push({ type, commands: outcome.commands ?? [], reply: outcome.reply })
        return outcome
      }
      return [type, noted]
    })
    return Object.fromEntries(rows) as typeof clusterBehaviour
  }

  /** Performs a plan as the runtime does: each step is a message, and the end is one. */
  #operate({ operation, plan }: { readonly operation: Operation; readonly plan: Plan }): void {
    this.begun.push(plan.kind)
    let steps: readonly OperationStep[] = operation.steps
    for (const [index, command] of plan.commands.entries()) {
      const done = this.#perform(command)
      this.world.pass(1)
      const state = done.ok ? 'done' : 'failed'
      steps = steps.with(index, { command, state, message: done.ok ? done.value : done.failure.message, tookMs: 1 })
      this.send('stepped', { operation: { ...operation, steps } })
      if (done.ok || command.bestEffort) continue
      for (const undo of plan.undo) this.#perform(undo)
      this.#end({ ...operation, steps, phase: 'rolled-back', message: done.failure.message })
      return
    }
    this.#end({ ...operation, steps, phase: 'succeeded' }, plan)
  }

  #end(operation: Operation, plan?: Plan): void {
    this.probe()
    const ended = { ...operation, endedAt: this.world.now }
    this.send('ended', { operation: ended, ...(plan?.crash ? { crash: plan.crash } : {}) })
  }

  #perform(command: Command): Result<string> {
    if (command.type === 'reprobe') {
      this.world.pass(50)
      this.probe()
      const primary = this.state.snapshot.servers.find(({ id }) => id === this.state.snapshot.operation?.oldPrimary)
      const lives = this.state.snapshot.operation?.kind === 'failover' && primary?.observation === 'answered'
      return lives ? fail('primary-alive', 'it answers') : ok('')
    }
    const simulated = Object.entries(command).map(([part, value]) => [part, this.#ids.get(value as ServerId) ?? value])
    return this.world.perform(Object.fromEntries(simulated) as Command)
  }
}
