// The rate limit of whatever transfer runs: set by who watches the source, applied to the next transfer, too.
import type { Transfer } from '../stream/index.js'

export class Valve {
  #limit: number | undefined
  #transfer: Pick<Transfer, 'limit'> | undefined

  /** Bytes a second; undefined: none. */
  get limit(): number | undefined {
    return this.#limit
  }

  set(limit: number | undefined): void {
    if (limit === this.#limit) return
    this.#limit = limit
    this.#transfer?.limit(limit)
  }

  attach(transfer: Pick<Transfer, 'limit'>): void {
    this.#transfer = transfer
  }
}
