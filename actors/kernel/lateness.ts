// The recent lateness of a thread's event loop: the worst drift of a short timer, kept in slices of a ring, and its sum.

/** Length of the memory and of one slice, milliseconds. */
export const LATENESS_MEMORY_MS = 10_000
const SLICE_MS = 100
const SLICES = LATENESS_MEMORY_MS / SLICE_MS + 1

export class LatenessGauge {
  readonly #stepMs: number
  readonly #worst = new Float64Array(SLICES)
  readonly #slice = new Float64Array(SLICES).fill(Number.NEGATIVE_INFINITY)
  #last: number
  #lost = 0

  /** `stepMs`: how often `tick` is meant to be called. */
  constructor(stepMs: number, at: number) {
    this.#stepMs = stepMs
    this.#last = at
  }

  /** Called by the timer. */
  tick(at: number): void {
    const slice = Math.floor(at / SLICE_MS)
    const index = slice % SLICES
    const late = this.#lateAt(at)
    const kept = this.#slice[index] === slice ? (this.#worst[index] ?? 0) : 0
    this.#worst[index] = Math.max(kept, late)
    this.#slice[index] = slice
    this.#lost += late
    this.#last = at
  }

  /** The worst lateness in the last `windowMs`, milliseconds; a stall that the timer has not seen yet counts too. */
  worst(windowMs: number, at: number): number {
    const oldest = Math.floor((at - windowMs) / SLICE_MS)
    let worst = this.#lateAt(at)
    for (let index = 0; index < SLICES; index += 1) {
      if ((this.#slice[index] ?? 0) >= oldest) worst = Math.max(worst, this.#worst[index] ?? 0)
    }
    return worst
  }

  /** Total time lost to lateness so far, milliseconds: the difference of two values is what was lost in between. */
  lost(at: number): number {
    return this.#lost + this.#lateAt(at)
  }

  #lateAt(at: number): number {
    return Math.max(0, at - this.#last - this.#stepMs)
  }
}
