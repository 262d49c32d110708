// Checks the drift of watched servers periodically, one after the other, and soon after something has changed.
import { MINUTE, now, SECOND, sleep } from '../../../lib/base/time.js'
import { addressText } from '../../../lib/model/server/server.js'
import type { Drifts } from './drift.js'
import type { FirstConnection } from './first-connection.js'
import type { Member, Servers } from './servers.js'

/** Minimum time between the starts of two rounds over all servers. */
const ROUND_MS = MINUTE
/** Between two servers: a round over thousands of them must cost next to nothing. */
const PAUSE_MS = SECOND / 4
/** Changes that come together are checked together, when the archives for them are built. */
const SOON_MS = 2 * SECOND

export interface DriftWatchParts {
  readonly drifts: Drifts
  readonly servers: Servers
  readonly clusters: () => readonly string[]
  /** Does what is due when a cluster is first connected. */
  readonly connected: (cluster: string) => Promise<FirstConnection>
}

export class DriftWatch {
  readonly #parts: DriftWatchParts
  readonly #stop = new AbortController()
  readonly #soon = new Set<string>()
  /** Clusters whose servers have not all reported their software yet; after a round they are asked with the others. */
  readonly #awaited = new Set<string>()
  readonly #adopted = new Map<string, ReadonlySet<string>>()
  #wake = new AbortController()

  constructor(parts: DriftWatchParts) {
    this.#parts = parts
  }

  start(): void {
    void this.#run()
  }

  /** Something that the servers of a cluster are compared with has changed, or the list of watched servers. */
  hurry(cluster: string): void {
    this.#soon.add(cluster)
    this.#adopted.delete(cluster)
    this.#wake.abort()
  }

  close(): void {
    this.#stop.abort()
    this.#wake.abort()
  }

  async #run(): Promise<void> {
    const { signal } = this.#stop
    while (!signal.aborted) {
      const began = now()
      this.#awaited.clear()
      for (const cluster of this.#parts.clusters()) {
        await this.#checkDue()
        // A change made just now is checked when everything that follows from it is done.
        if (!this.#soon.has(cluster)) await this.#check(cluster)
        if (signal.aborted) return
      }
      while (!signal.aborted && now() - began < ROUND_MS) {
        this.#wake = new AbortController()
        const left = ROUND_MS - (now() - began)
        const pause = this.#awaited.size > 0 ? Math.min(left, SOON_MS) : left
        if (this.#soon.size === 0) await sleep(pause, this.#wake.signal)
        await this.#checkDue()
        for (const cluster of this.#awaited) await this.#connect(cluster)
      }
    }
  }

  async #checkDue(): Promise<void> {
    if (this.#soon.size === 0) return
    await sleep(SOON_MS, this.#stop.signal)
    const clusters = [...this.#soon]
    this.#soon.clear()
    for (const cluster of clusters) await this.#check(cluster)
  }

  async #check(cluster: string): Promise<void> {
    await this.#connect(cluster)
    for (const member of this.#parts.servers.members(cluster)) {
      if (this.#stop.signal.aborted) return
      if (!(await this.#isWatched(cluster, member))) continue
      await this.#parts.drifts.check({ cluster, server: member.id }, { files: false })
      await sleep(PAUSE_MS, this.#stop.signal)
    }
  }

  async #connect(cluster: string): Promise<void> {
    const { signal } = this.#stop
    if (signal.aborted) return
    const connection = await this.#parts.connected(cluster)
    if (connection === 'waits') this.#awaited.add(cluster)
    else this.#awaited.delete(cluster)
    if (connection === 'discovered') await sleep(PAUSE_MS, signal)
  }

  async #isWatched(cluster: string, member: Member): Promise<boolean> {
    if (member.generated === true) return true
    const adopted = this.#adopted.get(cluster) ?? (await this.#parts.drifts.adopted(cluster))
    this.#adopted.set(cluster, adopted)
    return adopted.has(addressText(member))
  }
}
