// The writes of each cluster over the last ten minutes, as far as this page has seen them.
import { signal } from '@preact/signals'
import type { FleetRow } from '../../../../../lib/model/fleet/row.js'

const KEPT = 60

/** A ring of the whole length from the begin: a page that stays open for days holds no more than one of a minute. */
interface Ring {
  /** NaN: not measured. */
  readonly values: Float32Array
  /** So many were taken. */
  count: number
}

export class Samples {
  static readonly everyMs = 10_000
  readonly #rings = new Map<string, Ring>()
  /** Moves with each round. */
  readonly rounds = signal(0)

  get isEmpty(): boolean {
    return this.#rings.size === 0
  }

  of(name: string): readonly (number | null)[] {
    const ring = this.#rings.get(name)
    if (!ring) return []
    const { values, count } = ring
    const length = Math.min(count, KEPT)
    return Array.from({ length }, (_none, index) => {
      const value = values[(count - length + index) % KEPT] ?? Number.NaN
      return Number.isNaN(value) ? null : value
    })
  }

  take(rows: readonly FleetRow[]): void {
    const present = new Set<string>()
    for (const { name, wps } of rows) {
      present.add(name)
      const ring = this.#rings.get(name) ?? { values: new Float32Array(KEPT), count: 0 }
      ring.values[ring.count++ % KEPT] = wps ?? Number.NaN
      this.#rings.set(name, ring)
    }
    for (const name of this.#rings.keys()) if (!present.has(name)) this.#rings.delete(name)
    this.rounds.value++
  }
}
