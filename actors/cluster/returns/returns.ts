// Brings back servers that cannot simply follow, as jobs: saves what only they have, tries the ways from the cheapest on,
// remembers what was done, and rests after all of them failed.

import { done, fail, ok, type Result } from '../../../lib/base/result.js'
import { HOUR, MINUTE, now, SECOND, sleep } from '../../../lib/base/time.js'
import { judgeReturning, listReturning, type Returning } from '../../../lib/decide/repair/returning.js'
import { chooseWay, describeWays, judgeWays, planReturn, restAfter } from '../../../lib/decide/repair/way-back.js'
import { channelOf } from '../../../lib/decide/situation/channel.js'
import { certainPart } from '../../../lib/decide/situation/history/holdings.js'
import type { Situation } from '../../../lib/decide/situation/situation.js'
import { givesWay } from '../../../lib/decide/situation/snapshot/rival.js'
import { isBelow } from '../../../lib/decide/situation/topology/sources.js'
import { tailDirectory } from '../../../lib/effect/replica/save-tail.js'
import type { Command } from '../../../lib/model/operation/command.js'
import { type Crash, isListed } from '../../../lib/model/operation/crash.js'
import type { Job } from '../../../lib/model/operation/job.js'
import { isRolling } from '../../../lib/model/operation/roll.js'
import type { Return, ReturnMethod, ReturnPlan, Way } from '../../../lib/model/operation/way-back.js'
import { contains, formatSet, isEmpty } from '../../../lib/model/server/gtid.js'
import type { ServerId } from '../../../lib/model/server/server.js'
import { findServer, readAt } from '../../../lib/model/snapshot.js'
import type { Asked, ClusterProtocol, JobTicket } from '../../protocol/cluster.js'
import type { JobQueue, JobRun } from '../backups/queue.js'
import type { Keeper } from '../operations/remember.js'
import { listServices } from '../state/services.js'
import { situationOf } from '../state/step/evaluate.js'
import { isObserved } from '../state/step/observed.js'
import type { Watch } from '../watch/watch.js'
import { Divergences } from './divergence.js'
import { Facts, type Knowing, returnSettings } from './facts.js'
import { methods, settleMethod } from './methods.js'
import type { Filling, Order } from './order.js'
import { Silence } from './silence.js'

/** A running cluster whose servers are brought back. */
export interface Refilling extends Knowing, Filling {
  readonly queue: Pick<JobQueue, 'begin' | 'running' | 'cancel'>
  readonly keeper: Pick<Keeper, 'saved'>
  readonly watch: Pick<Watch, 'probeFresh'>
  readonly perform: (command: Command, signal: AbortSignal) => Promise<Result<string>>
}

/** Longest duration of one return. */
const LONGEST_MS = 48 * HOUR
/** Longest wait until a server answers whose data were replaced. */
const READ_MS = MINUTE
/** Longest wait until a filled server follows. */
const FOLLOW_MS = 2 * MINUTE
const SAVE_MS = 30 * MINUTE
/** Work over SQL ends when the server, or its source, does not answer for so long. */
const SILENT_MS = 20 * SECOND
/** Rest when no source answers, or the source was lost: that is no fault of a way. */
const SOURCE_MS = 5 * SECOND
/** Rest after a person ended the work. */
const CANCELLED_MS = HOUR

export class Returns {
  readonly #actor: Refilling
  readonly #facts: Facts
  readonly divergences: Divergences
  /** Ends a job whose source is no longer one, or whose servers are out of reach. */
  readonly #ends = new Map<ServerId, (why: string) => void>()
  readonly #silence = new Silence()

