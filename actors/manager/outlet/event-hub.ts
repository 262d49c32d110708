// The event streams of all clusters: a bounded ring per cluster from which late readers resume.
import { now } from '../../../lib/base/time.js'
import type { ClusterEvent } from '../../../lib/model/event.js'
import { intern } from '../../../lib/probe/intern.js'

/** Events kept per cluster for readers that reconnect. */
const RING = 500

/** Longer texts are seldom repeated in another event. */
const LONGEST_WORD = 40

interface Stream {
  readonly ring: ClusterEvent[]
  readonly listeners: Set<(event: ClusterEvent) => void>
  last: number
}

export class EventHub {
  readonly #streams = new Map<string, Stream>()
  #first: number

  /** Ids keep rising over restarts of the manager, and of a cluster that returns: they begin at the time of its start. */
  constructor(startedAt = now()) {
    this.#first = Math.floor(startedAt)
  }

  publish(event: ClusterEvent): void {
    const stream = this.#stream(event.cluster)
    stream.last += 1
    const numbered = { ...withSharedWords(event), id: stream.last }
    stream.ring.push(numbered)
    if (stream.ring.length > RING) stream.ring.shift()
    for (const listener of stream.listeners) listener(numbered)
  }

  /** Events after `after` that are still kept, then each further one until `signal` aborts. */
  subscribe(
    cluster: string,
    { after, signal }: { after: number | undefined; signal: AbortSignal },
    listener: (event: ClusterEvent) => void,
  ): void {
    if (signal.aborted) return
    const stream = this.#stream(cluster)
    if (after !== undefined) for (const event of stream.ring) if (event.id > after) listener(event)
    stream.listeners.add(listener)
    signal.addEventListener('abort', () => stream.listeners.delete(listener), { once: true })
  }

  forget(cluster: string): void {
    this.#first = Math.max(this.#first, this.#streams.get(cluster)?.last ?? 0)
    this.#streams.delete(cluster)
  }

  #stream(cluster: string): Stream {
    const known = this.#streams.get(cluster)
    if (known) return known
    const stream: Stream = { ring: [], listeners: new Set(), last: this.#first }
    this.#streams.set(cluster, stream)
    return stream
  }
}

/** Events come from other threads with a copy of every text: names and codes, which most events share, are stored once. */
function withSharedWords({ data, ...event }: ClusterEvent): ClusterEvent {
  return { ...shareWords(event), ...(data ? { data: shareWords(data) } : {}) }
}

function shareWords<T extends object>(plain: T): T {
  const shared = Object.entries(plain).map(([name, value]) => [
    name,
    typeof value === 'string' && value.length <= LONGEST_WORD ? intern(value) : value,
  ])
  return { ...plain, ...Object.fromEntries(shared) }
}
