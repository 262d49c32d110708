// Which cluster has which server: judges each server that answers at an address for the first time, for all clusters of the manager.
import type { WriteLog } from '../../lib/base/log-codes.js'
import { MINUTE, now, SECOND, sleep } from '../../lib/base/time.js'
import { type Holding, judgeWhose, type Sighting, type Whose } from '../../lib/decide/watching/instances.js'
import { instanceText, isSameInstance, type ServerInstance } from '../../lib/model/server/instance.js'
import { addressText } from '../../lib/model/server/server.js'
import { splitAddress } from '../../lib/settings/kit/address.js'
import type { MainLine } from '../kernel/line.js'
import type { Refusal, ShownServer } from '../protocol/line.js'

/** Longest wait for the threads of clusters to say what they have seen. */
const SEEK_MS = SECOND / 2
/** What was reported so long ago and not again is not waited for any more. */
const REPORTED_MS = 10 * MINUTE

export interface InstanceParts {
  readonly line: MainLine
  /** The address is one of the cluster's, which the manager has. */
  readonly isMember: (cluster: string, server: string) => boolean
  readonly log: WriteLog
}

/** One for each manager, as long as it runs. */
export class Instances {
  readonly #parts: InstanceParts
  /** Cluster → address → what it has there. */
  readonly #held = new Map<string, Map<string, Holding>>()
  /** Host name, port and data directory → what all clusters have of these names. */
  readonly #named = new Map<string, readonly Holding[]>()
  /** When each sighting that is not judged yet was reported first, and its latest refusal, which is logged once. */
  readonly #reported = new Map<string, { readonly at: number; readonly said?: string }>()

  /** Who waits for the next report of a thread. */
  readonly #listeners: (() => void)[] = []

  constructor(parts: InstanceParts) {
    this.#parts = parts
    parts.line.answer('whose', (sighted, cluster) => this.#answer({ ...sighted, cluster }))
    parts.line.hear('shown', (servers, cluster) => this.#note(cluster, servers))
  }

  /** The member of another cluster that is this server. */
  holderOf(instance: ServerInstance, besides: string): Holding | undefined {
    const held = this.#namesakes(instance).filter((each) => isSameInstance(each.instance, instance))
    return held.find((each) => each.cluster !== besides && this.#isHeld(each))
  }

  async #answer(sighting: Sighting): Promise<Refusal> {
    const key = `${sighting.cluster} ${sighting.server} ${nameKey(sighting.instance)}`
    const reported = this.#reported.get(key)
    const firstAt = reported?.at ?? now()
    this.#reported.set(key, reported ?? { at: firstAt })
    const whose = await this.#judge(sighting, firstAt)
    if (whose.type !== 'unclear') this.#forget()
    const refusal = refusalOf(whose)
    if (refusal === undefined) this.#reported.delete(key)
    else if (reported?.said !== refusal) {
      this.#reported.set(key, { at: firstAt, said: refusal })
      this.#log(sighting, whose)
    }
    return refusal === undefined ? {} : { refusal }
  }

  /** Where another cluster may have the server, it is asked once which one it sees. */
  async #judge(sighting: Sighting, firstAt: number): Promise<Whose> {
    const until = now() + SEEK_MS
    for (let asked = false; ; asked = true) {
      const whose = this.#judgeNow(sighting, firstAt)
      // In the same turn: two clusters that ask for one server at once must not both have it.
      if (whose.type === 'own') this.#keep(whose)
      if (whose.type !== 'unclear' || now() >= until) return whose
      if (!asked) this.#seek(sighting)
      await this.#heard(until)
    }
  }

  #seek({ cluster, instance }: Sighting): void {
    const holders = new Set(this.#namesakes(instance).map((each) => each.cluster))
    for (const holder of holders) if (holder !== cluster) this.#parts.line.notify(holder, 'sought', instance)
  }

  /** What is no member any more is found out when it would decide, and forgotten. */
  #judgeNow(sighting: Sighting, firstAt: number): Whose {
    for (;;) {
      const own = [...(this.#held.get(sighting.cluster)?.values() ?? [])]
      const others = this.#namesakes(sighting.instance).filter(({ cluster }) => cluster !== sighting.cluster)
      const whose = judgeWhose(sighting, { holdings: [...own, ...others], now: now(), firstAt })
      if (!('holder' in whose) || this.#isHeld(whose.holder)) return whose
      this.#drop(whose.holder)
    }
  }

  #isHeld({ cluster, server }: Holding): boolean {
    return this.#parts.isMember(cluster, server)
  }

  #namesakes(instance: ServerInstance): readonly Holding[] {
    return this.#named.get(nameKey(instance)) ?? []
  }

  /** The next report of a thread, or the end of the wait. */
  async #heard(until: number): Promise<void> {
    const over = new AbortController()
    const reported = new Promise<void>((resolve) => this.#listeners.push(resolve))
    await Promise.race([reported, sleep(Math.max(1, until - now()), over.signal)])
    over.abort()
  }

  #note(cluster: string, servers: readonly ShownServer[]): void {
    for (const { server, instance, at } of servers) {
      const holding = this.#held.get(cluster)?.get(server)
      if (holding && isSameInstance(holding.instance, instance)) this.#put({ ...holding, at: Math.max(holding.at, at) })
    }
    for (const resolve of this.#listeners.splice(0)) resolve()
  }

  #keep({ holding, revoked }: Whose & { readonly type: 'own' }): void {
    for (const each of revoked) {
      this.#drop(each)
      this.#parts.line.notify(each.cluster, 'revoked', each.server)
    }
    this.#put(holding)
  }

