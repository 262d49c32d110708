// How far away a server is: about one round trip, by how long its latest probes took.

/** The fastest of so many probes shows how far away a server is; one that was held up does not. */
const LATEST_PROBES = 8
/** Round trips before the first reading over a new session: connection, login, session defaults, identity. */
const LOGIN_TRIPS = 5

/** How long an answered probe took, milliseconds. The thread may have been late: then it is more than the way took, never less. */
export interface ProbeTook {
  /** From its begin to its end. */
  readonly waitedMs: number
  /** From the sending of its last statement to its end; absent: the whole. */
  readonly readMs?: number | undefined
  /** Over the session of the probe before it, which answered. */
  readonly isKept: boolean
}

export class Way {
  #times: number[] = []

  /** Milliseconds; 0 while nothing answered. */
  get tripMs(): number {
    return this.#times.length > 0 ? Math.min(...this.#times) : 0
  }

  /**
   * After a silence the way may be another one than before: what was measured then does not count any more. A server that is slow
   * itself is not far away: its login says so.
   */
  answered({ waitedMs, readMs = waitedMs, isKept }: ProbeTook): void {
    if (!isKept) this.#times = []
    this.#times.push(isKept ? waitedMs : Math.min(readMs, (waitedMs - readMs) / LOGIN_TRIPS))
    if (this.#times.length > LATEST_PROBES) this.#times.shift()
  }
}
