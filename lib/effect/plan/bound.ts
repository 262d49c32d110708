// How old the decision is that a running plan rests on, by two clocks: one stops while the machine sleeps.
import { SECOND } from '../../base/time.js'
import type { Command, Reprobe } from '../../model/operation/command.js'

/** A plan acts within so long after its servers were last probed and judged; then they are probed and judged again. */
const BOUND_MS = 2 * SECOND

export interface BoundClocks {
  /** Moves forward evenly. */
  readonly now: () => number
  /** The system's; it may jump. */
  readonly wall?: () => number
}

export class Bound {
  readonly #now: () => number
  readonly #wall: () => number
  #at: number
  #wallAt: number

  constructor({ now, wall = Date.now }: BoundClocks) {
    this.#now = now
    this.#wall = wall
    this.#at = now()
    this.#wallAt = wall()
  }

  /** The servers were probed and the plan judged again just now. */
  renew(): void {
    this.#at = this.#now()
    this.#wallAt = this.#wall()
  }

  /** What has to pass before this command; undefined when the decision is young enough, or nothing hangs on it. */
  requires(command: Command): Reprobe | undefined {
    const candidate = openedBy(command)
    const ageMs = Math.max(this.#now() - this.#at, Math.abs(this.#wall() - this.#wallAt))
    return candidate !== undefined && ageMs > BOUND_MS ? { type: 'reprobe', candidate, outdated: true } : undefined
  }
}

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
    default:
      return undefined
  }
}