  #put(holding: Holding): void {
    const servers = this.#held.get(holding.cluster) ?? new Map<string, Holding>()
    const before = servers.get(holding.server)
    if (before) this.#drop(before)
    this.#held.set(holding.cluster, servers.set(holding.server, holding))
    const key = nameKey(holding.instance)
    this.#named.set(key, [...(this.#named.get(key) ?? []), holding])
  }

  #drop(holding: Holding): void {
    const servers = this.#held.get(holding.cluster)
    if (servers?.get(holding.server) === holding) servers.delete(holding.server)
    const key = nameKey(holding.instance)
    const others = (this.#named.get(key) ?? []).filter((each) => each !== holding)
    if (others.length > 0) this.#named.set(key, others)
    else this.#named.delete(key)
  }

  #forget(): void {
    const until = now() - REPORTED_MS
    for (const [key, { at }] of this.#reported) if (at < until) this.#reported.delete(key)
  }

  #log({ cluster, server, instance }: Sighting, whose: Whose): void {
    const holder = 'holder' in whose ? `${whose.holder.server} of cluster ${whose.holder.cluster}` : 'no known server'
    this.#parts.log('warn', 'server-left-alone', {
      cluster,
      server,
      answers: instanceText(instance),
      judged: whose.type,
      holder,
    })
  }
}

/** An address stands in a list of hosts, whatever it is spelled like there. */
export const isListed = (entries: readonly string[], server: string): boolean =>
  entries.some((entry) => {
    const address = splitAddress(entry)
    return address !== undefined && addressText(address) === server
  })

const nameKey = ({ hostname, port, datadir }: ServerInstance): string => `${hostname} ${port} ${datadir}`

/** What goes to the cluster: it may not know whose server it is. */
function refusalOf(whose: Whose): string | undefined {
  switch (whose.type) {
    case 'own':
      return undefined
    case 'foreign':
      return 'a server of another cluster of this manager answers at this address'
    case 'unclear':
      return 'the server that answers has the names of one of another cluster, which does not answer now: it may be that one, started again'
    case 'changed':
      return `another server answers than before, and it ran already while ${instanceText(whose.before)} did`
  }
}
