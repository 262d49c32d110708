// The row of every cluster as last published by its actor; one whose actor does not answer is `unknown`.
import type { Result } from '../../../lib/base/result.js'
import { now, SECOND, sleep } from '../../../lib/base/time.js'
import type { FleetRow } from '../../../lib/model/fleet/row.js'
import type { PublishedView } from '../../protocol/manager/face.js'

export interface FleetBoardParts {
  readonly clusters: () => readonly string[]
  /** The `fleet` view of a cluster. */
  readonly view: (cluster: string) => Promise<Result<PublishedView>>
  /** Whether these bytes of it are the latest: reads shared memory. */
  readonly isCurrent: (cluster: string, etag: string) => boolean
  /** Its actor is running. */
  readonly isUp: (cluster: string) => boolean
  readonly quarantined: () => ReadonlyMap<string, string>
  /** What is known of a cluster by its configuration. */
  readonly configured: (cluster: string) => Pick<FleetRow, 'mode' | 'flags' | 'of' | 'tags'>
  /** A row is another one now; without `before` the cluster is new, without `after` it is gone. */
  readonly changed: (cluster: string, before: FleetRow | undefined, after: FleetRow | undefined) => void
}

interface Entry {
  /** As shown. */
  row: FleetRow
  /** As its actor published it; absent before the first time. */
  published?: FleetRow
  etag: string
  /** Since when its actor is not running, or gives no newer bytes. */
  silentSince: number | undefined
  /** A row is read so often at most. */
  restUntil: number
  pull: Promise<void> | undefined
}

/** An actor that restarts is back sooner: until then its last row is shown. */
const SILENT_MS = 2 * SECOND
/** Changes of one cluster follow each other no faster. */
const REST_MS = 250

export class FleetBoard {
  readonly #parts: FleetBoardParts
  readonly #entries = new Map<string, Entry>()
  /** The clusters that entries were last compared with, and the entries in their order. */
  #names: readonly string[] = []
  #order: readonly Entry[] = []

  constructor(parts: FleetBoardParts) {
    this.#parts = parts
  }

  /** In the order of the configuration. */
  rows(): readonly FleetRow[] {
    return this.#parts.clusters().flatMap((name) => this.#entries.get(name)?.row ?? [])
  }

  row(cluster: string): FleetRow | undefined {
    return this.#entries.get(cluster)?.row
  }

  /**
   * Reads what has changed; settles when every cluster has answered, at the latest after `patienceMs`. `all`: also of clusters
   * that were read a moment ago.
   */
  async refresh(patienceMs: number, all: boolean): Promise<void> {
    const names = this.#parts.clusters()
    if (!isSame(names, this.#names)) {
      this.#removeOthers(new Set(names))
      this.#names = [...names]
      this.#order = names.map((name) => this.#entryOf(name))
    }
    const stopped = this.#parts.quarantined()
    const at = now()
    const pulls: Promise<void>[] = []
    for (const [index, entry] of this.#order.entries()) {
      const name = names[index] ?? ''
      if (!stopped.has(name) && this.#isAsShown(name, entry)) continue
      const isUp = this.#parts.isUp(name)
      if (stopped.has(name)) this.#show(name, entry, { ...this.#unknown(name, entry), errors: 1, worst: 'ERR00118' })
      else if (isSilent(entry, isUp, at)) this.#show(name, entry, this.#unknown(name, entry))
      const pull = isUp || entry.pull ? this.#pullOf(name, entry, all || at >= entry.restUntil) : undefined
      if (pull) pulls.push(pull)
    }
    if (pulls.length > 0) await Promise.race([Promise.all(pulls), sleep(patienceMs)])
  }

  /** Nearly every cluster at nearly every poll: its actor runs and has published nothing newer than what is shown. */
  #isAsShown(name: string, { etag, pull, silentSince, row, published }: Entry): boolean {
    if (etag === '' || pull !== undefined || silentSince !== undefined || row !== published) return false
    return this.#parts.isUp(name) && this.#parts.isCurrent(name, etag)
  }

  #entryOf(name: string): Entry {
    const known = this.#entries.get(name)
    if (known) return known
    const entry: Entry = {
      ...{ row: this.#unknown(name), etag: '', restUntil: 0, silentSince: undefined, pull: undefined },
    }
    this.#entries.set(name, entry)
    this.#parts.changed(name, undefined, entry.row)
    return entry
  }

  #removeOthers(names: ReadonlySet<string>): void {
    for (const [name, { row }] of this.#entries) {
      if (names.has(name)) continue
      this.#entries.delete(name)
      this.#parts.changed(name, row, undefined)
    }
  }

  /** The bytes are read when they are not the latest, one request at a time. */
  #pullOf(name: string, entry: Entry, isDue: boolean): Promise<void> | undefined {
    if (entry.pull) return entry.pull
    if (entry.etag !== '' && this.#parts.isCurrent(name, entry.etag)) {
      this.#answered(name, entry)
      return undefined
    }
    if (!isDue) return undefined
    entry.pull = this.#pull(name, entry).finally(() => {
      entry.pull = undefined
    })
    return entry.pull
  }

  async #pull(name: string, entry: Entry): Promise<void> {
    const view = await this.#parts.view(name)
    entry.restUntil = now() + REST_MS
    if (this.#entries.get(name) !== entry) return
    // The last known bytes are answered while the actor gives none: that is no answer of it.
    const isAnswer = view.ok && (view.value.etag !== entry.etag || this.#parts.isCurrent(name, entry.etag))
    if (!isAnswer) {
      entry.silentSince ??= now()
      return
    }
    entry.etag = view.value.etag
    entry.published = JSON.parse(view.value.bytes.toString()) as FleetRow
    this.#answered(name, entry)
  }

  #answered(name: string, entry: Entry): void {
    entry.silentSince = undefined
    if (entry.published) this.#show(name, entry, entry.published)
  }

  #show(name: string, entry: Entry, row: FleetRow): void {
    const before = entry.row
    entry.row = row
    if (before !== row) this.#parts.changed(name, before, row)
  }

  /** What was last known of it may be false by now. */
  #unknown(cluster: string, entry?: Entry): FleetRow {
    return {
      ...{ name: cluster, state: 'unknown', primary: '', topology: 'unknown', up: 0, lag: null, semi: 'none' },
      ...{ loss: null, errors: 0, warnings: 0, worst: null, op: null, wps: null },
      ...this.#parts.configured(cluster),
      at: entry?.row.state === 'unknown' ? entry.row.at : Math.round(now()),
    }
  }
}

/** Asked ten times a second for a thousand names. */
const isSame = (names: readonly string[], others: readonly string[]): boolean =>
  names.length === others.length && names.every((name, index) => name === others[index])

function isSilent(entry: Entry, isUp: boolean, at: number): boolean {
  if (isUp && entry.pull === undefined && entry.silentSince === undefined) return false
  entry.silentSince ??= at
  return at - entry.silentSince >= SILENT_MS
}
