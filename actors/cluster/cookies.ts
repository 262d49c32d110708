// Reads the flags of the servers from their directories, now and then: scripts and hosts set and clear them as well.
import path from 'node:path'
import { isDeepStrictEqual } from 'node:util'
import { MINUTE, now, SECOND } from '../../lib/base/time.js'
import { listCookies } from '../../lib/store/index.js'
import type { ClusterActor } from './actor.js'
import { watchedServers } from './watch.js'

/** Every ten seconds, stretched with the fleet on this thread, at most once a minute. */
const REREAD_MS = 10 * SECOND
const REREAD_MS_PER_SERVER = 40

export class CookieWatch {
  readonly #actor: ClusterActor
  #readAt = 0

  constructor(actor: ClusterActor) {
    this.#actor = actor
  }

  /** Reads them when that is due. */
  look(): void {
    const pause = Math.min(Math.max(REREAD_MS, watchedServers() * REREAD_MS_PER_SERVER), MINUTE)
    if (now() - this.#readAt >= pause) void this.read()
  }

  async read(): Promise<void> {
    this.#readAt = now()
    const { state, init } = this.#actor
    const read = await Promise.all(
      state.servers.map(
        async ({ id, host, port }) => [id, await listCookies(path.join(init.directory, `${host}_${port}`))] as const,
      ),
    )
    const cookies = Object.fromEntries(read.filter(([, set]) => set.length > 0))
    if (!isDeepStrictEqual(cookies, this.#actor.state.cookies)) this.#actor.tell('read-cookies', { cookies })
  }
}
