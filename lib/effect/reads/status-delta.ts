// What changed between the last two samples of a server's counters.
import { MINUTE, SECOND } from '../../base/time.js'
import type { Rows } from '../../dialect/index.js'
import type { Named } from '../../model/server/named.js'
import type { ServerId } from '../../model/server/server.js'

/** A request a minute after the last one starts over. */
const KEPT_MS = MINUTE

/** Counters by lower-case name, and when they stood so. */
interface Sample {
  readonly at: number
  readonly counters: ReadonlyMap<string, number>
}

export interface Delta {
  readonly seconds: number
  /** By lower-case name; those that did not change are left out. */
  readonly changes: ReadonlyMap<string, number>
}

interface Kept {
  readonly before: Sample | undefined
  readonly latest: Sample
  readonly timer: NodeJS.Timeout
}

export class StatusDeltas {
  readonly #kept = new Map<ServerId, Kept>()

  /** Takes a sample; `probed` is the one before it where no request came lately: that of the latest slow probe. */
  take(id: ServerId, answer: { readonly at: number; readonly rows: Rows }, probed: Probed | undefined): Delta {
    const known = this.#kept.get(id)
    if (known?.latest.at === answer.at) return difference(known.before, known.latest)
    clearTimeout(known?.timer)
    const before = known?.latest ?? (probed && sampleOfProbe(probed))
    const latest = sampleOf(answer)
    const timer = setTimeout(() => this.#kept.delete(id), KEPT_MS)
    timer.unref()
    this.#kept.set(id, { before, latest, timer })
    return difference(before, latest)
  }
}

interface Probed {
  readonly at: number
  readonly status: Named
}

const sampleOfProbe = ({ at, status }: Probed): Sample => ({
  at,
  counters: counters(status.names.map((name, index) => [name, status.values[index]])),
})

const sampleOf = ({ at, rows }: { readonly at: number; readonly rows: Rows }): Sample => ({
  at,
  counters: counters(rows.map((row) => [String(row.Variable_name).toLowerCase(), row.Value])),
})

/** Whole numbers only. */
const counters = (entries: readonly (readonly [string, unknown])[]): ReadonlyMap<string, number> =>
  new Map(entries.flatMap(([name, value]) => (/^\d+$/.test(String(value)) ? [[name, Number(value)] as const] : [])))

function difference(before: Sample | undefined, latest: Sample): Delta {
  if (!before || before.at >= latest.at) return { seconds: 0, changes: new Map() }
  const changes = [...latest.counters].flatMap(([name, value]) => {
    const change = value - (before.counters.get(name) ?? value)
    return change === 0 ? [] : [[name, change] as const]
  })
  return { seconds: (latest.at - before.at) / SECOND, changes: new Map(changes) }
}