  constructor(actor: Refilling) {
    this.#actor = actor
    this.#facts = new Facts(actor)
    this.divergences = new Divergences(actor, this.#facts)
  }

  /** Called with every tick: begins what is due and may begin without a person. */
  check(): void {
    const { state } = this.#actor
    if (!state.ready || isObserved(state) || isRolling(state.roll)) return
    this.#tidy()
    this.#endOrphans()
    this.#endUnreached()
    if (!state.settings.autorejoin || state.settings['monitoring-pause'] || givesWay(state.snapshot)) return
    const situation = this.#situation()
    for (const returning of listReturning(situation)) {
      const { id } = returning.server
      const kept = state.memory.returns?.[id]
      if (this.#actor.queue.running(id) || (kept?.restUntil ?? 0) > now()) continue
      if (isBeingSaved(returning, state.settings['autorejoin-backup-binlog'])) continue
      const request = kept?.asked ? { method: kept.asked.method } : {}
      const ways = judgeWays(this.#facts.quick(returning, situation), returnSettings(state), request)
      if (chooseWay(ways, kept?.attempts))
        this.#begin(id, { user: kept?.asked?.user ?? 'manager', asker: kept?.asked?.asker, ...request })
    }
  }

  /** Failures: those of `judgeReturning`. */
  async plan({ server, method, source }: ClusterProtocol['plan-return']['in']): Promise<Result<ReturnPlan>> {
    const situation = this.#situation()
    const returning = judgeReturning(situation, server)
    if (!returning.ok) return returning
    const signal = this.#actor.context.signal
    const facts = await this.#facts.full(returning.value, situation, { signal, ...(source ? { source } : {}) })
    return ok(planReturn(facts, returnSettings(this.#actor.state), method ? { method } : {}))
  }

  /** Failures: those of `plan`; `plan-needed`, `plan-changed`, `wrong-state` (the way is not possible, and why). */
  async ask(request: ClusterProtocol['begin-return']['in']): Promise<Result<JobTicket>> {
    const { user, asker, server, method, plan: confirmed, source, wait } = request
    const planned = await this.plan({ server, ...(method ? { method } : {}), ...(source ? { source } : {}) })
    if (!planned.ok) return planned
    const { id, chosen, ways, extraCount, name, loss } = planned.value
    if (!chosen) {
      const why = ways.find((way) => way.method === method)?.why ?? describeWays(ways)
      return fail('wrong-state', `${name} cannot be brought back${method ? ` by ${method}` : ''}: ${why}`)
    }
    if (confirmed !== undefined && confirmed !== id)
      return fail('plan-changed', `the plan of ${name} is ${id} by now: ${loss}`)
    if (confirmed === undefined && extraCount > 0)
      return fail('plan-needed', `${loss} Confirm with confirm=${id} (manager-cli reseed: --confirm).`)
    const begun = this.#begin(server, { user, asker, method: chosen, ...(source ? { source } : {}) })
    if (!begun.ok) return begun
    await begun.value.written
    if (!wait) return ok({ job: begun.value.job })
    const { job, result } = await begun.value.ended
    return result.ok ? ok({ job }) : result
  }

  /** Ends what runs; a server that was emptied stays empty, and is filled again on request, or after an hour. */
  cancel({ user, server }: ClusterProtocol['cancel-return']['in']): Result<readonly Job[]> {
    const ended = this.#actor.queue.cancel({ task: 'reseed', server }, user)
    if (!ended.ok) return ended
    const { asked: _, ...kept } = this.#kept(server)
    this.#keep(server, { ...kept, restUntil: now() + CANCELLED_MS })
    return ended
  }

  #situation(): Situation {
    const { state } = this.#actor
    return { ...situationOf(state, now()), snapshot: state.snapshot }
  }

  /** What follows again is forgotten; what an earlier manager was doing is taken up. */
  #tidy(): void {
    const { memory, snapshot, settings } = this.#actor.state
    for (const [id, kept] of Object.entries(memory.returns ?? {})) {
      const server = findServer(snapshot, id)
      if (this.#actor.queue.running(id)) continue
      const receives = server && channelOf(server, settings)?.io === 'running'
      // One that still receives from a former primary is not back.
      const follows = receives && snapshot.primary !== undefined && isBelow(snapshot.servers, id, snapshot.primary)
      if (follows && kept.active) void settleMethod(this.#actor, id, kept.active)
      if (!server || follows) this.#keep(id, undefined)
      else if (kept.active) {
        const { active: _, ...rest } = kept
        this.#keep(id, rest)
      }
    }
  }

  /** A source that lost its role to another server, or left, has a history of its own. */
  #endOrphans(): void {
    const { memory, snapshot } = this.#actor.state
    for (const [id, end] of this.#ends) {
      const source = memory.returns?.[id]?.source
      const server = source === undefined ? undefined : findServer(snapshot, source)
      const replaced = memory.crashes.find(({ oldPrimary, switchover }) => oldPrimary === source && !switchover)
      if (source !== undefined && (!server || replaced))
        end(`its source ${server?.name ?? source} is no longer one: it was replaced by a failover`)
    }
  }

  /** Nothing else ends a connection that is cut: no end of it arrives. */
  #endUnreached(): void {
    const { memory, snapshot } = this.#actor.state
    const serversOf = (id: ServerId): readonly ServerId[] => {
      const { active, source = id } = memory.returns?.[id] ?? {}
      return isOverSql(active) ? [id, source] : []
    }
    this.#silence.note([...this.#ends.keys()].flatMap(serversOf), (id) => this.#answers(id), now())
    for (const [id, end] of this.#ends) {
      const silent = serversOf(id).find((each) => this.#silence.since(each, now()) >= SILENT_MS)
      if (silent !== undefined)
        end(`${findServer(snapshot, silent)?.name ?? silent} has not answered for ${SILENT_MS / SECOND} s`)
    }
  }

  #begin(
    id: ServerId,
    { user, asker, method, source }: Asked & { readonly method?: ReturnMethod; readonly source?: 'primary' },
  ): ReturnType<Refilling['queue']['begin']> {
    const service = listServices(this.#actor.state).find((each) => each.id === id)
    if (!service) return fail('unknown-server', `${this.#actor.init.name} has no server ${id}`)
    if (method && user !== 'manager') this.#note(id, { asked: { user, method, ...(asker ? { asker } : {}) } })
    let hasBegun = false
    const begun = this.#actor.queue.begin({
      ...{ service, task: 'reseed', user, asker, deadlineMs: LONGEST_MS },
      work: (run) => {
        hasBegun = true
        return this.#bringBack(id, { run, ...(method ? { method } : {}), ...(source ? { source } : {}) })
      },
    })
    // What was cancelled before it began is not asked for any more: the settings decide from then on.
    if (begun.ok)
      void begun.value.ended.then(() => {
        const { asked, ...kept } = this.#kept(id)
        if (!hasBegun && asked) this.#keep(id, kept)
      })
    return begun
  }

  async #bringBack(id: ServerId, wish: Wish): Promise<Result<string>> {
    const saved = await this.#save(id, wish.run)
    if (!saved.ok) return this.#rest(id, saved)
    for (;;) {
      const situation = this.#situation()
      const returning = judgeReturning(situation, id)
      if (!returning.ok) return this.#rest(id, returning, SOURCE_MS)
      const { source, method, run } = wish
      const facts = await this.#facts.full(returning.value, situation, {
        signal: run.signal,
        ...(source ? { source } : {}),
      })
      const ways = judgeWays(facts, returnSettings(this.#actor.state), method ? { method } : {})
      run.log(describeWays(ways))
      const way = chooseWay(ways, this.#kept(id).attempts)
      if (!way) return this.#rest(id, fail('wrong-state', `no way back is left: ${lastFailure(this.#kept(id))}`))
      const tried = await this.#try(returning.value, { way, wish, ...(facts.tail ? { tail: facts.tail } : {}) })
      if (tried.ok || run.signal.aborted) return tried
      run.log(`${way.method} failed: ${tried.failure.message}`)
    }
  }

  /** One way, from its beginning in the state file until the server follows. */
  async #try(
    returning: Returning,
    {
      way,
      wish: { run },
      tail,
    }: {
      readonly way: Way
      readonly wish: Wish
      readonly tail?: import('../../../lib/model/operation/way-back.js').TailFacts
    },
  ): Promise<Result<string>> {
    const { id, name } = returning.server
    const bring = methods[way.method]
    if (!bring) return this.#failed(id, way, `${way.method} needs nothing to be done`)
    const ending = new AbortController()
    const end = () => ending.abort()
    run.signal.addEventListener('abort', end, { once: true })
    let orphaned: string | undefined
    this.#ends.set(id, (why) => {
      orphaned ??= why
      end()
    })
    this.#note(id, {
      active: way.method,
      ...(way.source === undefined ? {} : { source: way.source }),
    })
    const written = await this.#actor.keeper.saved()
    run.log(`${name} is brought back by ${way.method}: ${way.why}`)
    const brought = written.ok
      ? await bring(this.#actor, {
          returning,
          ...(tail ? { tail } : {}),
          ...(way.source === undefined ? {} : { source: way.source }),
          ...this.#copy(way, returning),
          run: { ...run, signal: ending.signal },
        })
      : written
    this.#ends.delete(id)
    run.signal.removeEventListener('abort', end)
    // The next manager goes on from what is on disk.
    if (this.#actor.context.signal.aborted) return fail('deadline-passed', 'the manager ended')
    await (brought.ok ? this.#untilRead(id, run.signal) : this.#actor.watch.probeFresh(id))
    if (!brought.ok) {
      this.#idle(id)
      if (orphaned !== undefined) return this.#rest(id, fail('step-failed', orphaned), SOURCE_MS)
      if (run.signal.aborted) return brought
      // A source that is gone is no fault of the way: it is tried again from another one.
      return (await this.#isGone(way.source)) ? brought : this.#failed(id, way, brought.failure.message)
    }
    run.log(brought.value)
    const left = way.method === 'zfs' ? judgeReturning(this.#situation(), id) : undefined
    if (left?.ok && !isEmpty(left.value.extra)) {
      this.#idle(id)
      return this.#failed(id, way, `the snapshot holds what only it has: ${formatSet(left.value.extra)}`)
    }
    this.#idle(id, { filled: true })
    const follows = await this.#untilFollows(id, run.signal)
    if (!follows.ok) return this.#failed(id, way, follows.failure.message)
    await settleMethod(this.#actor, id, way.method)
    this.#keep(id, undefined)
    return ok(`by ${way.method}: ${brought.value}`)
  }

  #copy({ method }: Way, { server }: Returning): Pick<Order, 'copy' | 'isFollowed'> {
    if (method !== 'logical-backup' && method !== 'physical-backup') return {}
    const copy = this.#facts.copyOf(method === 'logical-backup' ? 'logical' : 'physical', server)
    if (typeof copy === 'string') return {}
    const newest = copy.at(-1)
    return { copy, isFollowed: newest !== undefined && this.#facts.follows(newest, server) }
  }

  async #isGone(source: ServerId | undefined): Promise<boolean> {
    if (source === undefined) return false
    if (!this.#answers(source)) return true
    await this.#actor.watch.probeFresh(source)
    return !this.#answers(source)
  }

  #answers(id: ServerId): boolean {
    return findServer(this.#actor.state.snapshot, id)?.observation === 'answered'
  }

  /** What it shows now counts, not what its former data showed: it is left alone until that is read. */
  async #untilRead(id: ServerId, signal: AbortSignal): Promise<void> {
    const since = now()
    while (!signal.aborted && now() < since + READ_MS) {
      await this.#actor.watch.probeFresh(id)
      const server = findServer(this.#actor.state.snapshot, id)
      if (!server || (this.#answers(id) && readAt(server) >= since)) return
      await sleep(SECOND / 4, signal)
    }
  }

  /** The judgement of its return makes it a replica, as one that only was behind. */
  async #untilFollows(id: ServerId, signal: AbortSignal): Promise<Result<void>> {
    const until = now() + FOLLOW_MS
    while (!signal.aborted && now() < until) {
      await this.#actor.watch.probeFresh(id)
      const { snapshot, settings } = this.#actor.state
      const server = findServer(snapshot, id)
      const channel = server && channelOf(server, settings)
      if (channel?.io === 'running' && channel.sql === 'running') return done
      if (channel && channel.sqlError.code !== 0)
        return fail(
          'step-failed',
          `it stopped replicating: error ${channel.sqlError.code}: ${channel.sqlError.message}`,
        )
      await sleep(SECOND / 4, signal)
    }
    return fail('deadline-passed', `it does not follow ${FOLLOW_MS / SECOND} s after it was filled`)
  }

  /** What only it has, complete, before anything is done; done when there is nothing, or it is saved. */
  async #save(id: ServerId, { signal, log }: JobRun): Promise<Result<void>> {
    const returning = judgeReturning(this.#situation(), id)
    if (!returning.ok) return returning
    const { extra, crash, server } = returning.value
    if (isEmpty(extra)) return done
    const known = this.#facts.tailOf(returning.value)
    const tail = known === undefined ? undefined : await this.#facts.readTail(known, returning.value, signal)
    if (tail?.ok && contains(tail.value.gtids, extra)) return done
    const from = crash && known === undefined ? crash : wholeLog(id, this.#actor.state.snapshot.primary ?? id, now())
    log(`saving what only ${server.name} has`)
    const command = {
      type: 'save-tail',
      server: id,
      crash: from,
      extra,
      extraText: formatSet(certainPart(extra, server)),
      timeoutMs: SAVE_MS,
    } as const
    const saved = await this.#actor.perform(command, signal)
    if (!saved.ok)
      return fail(saved.failure.code, `what only ${server.name} has is not saved: ${saved.failure.message}`)
    if (isListed(saved.value))
      return fail(
        'wrong-state',
        `what only ${server.name} has could be saved as a list without rows only: the account of the manager needs the privilege of WARN0266, and its host mariadb-binlog or mysqlbinlog`,
      )
    this.#note(id, { tail: tailDirectory(this.#actor.init.directory, from) })
    return done
  }

  #failed(id: ServerId, { method }: Way, failure: string): Result<never> {
    const attempts = [...this.#kept(id).attempts, { method, at: now(), failure }]
    const { filled: _, ...kept } = this.#kept(id)
    this.#keep(id, { ...kept, attempts })
    return fail('step-failed', `${method}: ${failure}`)
  }

  /** Every way is tried again after a while, longer each time. */
  #rest(id: ServerId, failed: Result<never>, restMs?: number): Result<never> {
    const kept = this.#kept(id)
    const rounds = restMs === undefined ? (kept.rounds ?? 0) + 1 : kept.rounds
    this.#keep(id, {
      ...kept,
      attempts: [],
      ...(rounds === undefined ? {} : { rounds }),
      restUntil: now() + (restMs ?? restAfter(rounds ?? 1)),
    })
    return failed
  }

  #kept(id: ServerId): Return {
    return this.#actor.state.memory.returns?.[id] ?? { since: now(), attempts: [] }
  }

  #note(id: ServerId, change: Partial<Return>): void {
    this.#keep(id, { ...this.#kept(id), ...change })
  }

  /** Nothing is done to it just now. */
  #idle(id: ServerId, change: Partial<Return> = {}): void {
    const { active: _, source: __, ...kept } = this.#kept(id)
    this.#keep(id, { ...kept, ...change })
  }

  #keep(server: ServerId, kept: Return | undefined): void {
    this.#actor.decide('keep-return', { server, ...(kept ? { kept } : {}) })
  }
}

interface Wish {
  readonly run: JobRun
  readonly method?: ReturnMethod
  readonly source?: 'primary'
}

/** The plan of its rejoin saves its transactions first. */
const isBeingSaved = ({ extra, crash }: Returning, saves: boolean): boolean =>
  saves && !isEmpty(extra) && crash !== undefined && crash.outcome === undefined

/** The other ways stop the server themselves. */
const isOverSql = (method: ReturnMethod | undefined): boolean => method === 'dump' || method === 'logical-backup'

const lastFailure = ({ attempts }: Return): string =>
  attempts.map(({ method, failure }) => `${method}: ${failure}`).join('; ') || 'none is possible'

/** Where its history left that of the cluster is not known: all of its binary logs are saved. */
const wholeLog = (server: ServerId, primary: ServerId, at: number): Crash => ({
  ...{ at, oldPrimary: server, newPrimary: primary, switchover: false, received: {}, byOrigin: {}, receivedText: '' },
  ...{ oldFile: '', oldPosition: 4, newFile: '', newPosition: 4, inSync: false },
})
