// The rows of the fleet as signals: a change of one cluster is one write, which re-renders only what shows that cluster.
import { batch, type Signal, signal } from '@preact/signals'
import type { FleetDelta, FleetRow, FleetState } from '../../../../../lib/model/fleet/row.js'
import { fleetStates } from '../../../../../lib/model/fleet/row.js'

export type Counts = Readonly<Record<FleetState, number>> & { readonly all: number; readonly operations: number }

/** Keys that change so often, and matter so little for who stands where, that they move nothing. */
const quiet: ReadonlySet<string> = new Set(['wps'])

const empty = (): Record<FleetState | 'all' | 'operations', number> => ({
  ...{ all: 0, operations: 0 },
  ...(Object.fromEntries(fleetStates.map((state) => [state, 0])) as Record<FleetState, number>),
})

export class FleetRows {
  readonly #rows = new Map<string, Signal<FleetRow>>()
  #counts = empty()
  /** How many clusters are in each state. */
  readonly counts = signal<Counts>(empty())
  /** Moves when clusters came, went or changed in what a filter or an order reads. */
  readonly changes = signal(0)
  /** False until the first snapshot. */
  readonly known = signal(false)

  row(name: string): Signal<FleetRow> | undefined {
    return this.#rows.get(name)
  }

  /** All rows as they are now; subscribes to nothing. */
  list(): readonly FleetRow[] {
    return [...this.#rows.values()].map((row) => row.peek())
  }

  names(): readonly string[] {
    return [...this.#rows.keys()]
  }

  replace(rows: readonly FleetRow[]): void {
    batch(() => {
      const present = new Set(rows.map(({ name }) => name))
      for (const name of [...this.#rows.keys()]) if (!present.has(name)) this.#rows.delete(name)
      this.#counts = empty()
      for (const row of rows) {
        this.#put(row)
        this.#count(row, 1)
      }
      this.counts.value = { ...this.#counts }
      this.changes.value++
      this.known.value = true
    })
  }

  apply(deltas: readonly FleetDelta[]): void {
    if (deltas.length === 0) return
    batch(() => {
      let moved = false
      for (const delta of deltas) moved = this.#applyOne(delta) || moved
      if (!moved) return
      this.counts.value = { ...this.#counts }
      this.changes.value++
    })
  }

  /** True when more than a quiet value changed. */
  #applyOne({ c, k }: FleetDelta): boolean {
    const known = this.#rows.get(c)
    if (k === null) {
      if (!known) return false
      this.#count(known.peek(), -1)
      return this.#rows.delete(c)
    }
    const before = known?.peek()
    // A cluster that is new comes with its whole row.
    const after = { ...before, ...k, name: c } as FleetRow
    if (before) this.#count(before, -1)
    this.#count(after, 1)
    this.#put(after)
    return !before || Object.keys(k).some((key) => !quiet.has(key))
  }

  #put(row: FleetRow): void {
    const known = this.#rows.get(row.name)
    if (known) known.value = row
    else this.#rows.set(row.name, signal(row))
  }

  #count({ state, op }: FleetRow, by: 1 | -1): void {
    this.#counts.all += by
    this.#counts[state] += by
    if (op !== null) this.#counts.operations += by
  }
}
