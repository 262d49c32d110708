// Starts, monitors and restarts every actor: a fault of one affects the others as little as possible.
import { availableParallelism } from 'node:os'
import type { ResourceLimits } from 'node:worker_threads'
import { done, fail, type Result } from '../../lib/base/result.js'
import { now } from '../../lib/base/time.js'
import type { ClusterEvent } from '../../lib/model/event.js'
import type { Notice } from '../kernel/link.js'
import { DEFAULT_MAILBOX_BOUND } from '../kernel/outbox.js'
import type { ChildSpec } from '../kernel/restart.js'
import type { HostThread, ThreadEnd } from '../kernel/thread.js'
import type { ViewBytes } from '../kernel/views.js'
import type { ThreadStats } from '../kernel/wire.js'
import type { ActorRef, Protocol, ThreadReader } from '../protocol/envelope.js'
import { Child } from './child.js'
import type { CrashRecord } from './crash-record.js'
import { Judge, type Victim } from './judge.js'
import { Seats } from './seats.js'
import { type WatchOptions, watch } from './watchdog.js'

export interface SupervisorOptions {
  /** The module of a host thread: it calls `runHost` with the factories of these kinds. */
  readonly entry: URL
  /** The views that actors of each kind publish. */
  readonly kinds: Readonly<Record<string, { readonly views: readonly string[] }>>
  /** Host threads; one a core, at most 4, when absent. */
  readonly threads?: number
  /** Threads beyond those, for offenders and suspects; 8 when absent. */
  readonly mostOwnThreads?: number
  readonly policy?: Partial<Omit<ChildSpec, 'id'>>
  /** A thread whose heartbeat stops for `misses` checks is ended; 250 ms and 12 when absent. */
  readonly watch?: Partial<WatchOptions>
  /** Most messages in flight to one actor; 256 when absent. */
  readonly mailboxBound?: number
  /** Deadline of a factory, milliseconds; 30,000 when absent. */
  readonly startMs?: number
  /** How soon a thread's entry module is expected to be loaded, milliseconds; 30,000 when absent. One that is late is reported and waited for. */
  readonly openMs?: number
  readonly onLate?: (thread: string, lateMs: number) => void
  /** A fuse, not a budget: buffers do not count. */
  readonly resourceLimits?: ResourceLimits
  /** Called for every fault, as it is judged; the record is plain data. */
  readonly onCrash?: (record: CrashRecord) => void
  /** Names this process in etags; the start time when absent. */
  readonly boot?: string
}

/** A host thread as metrics show it. */
export interface ThreadReport extends ThreadStats {
  readonly name: string
  /** Share of the time its event loop was busy since the last report, 0 to 1. */
  readonly utilization: number
}

/** Restarts after 20, 80, 320 ms, 1.3, 5.1 and 20 s; an actor that still fails gets a separate thread, and as many restarts again. */
export const POLICY: Omit<ChildSpec, 'id'> = {
  restart: 'permanent',
  intensity: 6,
  periodMs: 60_000,
  backoffMs: 20,
  shutdownMs: 3_000,
}
/** Three seconds: on a machine that is short of processors a burst of connections takes more than one. */
export const WATCH: WatchOptions = { pollMs: 250, misses: 12 }
const STATS_MS = 1_000

export class Supervisor {
  readonly #options: SupervisorOptions
  readonly #children = new Map<string, Child>()
  readonly #quarantined = new Map<string, string>()
  readonly #listeners = new Set<(event: ClusterEvent) => void>()
  readonly #victims = new WeakMap<ThreadEnd, readonly Victim[]>()
  readonly #seats: Seats
  readonly #judge: Judge
  readonly #boot: string
  readonly #endWatch: () => void
  #lastGeneration = 0
  #stopped: Promise<void> | undefined

