// All places for host threads: the shared ones, and those of offenders and suspects, which are created and removed.
import type { ResourceLimits } from 'node:worker_threads'
import { choosePlace } from './placement.js'
import { Seat, type SeatOptions } from './seat.js'

export interface SeatsOptions extends Omit<SeatOptions, 'name' | 'shared' | 'resourceLimits'> {
  readonly resourceLimits?: ResourceLimits
  /** How many shared seats there are, and how many others there may be. */
  readonly shared: number
  readonly mostOwn: number
}

/**
 * A fuse, not a budget: buffers are outside of it. The young generation is large enough for the garbage of a probe;
 * without the limit it grows to 48 MB a thread.
 */
const FUSE: ResourceLimits = { maxOldGenerationSizeMb: 1_024, maxYoungGenerationSizeMb: 12 }

/** Grace for what is left on a thread without actors, milliseconds. */
const LEFTOVER_MS = 1_000

export class Seats {
  readonly #options: SeatsOptions
  readonly #all = new Set<Seat>()
  #last = 0

  constructor(options: SeatsOptions) {
    this.#options = options
    for (let count = 0; count < options.shared; count += 1) this.#add(true)
  }

  all(): readonly Seat[] {
    return [...this.#all]
  }

  /** Where the next actor goes. */
  place(): Seat {
    return choosePlace(this.all())
  }

  /** A new place apart from the others; undefined when there are too many. */
  own(): Seat | undefined {
    const taken = this.all().filter((seat) => !seat.shared).length
    return taken < this.#options.mostOwn ? this.#add(false) : undefined
  }

  /** Ends the thread of an isolated actor that is gone. */
  async tidy(seat: Seat): Promise<void> {
    if (seat.shared || seat.actors > 0) return
    this.#all.delete(seat)
    await seat.retire(LEFTOVER_MS)
  }

  /** Ends all threads, with grace for the actors. */
  async retire(graceMs: number): Promise<void> {
    await Promise.all(this.all().map((seat) => seat.retire(graceMs)))
  }

  #add(shared: boolean): Seat {
    this.#last += 1
    const name = `${shared ? 'host' : 'own'}-${this.#last}`
    const seat = new Seat({ resourceLimits: FUSE, ...this.#options, name, shared })
    this.#all.add(seat)
    return seat
  }
}
