// The copies of stored binary logs elsewhere, as the settings want them: one for each place.
import { existsSync } from 'node:fs'
import { MINUTE, now, SECOND, sleep } from '../../base/time.js'
import type { LogStorage } from '../../model/backup.js'
import { pathOf, type StoredFile, type Term } from '../binlog/term.js'
import { disclose } from '../stream/index.js'
import { type CopyHooks, LogCopy } from './log-copy.js'
import { readBack } from './read-back.js'
import type { StoringSettings } from './storing-state.js'

/** How long a closed file waits for its copies before it is packed. */
const REACH_MS = 30 * SECOND
const LOOK_MS = SECOND / 10
/** How long the storing waits for a place when nothing is here: what it has decides where the storing begins. */
const LOST_MS = MINUTE
const RETRY_MS = 5 * SECOND

export class LogCopies {
  readonly #hooks: CopyHooks
  readonly #end = new AbortController()
  #copies: readonly LogCopy[] = []
  #configured = ''

  constructor(hooks: CopyHooks) {
    this.#hooks = hooks
  }

  get state(): Pick<LogStorage, 'elsewhere'> {
    return this.#copies.length === 0 ? {} : { elsewhere: this.#copies.map(({ state }) => state) }
  }

  /** Begins and ends copies; cheap when nothing has changed. */
  align({ elsewhere, directory }: StoringSettings): void {
    const configured = JSON.stringify(disclose([elsewhere, directory]))
    if (configured === this.#configured || this.#end.signal.aborted) return
    this.#configured = configured
    for (const copy of this.#copies) void copy.close(0)
    this.#copies = (elsewhere?.targets ?? []).map(
      (target) => new LogCopy(target, { directory, ...elsewhereOf(elsewhere) }, this.#hooks),
    )
    for (const copy of this.#copies) void copy.run()
  }

  /** The terms that are elsewhere and not here, once they are here. */
  async readBack({ elsewhere, directory }: StoringSettings, terms: readonly Term[]): Promise<readonly Term[]> {
    const found: Term[] = []
    const present = terms.filter((term) => !isLost(directory, term))
    for (const { place } of elsewhere?.targets ?? []) {
      const { cluster, keys } = elsewhereOf(elsewhere)
      const until = now() + (present.length === 0 ? LOST_MS : 0)
      for (;;) {
        const { signal } = this.#end
        const have = [...present, ...found]
        const read = await readBack({ place, cluster, directory, keyFile: keys.keyFile, present: have, signal })
        if (read.ok) {
          const { terms: back, missing } = read.value
          found.push(...back)
          if (back.length > 0)
            this.#hooks.line('INFO', `${back.length} terms of binary logs are read back from ${place.kind}`)
          if (missing.length > 0)
            this.#hooks.line('ERROR', `stored binary logs are missing in ${place.kind}: ${missing.join(', ')}`)
          break
        }
        this.#hooks.line('WARN', `stored binary logs are not read back from ${place.kind}: ${read.failure.message}`)
        if (now() > until || signal.aborted) break
        await sleep(RETRY_MS, signal)
      }
    }
    return found
  }

  /** Resolves when every place has all of the file, or cannot have it soon. */
  async reach(term: string, { name, size }: StoredFile): Promise<void> {
    const until = now() + REACH_MS
    while (!this.#end.signal.aborted && now() < until && this.#copies.some((copy) => !copy.has(term, name, size)))
      await sleep(LOOK_MS, this.#end.signal)
  }

  /** What was written until now is brought there, where that takes no longer. */
  async close(withinMs: number): Promise<void> {
    this.#end.abort()
    await Promise.all(this.#copies.map((copy) => copy.close(withinMs)))
  }
}

/** An index without any of its files. */
const isLost = (directory: string, term: Term): boolean =>
  term.files.length > 0 && !term.files.some((file) => existsSync(pathOf(directory, term, file)))

const nobody = { cluster: '', keys: { keyFile: '', recipients: [] } }

const elsewhereOf = (elsewhere: StoringSettings['elsewhere']) => elsewhere ?? nobody