  /** A thread starts with its first actor; actors added before it is up start with it. */
  constructor(options: SupervisorOptions) {
    this.#options = options
    this.#boot = options.boot ?? Math.floor(now()).toString(36)
    this.#seats = this.#openSeats()
    this.#judge = new Judge({
      seats: this.#seats,
      onCrash: (record) => this.#options.onCrash?.(record),
      onQuarantine: (id, reason) => this.#quarantined.set(id, reason),
      onForget: (id) => void this.remove(id),
    })
    this.#endWatch = watch(() => this.#seats.all(), { ...WATCH, ...options.watch })
  }

  /** Starts an actor, from plain data. It accepts asks at once: they wait until it is up. */
  add(id: string, kind: string, init: unknown): Result<void> {
    const { kinds, policy, mailboxBound = DEFAULT_MAILBOX_BOUND, startMs = 30_000 } = this.#options
    const views = kinds[kind]?.views
    if (!views) return fail('internal', `no actors of kind ${kind}`)
    if (this.#stopped) return fail('actor-gone', 'the supervisor is stopping')
    if (this.#children.has(id)) return fail('cluster-exists', `${id} is running already`)
    const child = new Child({
      spec: { ...POLICY, ...policy, id },
      kind,
      init,
      views,
      mailboxBound,
      startMs,
      boot: this.#boot,
      seat: this.#seats.place(),
      nextGeneration: () => this.#nextGeneration(),
      onFault: (failed, cause, fault) => this.#judge.fault(failed, { cause, fault, thread: failed.seat.name }),
    })
    this.#children.set(id, child)
    child.launch()
    return done
  }

  /** Ends an actor and removes it; the others are not affected. Its id is free when this has settled. */
  async remove(id: string): Promise<Result<void>> {
    const child = this.#children.get(id)
    if (!child) return unknown(id)
    const { seat } = child
    await child.remove()
    if (this.#children.get(id) === child) this.#children.delete(id)
    this.#quarantined.delete(id)
    void this.#seats.tidy(seat)
    return done
  }

  /** Sets the parameters of the next life of the actor; the current one continues. */
  updateInit(id: string, init: unknown): Result<void> {
    const child = this.#children.get(id)
    if (!child) return unknown(id)
    child.init = init
    return done
  }

  /** Ends the actor's current life and starts another among the others, with a clean record; lifts a quarantine. */
  async restart(id: string): Promise<Result<void>> {
    const child = this.#children.get(id)
    if (!child) return unknown(id)
    await child.stop()
    if (child.removed) return unknown(id)
    this.#quarantined.delete(id)
    child.pardon()
    const { seat } = child
    if (!seat.shared) child.move(this.#seats.place())
    child.rest(0)
    void this.#seats.tidy(seat)
    return done
  }

  ids(): readonly string[] {
    return [...this.#children.keys()]
  }

  /** Undefined for an id that is not running here. A kept handle answers `actor-gone` after `remove`. */
  ref<P extends Protocol>(id: string): ActorRef<P> | undefined {
    // the caller names the protocol of the kind it added; the kernel carries any
    return this.#children.get(id)?.outbox as ActorRef<P> | undefined
  }

  /** The bytes of a published view; the last known ones while the actor is restarting. */
  view(id: string, view: string): Promise<Result<ViewBytes>> {
    return this.#children.get(id)?.shelf.read(view) ?? Promise.resolve(unknown(id))
  }

  /** Whether the view's bytes of this etag are current: costs two reads of shared memory. */
  isCurrent(id: string, view: string, etag: string): boolean {
    return this.#children.get(id)?.shelf.isCurrent(view, etag) ?? false
  }

  /** Whether the actor is running, neither starting nor stopped. */
  isUp(id: string): boolean {
    return this.#children.get(id)?.outbox.connected ?? false
  }

  /** A server's flag word, read from shared memory; 0 when unknown. */
  flags(id: string, slot: number): number {
    return this.#children.get(id)?.flags(slot) ?? 0
  }

  /** How long ago a server answered a probe, milliseconds; read it before the flags. */
  answerAge(id: string, slot: number): number | undefined {
    return this.#children.get(id)?.answerAge(slot)
  }

  /** Actors that failed too often and were stopped, with the reason. */
  quarantined(): ReadonlyMap<string, string> {
    return this.#quarantined
  }

  /** Events of all actors, in the order of each; returns the function that ends the subscription. */
  onEvent(listener: (event: ClusterEvent) => void): () => void {
    this.#listeners.add(listener)
    return () => this.#listeners.delete(listener)
  }

  /** The heartbeat of every thread that is up, by its name: each rises while the thread's event loop turns. */
  beats(): ReadonlyMap<string, number> {
    return new Map(this.#seats.all().flatMap(({ name, beat }) => (beat === undefined ? [] : [[name, beat] as const])))
  }

  /** Threads that answer within a second. */
  async threads(): Promise<readonly ThreadReport[]> {
    const reports = this.#seats.all().map(async ({ thread }): Promise<readonly ThreadReport[]> => {
      const stats = await thread?.control.call(STATS_MS, (host) => host.stats())
      return thread && stats?.ok ? [{ ...stats.value, name: thread.name, utilization: thread.utilization() }] : []
    })
    return (await Promise.all(reports)).flat()
  }

  /** The replies of all running threads to a read of their actors. */
  readers<P extends Protocol>(): readonly ThreadReader<P>[] {
    return this.#seats.all().flatMap(({ thread }) => (thread ? [openReader<P>(thread)] : []))
  }

  /** The same of the thread of one actor; undefined while it has none. */
  readerOf<P extends Protocol>(id: string): ThreadReader<P> | undefined {
    const thread = this.#children.get(id)?.seat.thread
    return thread && openReader(thread)
  }

  /** Stops every actor, with grace, then the threads. */
  stop(graceMs = 4_000): Promise<void> {
    this.#stopped ??= this.#stopAll(graceMs)
    return this.#stopped
  }

  async #stopAll(graceMs: number): Promise<void> {
    this.#endWatch()
    for (const child of this.#children.values()) child.outbox.close('actor-gone', 'the supervisor is stopping')
    await this.#seats.retire(graceMs)
  }

  #nextGeneration(): number {
    this.#lastGeneration += 1
    return this.#lastGeneration
  }

  #openSeats(): Seats {
    const { entry, kinds, resourceLimits, openMs = 30_000, threads, mostOwnThreads = 8 } = this.#options
    return new Seats({
      entry,
      kinds,
      openMs,
      onLate: (thread, lateMs) => this.#options.onLate?.(thread, lateMs),
      ...(resourceLimits && { resourceLimits }),
      shared: Math.max(1, threads ?? Math.min(4, availableParallelism())),
      mostOwn: mostOwnThreads,
      onNotice: (notice, thread) => this.#hear(notice, thread),
      onEnd: (thread, end) => this.#lose(thread, end),
      onGone: (seat, end) => this.#judge.threadEnd(seat, end, this.#victims.get(end) ?? []),
    })
  }

  #hear(notice: Notice, thread: string): void {
    switch (notice.kind) {
      case 'events':
        for (const event of notice.events) for (const listener of this.#listeners) listener(event)
        break
      case 'failed':
        this.#alive(notice.generation)?.failed(notice.fault)
        break
      case 'gone':
        this.#alive(notice.generation)?.cleaned()
        break
      case 'stray':
        this.#report(notice, thread)
        break
    }
  }

  #report({ id, generation, fault }: Extract<Notice, { kind: 'stray' }>, thread: string): void {
    const at = now()
    this.#options.onCrash?.({ at, thread, actor: id, generation, cause: 'stray', ...fault, consequence: 'none' })
  }

  #alive(generation: number): Child | undefined {
    return [...this.#children.values()].find((child) => child.generation === generation)
  }

  #lose(thread: HostThread, end: ThreadEnd): void {
    const children = [...this.#children.values()]
    const victims = children
      .filter((child) => child.lose(thread))
      .map((child) => ({ child, generation: child.generation }))
    this.#victims.set(end, victims)
  }
}

/** The caller names the protocol of the entry module; the kernel carries any. */
const openReader = <P extends Protocol>({ control }: HostThread): ThreadReader<P> => ({
  read: (type, payload, deadlineMs) => control.call(deadlineMs, (host) => host.read(type, payload)),
})

const unknown = (id: string): Result<never> => fail('unknown-cluster', `no actor ${id}`)
