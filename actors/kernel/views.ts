// Published views as the main thread reads them: bytes cached while their version word is unchanged, else one pull for all readers.
import { fail, ok, type Result } from '../../lib/base/result.js'
import { now } from '../../lib/base/time.js'
import { atLeast, readGeneration, readVersion } from './board.js'
import type { Outbox } from './outbox.js'
import type { PulledView } from './wire.js'

/** Bytes of a view; equal etags mean equal bytes. */
export interface ViewBytes {
  readonly bytes: Buffer
  /** `<generation>-<version>`; the generation identifies the process too, so that it is never repeated. */
  readonly etag: string
  /** `now()` when the bytes were fetched. */
  readonly at: number
}

export interface ShelfOptions {
  readonly words: Int32Array
  readonly views: readonly string[]
  readonly outbox: Outbox
  /** Identifies the process, for etags. */
  readonly boot: string
}

/** With older bytes available a reader waits this long for newer ones, milliseconds; without any, up to FIRST_PULL_MS. */
const PULL_MS = 1_000
const FIRST_PULL_MS = 5_000

interface Mark {
  readonly generation: number
  readonly version: number
}

interface Kept extends Mark {
  readonly etag: string
  /** Settled; the same promise for every reader. */
  readonly answer: Promise<Result<ViewBytes>>
}

export class ViewShelf {
  readonly #options: ShelfOptions
  readonly #kept: (Kept | undefined)[] = []
  readonly #pulls: (Promise<Result<Kept>> | undefined)[] = []

  constructor(options: ShelfOptions) {
    this.#options = options
  }

  /** Current bytes; the last known ones, with their old time, while the actor is restarting or does not answer. */
  read(view: string): Promise<Result<ViewBytes>> {
    const { outbox, views } = this.#options
    const refusal = outbox.refusal
    if (refusal) return Promise.resolve(refusal)
    const index = views.indexOf(view)
    if (index < 0) return Promise.resolve(fail('internal', `${outbox.id} has no view ${view}`))
    const kept = this.#kept[index]
    if (kept && (!outbox.connected || isSame(kept, this.#mark(index)))) return kept.answer
    return this.#fetch(index)
  }

  /** Whether the bytes of this etag are still the current ones, by the shared version words. */
  isCurrent(view: string, etag: string): boolean {
    const index = this.#options.views.indexOf(view)
    const kept = this.#kept[index]
    return kept?.etag === etag && isSame(kept, this.#mark(index))
  }

  async #fetch(index: number): Promise<Result<ViewBytes>> {
    const wanted = this.#mark(index)
    let pulled = await this.#pullOnce(index)
    // A pull already in flight may have been rendered before the change this reader knows of.
    if (pulled.ok && !covers(pulled.value, wanted)) pulled = await this.#pullOnce(index)
    if (pulled.ok) return pulled.value.answer
    return this.#kept[index]?.answer ?? pulled
  }

  #pullOnce(index: number): Promise<Result<Kept>> {
    const running = this.#pulls[index]
    if (running) return running
    const pull = this.#pull(index).finally(() => {
      this.#pulls[index] = undefined
    })
    this.#pulls[index] = pull
    return pull
  }

  async #pull(index: number): Promise<Result<Kept>> {
    const { outbox, views, boot } = this.#options
    const pulled = await outbox.pull(views[index] ?? '', this.#kept[index] ? PULL_MS : FIRST_PULL_MS)
    if (!pulled.ok) return pulled
    const { generation, version, bytes } = pulled.value as PulledView
    const etag = `${boot}.${generation}-${version}`
    const kept: Kept = {
      generation,
      version,
      etag,
      answer: Promise.resolve(ok({ bytes: Buffer.from(bytes), etag, at: now() })),
    }
    this.#kept[index] = kept
    return ok(kept)
  }

  #mark(index: number): Mark {
    const { words } = this.#options
    return { generation: readGeneration(words), version: readVersion(words, index) }
  }
}

const isSame = (a: Mark, b: Mark): boolean => a.generation === b.generation && a.version === b.version

/** Bytes of a later life are newer than any of an earlier one. */
const covers = (have: Mark, wanted: Mark): boolean =>
  have.generation > wanted.generation ||
  (have.generation === wanted.generation && atLeast(have.version, wanted.version))
