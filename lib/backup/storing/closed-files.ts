// Follows the list of a server's binary logs, and has each file fetched when the server has closed it.
import { mkdir, rm, stat } from 'node:fs/promises'
import path from 'node:path'
import { modeOf } from '../../base/files/modes.js'
import { SECOND, sleep } from '../../base/time.js'
import type { SqlSession } from '../../connect/sql/session.js'
import type { ServerId } from '../../model/server/server.js'
import { listServerFiles, readDirectory } from './log-source.js'
import type { StoringReport } from './storing-state.js'

/** Between two reads of the list. */
const PAUSE_MS = 2 * SECOND

type Fetch = Extract<StoringReport, { readonly type: 'fetch' }>

export interface Following {
  readonly session: SqlSession
  readonly server: ServerId
  /** The file to begin with. */
  readonly first: string
  /** Where files are while they are not complete. */
  readonly incoming: string
  /** Called with the name of the file that the server writes. */
  readonly writes: (file: string) => void
  /** Takes over a complete file; answers why it is none. */
  readonly take: (file: string, size: number) => Promise<string | undefined>
}

export class ClosedFiles {
  readonly #ask: (fetch: Fetch) => void
  readonly #waiting = new Map<number, (failure: string | undefined) => void>()
  #ending = new AbortController()
  #last = 0

  constructor(ask: (fetch: Fetch) => void) {
    this.#ask = ask
  }

  /** The other half of the manager has ended a fetch. */
  fetched(id: number, failure: string | undefined): void {
    this.#waiting.get(id)?.(failure)
    this.#waiting.delete(id)
  }

  /** Ends `run`. */
  close(): void {
    this.#ending.abort()
    for (const [id] of this.#waiting) this.fetched(id, 'it is not wanted any more')
  }

  /** Until `close`, or until something fails: answers what. */
  async run(following: Following): Promise<string | undefined> {
    const ending = new AbortController()
    const { signal } = ending
    this.#ending = ending
    const { session, incoming, writes } = following
    const place = await readDirectory(session)
    if (!place.ok) return place.failure.message
    await rm(incoming, { recursive: true, force: true })
    await mkdir(incoming, { recursive: true, mode: modeOf('scratch') })
    let next = following.first
    while (!signal.aborted) {
      const listed = await listServerFiles(session)
      if (!listed.ok) return listed.failure.message
      const at = listed.value.findIndex(({ name }) => name === next)
      const [file, after] = [listed.value[at], listed.value[at + 1]]
      if (!file) return `the server has no file ${next} any more`
      if (after) {
        const failed = await this.#get(following, { from: path.posix.join(place.value, file.name), ...file })
        if (failed !== undefined) return failed
        next = after.name
      } else {
        writes(file.name)
        await sleep(PAUSE_MS, signal)
      }
    }
    return undefined
  }

  async #get(
    { server, incoming, take }: Following,
    { from, name, size }: { readonly from: string; readonly name: string; readonly size: number },
  ): Promise<string | undefined> {
    const to = path.join(incoming, name)
    await rm(to, { force: true })
    this.#last += 1
    const id = this.#last
    const ended = new Promise<string | undefined>((resolve) => this.#waiting.set(id, resolve))
    this.#ask({ type: 'fetch', id, server, from, to })
    const failure = await ended
    if (failure !== undefined) return `${name} is not copied: ${failure}`
    const found = await stat(to).catch(() => undefined)
    if (found?.size !== size) return `${name} was copied with ${found?.size ?? 'no'} bytes, the server lists ${size}`
    return take(to, size)
  }
}
