// The writes that a cluster makes by itself while `test-inject-traffic` asks for it.

export interface TrafficFigures {
  readonly on: boolean
  /** Writes that succeeded and that failed since the actor started. */
  readonly written: number
  readonly failed: number
  /** Where the last one went, and when: milliseconds since the epoch. */
  readonly server?: string
  readonly at?: number
  /** Why the last one failed; absent after one that succeeded. */
  readonly failure?: string
}
