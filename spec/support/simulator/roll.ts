// Rolling work in the simulated cluster: the real decisions, a manager that can be killed at any step, and an account of
// who was down when.
import { unwrap } from '../../../lib/base/result.js'
import { cancelRoll, noteRefusal, noteTurn, planRoll, stepRoll } from '../../../lib/decide/upkeep/rolling.js'
import { isRolling, type Roll, type RollCommand } from '../../../lib/model/operation/roll.js'
import type { Manager } from './manager.js'
import { numberOf } from './server.js'

/** Where a run is cut: when it is written down, in the middle of what it does, after that and before it is reported. */
export type Moment = 'written' | 'midway' | 'performed'

export interface Cut {
  readonly command: number
  readonly moment: Moment
}

export class Cutoff extends Error {}

export interface RollOptions {
  readonly cut?: Cut
  /** Looks after which a run that has not ended counts as stuck. */
  readonly patience?: number
  readonly onTick?: (roller: Roller) => void
  /** A server that stays down when it is restarted. */
  readonly broken?: number
}

export class Roller {
  manager: Manager
  roll: Roll
  /** Commands that were begun, by word. */
  readonly trace: string[] = []
  readonly #options: RollOptions
  #count = 0

  constructor(manager: Manager, roll: Roll, options: RollOptions = {}) {
    this.manager = manager
    this.roll = roll
    this.#options = options
  }

  static begin(manager: Manager, options: RollOptions = {}): Roller {
    const request = { id: 'rolling-restart-1', user: 'ann', kind: 'restart' } as const
    return new Roller(manager, unwrap(planRoll(manager.probe(), request)), options)
  }

  /** A new manager with what the old one left on disk. */
  resume(options: RollOptions = {}): Roller {
    for (const server of this.manager.world.servers) server.frozen = false // The lock ends with the manager's session.
    const manager = this.manager.restart()
    manager.settle()
    const next = new Roller(manager, this.roll, options)
    next.#maintain()
    return next
  }

  cancel(): void {
    this.roll = cancelRoll(this.roll, 'ann')
  }

  /** Until the run has ended. */
  run(): Roll {
    for (let tick = 0; tick < (this.#options.patience ?? 400); tick += 1) {
      if (!isRolling(this.roll)) return this.roll
      this.manager.tick(200)
      this.#options.onTick?.(this)
      this.#step()
    }
    throw new Error(`stuck: ${JSON.stringify(this.roll.waiting)} after ${this.trace.join(', ')}`)
  }

  #step(): void {
    const step = stepRoll(this.roll, this.manager.judge())
    this.roll = step.roll
    this.#maintain()
    if (!step.command) return
    this.trace.push(step.command.type === 'act' ? `restart ${step.command.server}` : 'move')
    this.#cut('written')
    this.#perform(step.command)
    this.#maintain()
    this.#count += 1
  }

  #perform(command: RollCommand): void {
    const { world } = this.manager
    if (command.type === 'move') {
      if (this.#isCut('midway')) this.manager.kill = { at: 4, moment: 'performed' }
      const moved = this.manager.switchOver(command.candidate)
      this.#cut('performed')
      if (!moved.ok) this.roll = noteRefusal(this.roll, moved.failure.message, world.now)
      return
    }
    const number = numberOf(command.server)
    world.kill(number)
    world.pass(2_000)
    this.#cut('midway')
    if (number !== this.#options.broken) world.start(number)
    world.pass(1_500)
    this.#cut('performed')
    this.manager.probe()
    const failure = number === this.#options.broken ? { failure: `${command.server} did not come back` } : {}
    // What was seen at the very moment of its report is history.
    this.roll = noteTurn(this.roll, { server: command.server, ...failure }, world.now)
  }

  #isCut(moment: Moment): boolean {
    const { cut } = this.#options
    return cut?.command === this.#count && cut.moment === moment
  }

  #cut(moment: Moment): void {
    if (this.#isCut(moment)) throw new Cutoff()
  }

  /** What the run asks for is what the members are in. */
  #maintain(): void {
    const { manager, roll } = this
    const maintained = new Set(roll.servers.flatMap(({ server, maintained }) => (maintained ? server : [])))
    manager.servers = manager.servers.map((server) => ({ ...server, maintenance: maintained.has(server.id) }))
  }
}
