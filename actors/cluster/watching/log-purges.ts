// Binary logs of servers that exceed their size: judged at every tick, deleted one server after the other, every few seconds at most.
import { fail, ok, type Result } from '../../../lib/base/result.js'
import { now, SECOND, sleep } from '../../../lib/base/time.js'
import { channelOf } from '../../../lib/decide/situation/channel.js'
import { decideLogPurges, isSetAside, type LogPurge } from '../../../lib/decide/upkeep/log-purge.js'
import { type ActSession, withActSession } from '../../../lib/effect/acts/act-session.js'
import { type Purged, purgeBinlogs } from '../../../lib/effect/acts/purge-binlogs.js'
import type { TakeTurn } from '../../../lib/effect/acts/turns.js'
import { readOldest } from '../../../lib/effect/returns/oldest.js'
import type { ReturnMethod } from '../../../lib/model/operation/way-back.js'
import { type GtidSet, noTransactions, parseGtidSet, parsePosition } from '../../../lib/model/server/gtid.js'
import type { ServerId } from '../../../lib/model/server/server.js'
import { findServer, type Snapshot } from '../../../lib/model/snapshot.js'
import type { Settings } from '../../../lib/settings/table/index.js'
import type { Cluster } from '../state/message/cluster.js'
import { effectServer } from '../state/message/wires.js'
import type { Watch } from '../watch/watch.js'

/** A running cluster that deletes binary logs of its servers. */
export interface PurgingLogs extends Pick<Cluster, 'context' | 'state' | 'tell'> {
  readonly watch: Pick<Watch, 'probeFresh' | 'probeSlowly'>
  readonly takeTurn: TakeTurn
}

/** Longest time on one server, once it has its turn. */
const PURGE_MS = 20 * SECOND
/** Longest wait for the probes that say how the servers are now. */
const PROBE_MS = 3 * SECOND
/** Between the end of one round and the next one. */
const PAUSE_MS = 5 * SECOND
/** After one that failed. */
const REST_MS = 60 * SECOND

export class LogPurges {
  readonly #actor: PurgingLogs
  #isRunning = false
  #restUntil = 0
  /** By server: why its logs stay, as it was logged. */
  #held: ReadonlyMap<ServerId, string> = new Map()
  /** Servers that are being filled, and the file of the primary from which on each copy goes on. */
  #restoring: ReadonlyMap<ServerId, string | undefined> | undefined
  /** The file of the primary that each server had applied up to at the tick before. */
  #applied: ReadonlyMap<ServerId, string | undefined> | undefined

  constructor(actor: PurgingLogs) {
    this.#actor = actor
  }

  purgeWhenDue(): void {
    if (this.#actor.state.ready) this.#noteRestoring()
    if (this.#isRunning || now() < this.#restUntil) return
    const purges = this.#decide()
    this.#sayHeld(purges)
    const due = purges.filter(({ upTo }) => upTo !== undefined)
    if (due.length === 0) return
    this.#isRunning = true
    void this.#purgeAll(due)
  }

  #decide(): readonly LogPurge[] {
    const { state } = this.#actor
    if (!state.ready) return []
    return decideLogPurges({ ...state, ...this.#aside(), storage: state.logStorage })
  }

  #aside(): { readonly restoring?: ReadonlyMap<ServerId, string | undefined> } {
    return this.#restoring ? { restoring: this.#restoring } : {}
  }

  /**
   * A copy has at least what its source had applied at the tick before its work began; of work that began before this actor
   * nothing is known.
   */
  #noteRestoring(): void {
    const { memory, snapshot, settings } = this.#actor.state
    const [known, applied] = [this.#restoring, this.#applied]
    this.#restoring = new Map(
      Object.entries(memory.returns ?? {}).flatMap(([id, { active, source }]) => {
        if (active === undefined) return []
        const from = isLive(active) && source !== undefined ? applied?.get(source) : undefined
        return [[id, known?.has(id) ? known.get(id) : from] as const]
      }),
    )
    this.#applied = new Map(snapshot.servers.map(({ id }) => [id, appliedFile(snapshot, id, settings)]))
  }

  /** The primary first: replicas keep what it has. */
  async #purgeAll(due: readonly LogPurge[]): Promise<void> {
    const { primary } = this.#actor.state.snapshot
    let rest = PAUSE_MS
    for (const { server } of due.toSorted(
      (one, other) => Number(other.server === primary) - Number(one.server === primary),
    )) {
      const purged = await this.#actor.takeTurn(server, () => this.#purge(server))
      if (!purged.ok) rest = REST_MS
      if (!purged.ok || purged.value.files > 0) this.#log(purged)
      await this.#probed([this.#actor.watch.probeSlowly(server)])
    }
    this.#restUntil = now() + rest
    this.#isRunning = false
  }

