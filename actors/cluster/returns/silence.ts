// How long servers that work depends on have not answered, as their probes show it.
import type { ServerId } from '../../../lib/model/server/server.js'

export class Silence {
  readonly #since = new Map<ServerId, number>()

  /** Those that are not watched any more, or answer, are forgotten. */
  note(watched: readonly ServerId[], answers: (id: ServerId) => boolean, at: number): void {
    for (const id of this.#since.keys()) if (!watched.includes(id) || answers(id)) this.#since.delete(id)
    for (const id of watched) if (!answers(id) && !this.#since.has(id)) this.#since.set(id, at)
  }

  /** Milliseconds; 0 for one that answers. */
  since(id: ServerId, at: number): number {
    return at - (this.#since.get(id) ?? at)
  }
}
