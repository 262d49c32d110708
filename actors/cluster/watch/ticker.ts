// Ticks of a cluster at separate moments: those that started together, or were late together, tick apart.
import { now } from '../../../lib/base/time.js'
import { phase } from './schedule.js'

export class Ticker {
  readonly #name: string
  readonly #tick: () => void
  #timer: NodeJS.Timeout | undefined

  constructor(name: string, tick: () => void) {
    this.#name = name
    this.#tick = tick
  }

  /** Ticks with this interval from now on. */
  every(intervalMs: number): void {
    this.stop()
    this.#timer = setTimeout(
      () => {
        this.every(intervalMs) // first: the tick may change or end it
        this.#tick()
      },
      untilNext(this.#name, intervalMs, now()),
    )
  }

  stop(): void {
    clearTimeout(this.#timer)
  }
}

/** Milliseconds until the next moment that belongs to the name. A timer may be a little early: that tick was this one. */
export function untilNext(name: string, intervalMs: number, at: number): number {
  const left = intervalMs - ((at - phase(name, intervalMs)) % intervalMs)
  return left < intervalMs / 10 ? left + intervalMs : left
}
