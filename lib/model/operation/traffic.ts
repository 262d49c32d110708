// Test writes that the manager generates while `test-inject-traffic` is set.

export interface TrafficFigures {
  readonly on: boolean
  /** Writes that succeeded and that failed since the actor started. */
  readonly written: number
  readonly failed: number
  /** Server and time of the last one, milliseconds since the epoch. */
  readonly server?: string
  readonly at?: number
  /** Error of the last one; absent after a success. */
  readonly failure?: string
}