  /** What was decided is decided again with every server as it is now, and once more before the statement. */
  async #purge(server: ServerId): Promise<Result<Purged>> {
    const { watch, context, state: before } = this.#actor
    const { primary } = before.snapshot
    await this.#probed([watch.probeFresh(), watch.probeSlowly(server)])
    const wish = this.#wishFor(server)
    const target = effectServer(this.#actor.state, server)
    if (wish?.upTo === undefined || !target) return ok({ files: 0, text: '' })
    const { upTo } = wish
    const parse = this.#isMariadb(server) ? parsePosition : parseGtidSet
    const oldest = server === primary ? ok([]) : await this.#oldestOf(primary, parse)
    if (!oldest.ok) return oldest
    const holders = [...this.#executed(), ...oldest.value]
    const mayGoOn = () => {
      const { snapshot } = this.#actor.state
      const isStill = snapshot.primary === primary && this.#wishFor(server)?.upTo !== undefined
      return isStill ? ok(undefined) : fail('wrong-state', 'the servers changed meanwhile: no binary log was deleted')
    }
    const work = (session: ActSession) => purgeBinlogs(session, { upTo, holders, parse, mayGoOn })
    return withActSession(target, { limitMs: PURGE_MS, signal: context.signal }, work)
  }

  #wishFor(server: ServerId): LogPurge | undefined {
    return this.#decide().find((purge) => purge.server === server)
  }

  #isMariadb(server: ServerId): boolean {
    return findServer(this.#actor.state.snapshot, server)?.state?.identity.flavour === 'mariadb'
  }

  #executed(): readonly GtidSet[] {
    const { snapshot, settings } = this.#actor.state
    return snapshot.servers
      .filter(({ id }) => !isSetAside({ settings, ...this.#aside() }, id))
      .map(({ state }) => state?.gtid.executed ?? noTransactions)
  }

  /** What precedes the logs that the primary has. */
  async #oldestOf(
    primary: ServerId | undefined,
    parse: (text: string) => GtidSet,
  ): Promise<Result<readonly GtidSet[]>> {
    const source = primary === undefined ? undefined : effectServer(this.#actor.state, primary)
    if (!source) return fail('no-primary', 'what its binary logs begin with is not known')
    const oldest = await readOldest(source.target)
    return oldest.ok ? ok([parse(oldest.value)]) : oldest
  }

  async #probed(probes: readonly Promise<void>[]): Promise<void> {
    await Promise.race([Promise.all(probes), sleep(PROBE_MS, this.#actor.context.signal)])
  }

  /** Each reason once, as long as it lasts. */
  #sayHeld(purges: readonly LogPurge[]): void {
    const held = new Map(
      purges.flatMap(({ server, heldBy }) => (heldBy === undefined ? [] : [[server, heldBy] as const])),
    )
    for (const { server, bytes, heldBy } of purges) {
      if (heldBy === undefined || this.#held.get(server) === heldBy) continue
      const name = findServer(this.#actor.state.snapshot, server)?.name ?? server
      const size = `${(bytes / 1024 ** 2).toFixed(1)} MB`
      const text = `Binary logs of ${name} (${size}) exceed force-binlog-purge-total-size and stay: ${heldBy}`
      this.#actor.tell('noted', { level: 'WARN', text, module: 'binlog-purge' })
    }
    this.#held = held
  }

  #log(purged: Result<Purged>): void {
    const text = purged.ok ? purged.value.text : `Binary logs were not deleted: ${purged.failure.message}`
    this.#actor.tell('noted', { level: purged.ok ? 'INFO' : 'ERROR', text, module: 'binlog-purge' })
  }
}

/** Ways that read another server now; a stored backup is older. */
const isLive = (method: ReturnMethod): boolean => method === 'dump' || method === 'rebuild'

/** The file of the primary that a source has applied up to; its own, being written, where that is the primary. */
function appliedFile(snapshot: Snapshot, source: ServerId, settings: Settings): string | undefined {
  const server = findServer(snapshot, source)
  if (!server || source !== snapshot.primary) return server && channelOf(server, settings)?.executedFile
  return server.slow?.binlogs?.files.at(-1)?.[0]
}
