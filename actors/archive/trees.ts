// The `init/` trees beside the archives: no request waits for them, so they follow later, at a fifth of a processor at most. The
// thread that writes them costs tens of megabytes while it lives: a thousand clusters should have theirs in minutes.
import { SECOND, sleep } from '../../lib/base/time.js'

/** Trees of one message to a thread. */
const AT_ONCE = 32
/** Rest between two messages, as a multiple of the time that the one before took … */
const REST = 4
/** … and at most so long: a thread idle for longer ends, and starting another costs more than a message. */
const LONGEST_REST_MS = 2 * SECOND

/** Processes folders whose archive is newer than their tree; a folder that is added twice is done once. */
export class TreeQueue {
  readonly #unpack: (directories: readonly string[]) => Promise<unknown>
  readonly #waiting = new Set<string>()
  readonly #closed = new AbortController()
  #busy = false

  /** `unpack` writes the trees of some folders; what it throws is left for the next build. */
  constructor(unpack: (directories: readonly string[]) => Promise<unknown>) {
    this.#unpack = unpack
  }

  add(directory: string): void {
    this.#waiting.add(directory)
    if (!this.#busy) void this.#work()
  }

  close(): void {
    this.#waiting.clear()
    this.#closed.abort()
  }

  async #work(): Promise<void> {
    this.#busy = true
    // Builds in progress come first.
    await sleep(100, this.#closed.signal)
    while (this.#waiting.size > 0) {
      const some = [...this.#waiting].slice(0, AT_ONCE)
      for (const directory of some) this.#waiting.delete(directory)
      const startedAt = performance.now()
      await this.#unpack(some).catch(() => undefined)
      const rest = Math.min(REST * (performance.now() - startedAt), LONGEST_REST_MS)
      await sleep(rest, this.#closed.signal)
    }
    this.#busy = false
  }
}
