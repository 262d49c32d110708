// Keeps the flags of the servers in their directories: raised by changed settings, cleared when they are settled, and
// read again periodically, since scripts and hosts set and clear them as well.
import path from 'node:path'
import { isDeepStrictEqual } from 'node:util'
import { done, type Result } from '../../../lib/base/result.js'
import { MINUTE, now, SECOND } from '../../../lib/base/time.js'
import { isRebuilt } from '../../../lib/model/operation/roll.js'
import type { ServerAddress } from '../../../lib/model/server/server.js'
import type { ServerSnapshot } from '../../../lib/model/snapshot.js'
import { changedSettings } from '../../../lib/settings/configuration/configuration.js'
import type { Settings } from '../../../lib/settings/table/index.js'
import {
  type Cookie,
  clearCookie,
  cookieSetAt,
  copyBelow,
  isCopied,
  listCookies,
  readFlags,
  setCookie,
} from '../../../lib/store/index.js'
import type { Cluster } from '../state/message/cluster.js'
import { isObserved } from '../state/step/observed.js'
import { watchedServers } from '../watch/watch.js'
import { raisedBy, settledCookies, takenUpBy } from './needs.js'

/** Every ten seconds, stretched with the fleet on this thread, at least once a minute; five times as often while one is set. */
const REREAD_MS = 10 * SECOND
const REREAD_MS_PER_SERVER = 40

export class CookieWatch {
  readonly #actor: Cluster
  #settings: Settings
  #readAt = 0
  /** The flags that an earlier life left have been read. */
  #started = false
  /** What scripts and hosts changed is left to the next owner, too: the flags as they were read last, and when they were set. */
  #left: ReadonlyMap<string, number> = new Map()
  /** Flags change one after the other. */
  #turn: Promise<void> = Promise.resolve()

  constructor(actor: Cluster) {
    this.#actor = actor
    this.#settings = actor.state.settings
  }

  /** Reads them when that is due. */
  rereadWhenDue(): void {
    const pause = Math.min(Math.max(REREAD_MS, watchedServers() * REREAD_MS_PER_SERVER), MINUTE)
    const standing = Object.keys(this.#actor.state.cookies).length > 0
    if (now() - this.#readAt >= (standing ? pause / 5 : pause)) void this.read()
  }

  /** Raises what the servers need now that the settings have changed; nothing where those describe what runs already. */
  reconfigured(settled: boolean): void {
    const { settings, snapshot } = this.#actor.state
    const { servers } = snapshot
    const names = changedSettings(this.#settings, settings)
    this.#settings = settings
    const need = settled ? undefined : raisedBy(names, settings)
    // What is set on running servers shows itself whether it needs a restart; until then it has a separate flag.
    const flag = need === 'restart' && settings['prov-db-apply-dynamic-config'] ? 'configrefresh' : need
    if (need !== undefined) {
      const causes = names.filter((name) => takenUpBy[name] !== undefined).join(', ')
      void this.#inTurn(async () => {
        for (const server of servers) await this.#set(server, flag ?? need)
        const text =
          flag === 'configrefresh'
            ? `The configuration is set on running servers: ${causes} changed`
            : `Servers need a ${need === 'reprov' ? 'new provisioning' : 'restart'}: ${causes} changed`
        this.#actor.tell('noted', { level: 'INFO', text })
      })
    }
    if (need !== undefined || names.includes('prov-db-start-fetch-config')) void this.read()
  }

  /** Raises and clears flags of one server on request. */
  async change({
    server,
    set,
    clear,
  }: {
    readonly server: ServerAddress
    readonly set: readonly Cookie[]
    readonly clear: readonly Cookie[]
  }): Promise<Result<void>> {
    await this.#inTurn(async () => {
      for (const cookie of set) await this.#set(server, cookie)
      for (const cookie of clear) await clearCookie(this.directoryOf(server), cookie)
    })
    await this.read()
    return done
  }

  read(): Promise<void> {
    this.#readAt = now()
    return this.#inTurn(async () => {
      const read = this.#isElsewhere()
        ? []
        : await Promise.all(
            this.#actor.state.snapshot.servers.map(async (server) => [server.id, await this.#keep(server)] as const),
          )
      this.#started = true
      await this.#leave()
      const cookies = Object.fromEntries(read.filter(([, set]) => set.length > 0))
      if (!isDeepStrictEqual(cookies, this.#actor.state.cookies)) this.#actor.tell('read-cookies', { cookies })
    })
  }

  /** What scripts changed since the last reading is left to the next owner. */
  close(): Promise<void> {
    return this.#inTurn(() => this.#leave())
  }

  /** Another instance owns the cluster, and its flags: those of this directory are of an earlier time. */
  #isElsewhere(): boolean {
    const { init, state } = this.#actor
    return init.tenure?.shared !== undefined && state.tenure === 'standby'
  }

  /** What cannot be left now is left with the next reading. */
  async #leave(): Promise<void> {
    const { directory } = this.#actor.init
    if (!isCopied(directory)) return
    const flags = await readFlags(directory)
    const left = new Map(this.#left)
    for (const [name, setAt] of flags)
      if (left.get(name) !== setAt && (await copyBelow(directory, name, String(setAt))).ok) left.set(name, setAt)
    for (const name of this.#left.keys())
      if (!flags.has(name) && (await copyBelow(directory, name, undefined)).ok) left.delete(name)
    this.#left = left
  }

  /** The flags of a server, rid of those that are settled. */
  async #keep(server: ServerSnapshot): Promise<readonly Cookie[]> {
    const directory = this.directoryOf(server)
    const set = await listCookies(directory)
    if (isObserved(this.#actor.state)) return set
    const { settings } = this.#actor.state
    const fetch = settings['prov-db-start-fetch-config']
    if (fetch === set.includes('noconfigfetch')) await (fetch ? clearCookie : setCookie)(directory, 'noconfigfetch')
    if (set.length === 0) return set
    if (!this.#started && set.includes('configrefresh')) {
      // The request that was to apply the change at run time is gone.
      await setCookie(directory, 'restart')
      await clearCookie(directory, 'configrefresh')
    }
    const standing = await Promise.all(
      set.map(async (cookie) => ({ cookie, setAt: await cookieSetAt(directory, cookie) })),
    )
    // What comes up in between may be thrown away again: its turn settles the flags.
    const settled = isRebuilt(this.#actor.state.roll, server.id) ? [] : settledCookies(standing, server, settings)
    for (const cookie of settled) await clearCookie(directory, cookie)
    return set.filter((cookie) => !settled.includes(cookie))
  }

  async #set(server: ServerAddress, cookie: Cookie): Promise<void> {
    if (isObserved(this.#actor.state)) return
    const set = await setCookie(this.directoryOf(server), cookie)
    if (!set.ok) this.#actor.tell('noted', { level: 'ERROR', text: set.failure.message })
  }

  directoryOf = ({ host, port }: ServerAddress): string => path.join(this.#actor.init.directory, `${host}_${port}`)

  #inTurn(work: () => Promise<void>): Promise<void> {
    this.#turn = this.#turn.then(work)
    return this.#turn
  }
}
