// Events on their way to the main thread: a bounded buffer per actor, and one batch in flight at a time.
import type { ClusterEvent } from '../../lib/model/event.js'

/** Most events of one actor that wait for the next batch; beyond, the oldest are dropped. Their ids show readers the gap. */
export const EVENT_BUFFER = 256

export class EventOutlet {
  readonly #send: (events: readonly ClusterEvent[]) => void
  readonly #waiting = new Map<number, ClusterEvent[]>()
  #underWay = false
  #dropped = 0

  constructor(send: (events: readonly ClusterEvent[]) => void) {
    this.#send = send
  }

  get dropped(): number {
    return this.#dropped
  }

  /** Throws a DataCloneError, in the emitter's own stack, when the event is not plain data. */
  put(generation: number, event: ClusterEvent): void {
    const queue = this.#waiting.get(generation) ?? []
    queue.push(structuredClone(event))
    if (queue.length > EVENT_BUFFER) {
      queue.shift()
      this.#dropped += 1
    }
    this.#waiting.set(generation, queue)
    this.#pump()
  }

  /** The main thread has received the batch: the next may be sent. */
  taken(): void {
    this.#underWay = false
    this.#pump()
  }

  #pump(): void {
    if (this.#underWay || this.#waiting.size === 0) return
    this.#underWay = true
    const events = [...this.#waiting.values()].flat()
    this.#waiting.clear()
    this.#send(events)
  }
}
