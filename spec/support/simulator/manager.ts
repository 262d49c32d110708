// A manager of the simulated cluster, made of the real decisions: probes, judges, runs plans, and can be killed anywhere.

import { fail, ok, type Result } from '../../../lib/base/result.js'
import { planAhead } from '../../../lib/decide/failover/ahead.js'
import { electFrozen, judgeFailover, planFailover, refuseFrozen } from '../../../lib/decide/failover/failover.js'
import { judgeCluster } from '../../../lib/decide/judge.js'
import { decideRecovery, type Interrupted, recallInterrupted, recallSeen } from '../../../lib/decide/repair/recover.js'
import { planRejoin } from '../../../lib/decide/repair/rejoin.js'
import { planRepair } from '../../../lib/decide/repair/repair.js'
import { asksEvents } from '../../../lib/decide/situation/events.js'
import { applyReading } from '../../../lib/decide/situation/health.js'
import type { DecideSettings, Situation } from '../../../lib/decide/situation/situation.js'
import { hasStartedTurned } from '../../../lib/decide/situation/snapshot/together.js'
import { isGone } from '../../../lib/decide/situation/state-name.js'
import { refuseOpening } from '../../../lib/decide/switchover/opening.js'
import { textOf } from '../../../lib/decide/switchover/preview.js'
import { planSwitchover } from '../../../lib/decide/switchover/switchover.js'
import { noteEvents } from '../../../lib/decide/watching/note-events.js'
import { groupsOf } from '../../../lib/effect/plan/step.js'
import { findingKey } from '../../../lib/model/finding.js'
import { freshMemory, type Memory } from '../../../lib/model/memory.js'
import type { Command, Reprobe } from '../../../lib/model/operation/command.js'
import type { Crash } from '../../../lib/model/operation/crash.js'
import type { Plan } from '../../../lib/model/operation/operation.js'
import type { ServerId } from '../../../lib/model/server/server.js'
import { findServer, type ServerSnapshot, type Snapshot } from '../../../lib/model/snapshot.js'
import type { World } from './cluster.js'
import { readSlowly } from './server.js'
import { server as newMember, running, type ServerDraft, settings as usual } from './situation.js'

/** Where a run is cut: before step `at` begins, after it was performed but not written down, or after it was begun. */
export interface Kill {
  /** The place of a command in its plan; steps that take back, go on or undo are counted on from the last that was run. */
  readonly at: number
  readonly moment: 'before' | 'begun' | 'performed'
}

/** Where a run is cut while commands run together: which of them were performed, and what of it the disk holds. */
export interface Cut {
  /** Which group of commands, from 0. */
  readonly group: number
  readonly performed: (command: Command, index: number) => boolean
  /** `lost`: with the power, what was not synced yet: the lines of the group, and how the one before ended. */
  readonly journal: 'kept' | 'lost'
}

interface GroupCut extends Cut {
  readonly indices: readonly number[]
  /** The journal as it was on disk for certain when the group began. */
  readonly synced: Interrupted | undefined
}

/** A probe that is asked for answers so much later. */
const ASKED_MS = 1

export class Killed extends Error {}

/** A step as the journal names it. */
interface Place {
  readonly list: 'commands' | 'undo'
  readonly index: number
}

interface ManagerOptions {
  readonly settings?: Partial<DecideSettings>
  readonly members?: Readonly<Record<string, ServerDraft>>
  readonly memory?: Memory
  readonly journal?: Interrupted
}

export class Manager {
  readonly world: World
  readonly options: ManagerOptions
  servers: readonly ServerSnapshot[]
  memory: Memory
  /** What a restarted manager would find on disk. */
  journal: Interrupted | undefined
  snapshot: Snapshot | undefined
  #wouldFailOver = false
  /** Plans that were run, in order: kind and outcome. */
  readonly history: string[] = []
  /** What a reader of the log would see, line by line. */
  readonly trace: string[] = []
  kill: Kill | undefined
  cut: Cut | undefined
  #running: Plan | undefined
  /** Steps of the running plan that were begun, and how many of them are not commands of it. */
  #steps = 0
  #added = 0
  #lastEnd: number | undefined

  constructor(world: World, options: ManagerOptions = {}) {
    this.world = world
    this.options = options
    this.memory = options.memory ?? freshMemory
    this.journal = options.journal
    this.servers = world.servers.map(({ number }) =>
      newMember(number, { observation: 'unseen', observedAt: 0, stateAt: 0, ...options.members?.[`db${number}`] }),
    )
  }

