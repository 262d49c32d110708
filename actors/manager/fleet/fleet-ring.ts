// The latest events of the fleet, from which readers resume.
import type { FleetEvent } from '../../protocol/manager/fleet.js'

/** Events that are kept: of a calm fleet hours, of a storm seconds. */
const MOST = 10_000
/** So many more before the oldest are dropped together. */
const SLACK = 1_000

export class FleetRing {
  readonly #boot: string
  #events: FleetEvent[] = []
  #last = 0

  constructor(boot: string) {
    this.#boot = boot
  }

  /** Id of the latest event. */
  get id(): string {
    return `${this.#boot}-${this.#last}`
  }

  get last(): number {
    return this.#last
  }

  /** Numbers an event and keeps it. */
  add<E extends FleetEvent>(event: E): E & { readonly id: string } {
    this.#last += 1
    const numbered = { ...event, id: this.id }
    this.#events.push(numbered)
    if (this.#events.length > MOST + SLACK) this.#events = this.#events.slice(-MOST)
    return numbered
  }

  /** The number of an id of this start of the manager; undefined for any other. */
  numberOf(id: string): number | undefined {
    const [, boot, digits = ''] = /^([a-z0-9]{1,20})-(\d{1,15})$/.exec(id) ?? []
    const number = Number(digits)
    return boot === this.#boot && number <= this.#last ? number : undefined
  }

  /** Events after that number; undefined when some of them are not kept any more. */
  after(number: number): readonly FleetEvent[] | undefined {
    const missing = this.#last - number
    return missing > this.#events.length ? undefined : this.#events.slice(this.#events.length - missing)
  }

  /** The latest events of a kind, oldest first. */
  latest(kind: FleetEvent['kind'], most: number): readonly FleetEvent[] {
    const found: FleetEvent[] = []
    for (let at = this.#events.length - 1; at >= 0 && found.length < most; at -= 1) {
      const event = this.#events[at]
      if (event?.kind === kind) found.push(event)
    }
    return found.reverse()
  }
}
