// How old the decision is that a running plan rests on, by two clocks: one stops while the machine sleeps.
import { SECOND } from '../../base/time.js'
import type { Command, Reprobe } from '../../model/operation/command.js'
import type { Operation } from '../../model/operation/operation.js'
import type { ServerId } from '../../model/server/server.js'

/** A plan acts within so long after its servers were last probed and judged; then they are probed and judged again. */
const BOUND_MS = 2 * SECOND

export interface BoundClocks {
  /** Moves forward evenly. */
  readonly now: () => number
  /** The system's; it may jump. */
  readonly wall?: () => number
}

export interface BoundRun extends BoundClocks {
  /** When the plan was judged, and whom it is for. */
  readonly operation: Pick<Operation, 'startedAt' | 'newPrimary'>
}

export class Bound {
  readonly #now: () => number
  readonly #wall: () => number
  readonly #newPrimary: ServerId | undefined
  #at: number
  #wallAt: number

  constructor({ now, wall = Date.now, operation }: BoundRun) {
    this.#now = now
    this.#wall = wall
    this.#newPrimary = operation.newPrimary
    this.#at = operation.startedAt
    this.#wallAt = wall()
  }

  /** To be called before the servers are probed and the plan is judged again; what it answers, when that passed: probes of before a pause prove nothing. */
  judging(): () => void {
    const [at, wallAt] = [this.#now(), this.#wall()]
    return () => {
      this.#at = at
      this.#wallAt = wallAt
    }
  }

  /** A step failed: what it rested on may hold no more, however young it is. */
  doubt(): void {
    this.#at = Number.NEGATIVE_INFINITY
  }

  /** What has to pass before this command; undefined when the decision is young enough, or nothing hangs on it. */
  requires(command: Command): Reprobe | undefined {
    const candidate = openedBy(command) ?? (dependsOnRole(command) ? this.#newPrimary : undefined)
    const ageMs = Math.max(this.#now() - this.#at, Math.abs(this.#wall() - this.#wallAt))
    return candidate !== undefined && ageMs > BOUND_MS ? { type: 'reprobe', candidate, outdated: true } : undefined
  }
}

/** What does harm where another server was given the role: it parts that one from its replicas, or elects among what is left of them. */
const dependsOnRole = (command: Command): boolean =>
  command.type === 'stop-receiving' || (command.type === 'reprobe' && command.frozen === true)

/** The server that takes writes, or the source of others, by what cannot be taken back. */
function openedBy(command: Command): string | undefined {
  switch (command.type) {
    case 'promote':
    case 'make-writable':
      return command.server
    case 'unfreeze':
      return command.writable ? command.server : undefined
    case 'repoint':
      return command.source
    case 'route-writes':
      return command.primary
    default:
      return undefined
  }
}