  get settings(): DecideSettings {
    return { ...usual, ...this.options.settings }
  }

  /** A new manager with what the old one left on disk: its journal, and the memory, unless an older one was saved last. */
  restart(memory: Memory = this.memory): Manager {
    const journal = this.journal
    // The lock ends with the manager's session, and what it has sent is known to nobody.
    for (const server of this.world.servers) Object.assign(server, { frozen: false, ordered: false })
    return new Manager(this.world, { ...this.options, memory, ...(journal ? { journal } : {}) })
  }

  probe(): Situation {
    const { world } = this
    for (const { number } of world.servers) {
      const reading = world.probe(number)
      this.servers = this.servers.map((server) =>
        server.id === reading.server ? applyReading(server, reading, world.now) : server,
      )
    }
    this.#readEvents()
    return this.judge()
  }

  /** As slow probes do, where they ask for events; what the primary has is remembered. */
  #readEvents(): void {
    const { snapshot, memory } = this
    if (!snapshot) return
    this.servers = this.servers.map((server) => {
      const simulated = this.world.server(server.id)
      if (simulated.event === undefined || server.observation !== 'answered') return server
      if (!simulated.scheduler && !asksEvents({ snapshot, memory }, server)) return server
      const slow = readSlowly(simulated, this.world.now)
      this.memory = noteEvents({ snapshot, memory: this.memory }, slow)
      return { ...server, slow }
    })
  }

  judge(): Situation {
    const plan = this.#running
    const operation = plan && { operation: running({ kind: plan.kind, ...pairOf(plan) }) }
    const { snapshot, memory, verdict } = judgeCluster({
      cluster: 'c1',
      servers: this.servers,
      memory: this.memory,
      settings: this.settings,
      now: this.world.now,
      ...operation,
      ...(this.#lastEnd === undefined ? {} : { lastOperation: running({ endedAt: this.#lastEnd }) }),
    })
    this.trace.push(...changesBetween(this.snapshot, snapshot))
    this.servers = snapshot.servers
    this.memory = memory
    this.snapshot = snapshot
    this.#wouldFailOver = verdict.wouldFailOver
    return { snapshot, settings: this.settings, memory, now: this.world.now }
  }

  /** One probe and what follows from it. */
  tick(ms = 100): void {
    this.world.pass(ms)
    const before = this.servers
    let situation = this.probe()
    // The others are asked at once, as the watch does it.
    if (this.servers.some((server, index) => hasStartedTurned(before[index] ?? server, server))) {
      this.world.pass(ASKED_MS)
      situation = this.probe()
    }
    // The verdict says whether there is a plan, in every small cluster (proof/exhaustive): it is not judged a second time.
    const failover = this.#wouldFailOver ? planFailover(situation) : undefined
    const plan = failover?.ok
      ? failover.value
      : (planAhead(situation) ?? planRejoin(situation) ?? planRepair(situation))
    if (plan) this.run(plan)
  }

  ticks(count: number, ms = 100): void {
    for (let tick = 0; tick < count; tick += 1) this.tick(ms)
  }

  /** First probes and the unfinished plan, as a started manager does it. */
  settle(): void {
    this.probe()
    const { journal } = this
    if (!journal) return
    this.memory = recallInterrupted(journal, this.memory)
    const situation = this.judge()
    const plan = decideRecovery(journal, situation)
    this.memory = recallSeen(journal, situation)
    this.journal = undefined
    if (plan) this.run(plan)
  }

  switchOver(candidate?: string): Result<Plan> {
    const plan = planSwitchover(this.probe(), { user: 'ann', ...(candidate === undefined ? {} : { candidate }) })
    if (plan.ok) this.run(plan.value)
    return plan
  }

  /** On request of a person. */
  failOver(): Result<Plan> {
    const plan = planFailover(this.probe(), { user: 'ann', forced: true })
    if (plan.ok) this.run(plan.value)
    return plan
  }

  run(plan: Plan): void {
    this.#running = plan
    this.#steps = 0
    this.#added = 0
    this.journal = { plan, entries: [] }
    this.trace.push(`${plan.kind} begins: ${plan.reason}`)
    const failure = this.#commands(plan)
    const kept = failure === undefined || this.#hasMoved(plan) ? undefined : this.#settleFailed(plan)
    this.#end(plan, kept ?? failure)
  }

  /** Undone, unless the new primary keeps the role; answers why it does. */
  #settleFailed(plan: Plan): string | undefined {
    const kept = this.#takeBack(plan)
    if (kept === undefined) this.#undo(plan)
    else this.#goOn(plan)
    return kept
  }

  #commands(plan: Plan): string | undefined {
    const groups = groupsOf(plan.commands)
    let synced = this.journal
    for (const [index, command] of plan.commands.entries()) {
      const group = groups.findIndex(([first]) => first === index)
      if (group >= 0 && this.cut?.group === group)
        this.#cutGroup(plan.commands, { ...this.cut, indices: groups[group] ?? [], synced })
      if (group >= 0) synced = this.#named(groups[group] ?? [])
      const result = this.#step({ list: 'commands', index }, command)
      if (!result.ok && !command.bestEffort && !this.#hasMoved(plan)) return result.failure.message
    }
    return undefined
  }

  #step(place: Place, command: Command): Result<string> {
    const at = this.#steps
    this.#steps += 1
    this.#die(at, 'before')
    this.#note({ type: 'started', ...place })
    this.#die(at, 'begun')
    const result = this.#perform(command)
    this.#die(at, 'performed')
    this.#note({ type: 'settled', ...place, state: result.ok ? 'done' : 'failed' })
    this.world.pass(1)
    return result
  }

  #die(at: number, moment: Kill['moment']): void {
    if (this.kill?.at === at && this.kill.moment === moment) throw new Killed()
  }

  /** A step that is no command of the plan. */
  #add(command: Command): Result<string> {
    const index = this.#added
    this.#added += 1
    return this.#step({ list: 'undo', index }, command)
  }

  #cutGroup(commands: readonly Command[], { performed, journal, indices, synced }: GroupCut): never {
    const kept = this.#named(indices)
    for (const index of indices) {
      const command = commands[index]
      if (command && performed(command, index)) this.#perform(command)
    }
    this.journal = journal === 'kept' ? kept : synced
    throw new Killed()
  }

  /** The journal with every command of the group named as started. */
  #named(group: readonly number[]): Interrupted | undefined {
    const started = group.map((index) => ({ type: 'started', list: 'commands', index }) as const)
    return this.journal && { ...this.journal, entries: [...this.journal.entries, ...started] }
  }

  #undo(plan: Plan): void {
    this.trace.push('  undoing:')
    this.#note({ type: 'undo' })
    for (const command of plan.undo) this.#add(command)
  }

  /** As effect/plan/run-plan does, before anything is undone: why the new primary keeps the role. */
  #takeBack({ kind, commands, undo, oldPrimary, newPrimary }: Plan): string | undefined {
    const moves = kind === 'switchover' || kind === 'failover'
    if (!moves || undo.length === 0 || oldPrimary === undefined || newPrimary === undefined) return undefined
    const isSettled = (type: Command['type'], states: readonly string[]) =>
      (this.journal?.entries ?? []).some(({ list, index, state = '' }) => {
        const command = list === 'commands' && index !== undefined ? commands[index] : undefined
        return command?.type === type && 'server' in command && command.server === newPrimary && states.includes(state)
      })
    if (!isSettled('make-writable', ['failed']) && !isSettled('promote', ['done', 'failed'])) return undefined
    const taken = this.#add({ type: 'take-back', server: newPrimary, oldPrimary })
    return taken.ok ? undefined : taken.failure.message
  }

  /** As if opening the new primary had gone through; it is opened again, since it was closed to be asked. */
  #goOn({ commands, newPrimary }: Plan): void {
    const at = commands.findIndex((command) => command.type === 'make-writable' && command.server === newPrimary)
    this.#note({ type: 'settled', list: 'commands', index: at, state: 'done' })
    const opening = commands[at]
    if (opening) this.#add(opening)
    for (const [index, command] of commands.entries())
      if (index > at && command.type !== 'report' && command.type !== 'mark-primary')
        this.#step({ list: 'commands', index }, command)
  }

  #perform(command: Command): Result<string> {
    const refusal = this.#mayFork(command) ? refuseOpening(this.probe(), command.server) : undefined
    if (refusal !== undefined) return fail('wrong-state', refusal)
    const result = command.type === 'reprobe' ? this.#reprobe(command) : this.world.perform(command)
    this.trace.push(`  ${textOf(command, this.judge())}${result.ok ? '' : `: ${result.failure.message}`}`)
    return result
  }

  #reprobe({ candidate, frozen, proof }: Reprobe): Result<string> {
    const plan = this.#running
    if (proof) this.world.pass(50)
    const { snapshot, ...rest } = this.probe()
    const { operation: _, ...idle } = snapshot
    const situation = { ...rest, snapshot: idle }
    if (plan?.kind === 'switchover') {
      const again = planSwitchover(situation, { user: 'ann', candidate })
      return again.ok ? ok('') : again
    }
    const primary = findServer(snapshot, plan?.oldPrimary)
    if (proof && !(primary && isGone(primary))) return fail('vetoed', 'it was not refused a second time')
    if (primary?.observation === 'answered' && primary.state?.readOnly === false)
      return fail('primary-alive', 'it answers')
    if (!frozen && !proof && !judgeFailover(situation).primaryDead) return fail('vetoed', 'it answers again')
    const running = plan?.commands ?? []
    const election = electFrozen(situation, running)
    const { candidate: elected } = frozen ? election : judgeFailover(situation)
    if (elected !== candidate) return fail('vetoed', `${elected} instead of ${candidate}`)
    const refusal = frozen ? refuseFrozen(situation, election, { running }) : undefined
    return refusal === undefined ? ok('') : fail('vetoed', refusal)
  }

  /** As the effects ask before they open a server that may have restarted: the freeze of one that did not still holds. */
  #mayFork(command: Command): command is Extract<Command, { readonly server: ServerId }> {
    if (command.type === 'make-writable') return command.checked === true
    return command.type === 'unfreeze' && command.writable && !this.world.server(command.server).frozen
  }

  #note(entry: Interrupted['entries'][number]): void {
    if (this.journal) this.journal = { ...this.journal, entries: [...this.journal.entries, entry] }
  }

  #hasMoved({ newPrimary, commands, opened }: Plan): boolean {
    if (opened) return true
    return (this.journal?.entries ?? []).some(({ list, index, state }) => {
      const command = index === undefined ? undefined : commands[index]
      return (
        list === 'commands' && state === 'done' && command?.type === 'make-writable' && command.server === newPrimary
      )
    })
  }

  #end(plan: Plan, failure: string | undefined): void {
    const { memory, world } = this
    if (plan.newPrimary !== undefined && this.#hasMoved(plan)) {
      const crash: readonly Crash[] = plan.crash ? [plan.crash] : []
      this.memory = {
        ...memory,
        primary: plan.newPrimary,
        crashes: [...memory.crashes.filter(({ oldPrimary }) => oldPrimary !== plan.oldPrimary), ...crash].filter(
          ({ oldPrimary }) => oldPrimary !== plan.newPrimary,
        ),
        history: [...memory.history, ...crash],
        ...(plan.kind === 'failover' ? { failoverCount: memory.failoverCount + 1, lastFailoverAt: world.now } : {}),
      }
    }
    const saved = plan.commands.flatMap((command) => (command.type === 'save-tail' ? command.server : []))
    this.memory = {
      ...this.memory,
      crashes: this.memory.crashes.map((crash) =>
        saved.includes(crash.oldPrimary) ? { ...crash, outcome: { at: world.now, verdict: 'diverged' } } : crash,
      ),
    }
    this.trace.push(`${plan.kind} ends${failure === undefined ? '' : `: ${failure}`}`)
    this.history.push(failure === undefined ? plan.kind : `${plan.kind} failed: ${failure}`)
    this.journal = undefined
    this.#running = undefined
    this.#lastEnd = world.now
  }
}

/** States and findings that changed, as the log says them. */
function changesBetween(before: Snapshot | undefined, after: Snapshot): readonly string[] {
  const keys = (snapshot: Snapshot | undefined) =>
    new Map((snapshot?.findings ?? []).map((one) => [findingKey(one), one.detail]))
  const [had, has] = [keys(before), keys(after)]
  return [
    ...(before?.primary === after.primary ? [] : [`the primary is ${after.primary ?? 'unknown'}`]),
    ...after.servers.flatMap(({ id, stateName }) =>
      findServer({ servers: before?.servers ?? [] }, id)?.stateName === stateName ? [] : [`${id} is ${stateName}`],
    ),
    ...[...has].flatMap(([key, detail]) => (had.has(key) ? [] : [`+ ${key} ${detail}`.trimEnd()])),
    ...[...had.keys()].flatMap((key) => (has.has(key) ? [] : [`- ${key}`])),
  ]
}

const pairOf = ({ oldPrimary, newPrimary }: Plan) => ({
  ...(oldPrimary === undefined ? {} : { oldPrimary }),
  ...(newPrimary === undefined ? {} : { newPrimary }),
})
