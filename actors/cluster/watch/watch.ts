// Keeps probing every server of the cluster: one loop each, paced by what was seen, woken by lost connections.
import { createLimit } from '../../../lib/base/limit.js'
import { MINUTE, now, SECOND, sleep } from '../../../lib/base/time.js'
import {
  followApplier,
  type HeldRead,
  isHeldForgotten,
  isHeldReadDue,
  isLockReadDue,
  isWaitOver,
  type StandingApplier,
} from '../../../lib/decide/situation/lock-wait.js'
import { hasStartedTurned } from '../../../lib/decide/situation/snapshot/together.js'
import type { Sighting } from '../../../lib/decide/watching/instances.js'
import type { SqlTarget } from '../../../lib/effect/index.js'
import { ANOTHER_SERVER, isSameInstance, type SeenInstance } from '../../../lib/model/server/instance.js'
import type { HeldLock, LockWait } from '../../../lib/model/server/lock-wait.js'
import type { Presence } from '../../../lib/model/server/presence.js'
import type { FreshLogin, Reading, SlowReading, SourceLogin } from '../../../lib/model/server/reading.js'
import type { ServerId, ServerSpec } from '../../../lib/model/server/server.js'
import type { Watched } from '../../../lib/model/server/watched.js'
import { PRESENCE_MS } from '../../../lib/probe/presence.js'
import { createProbe, type ServerProbe } from '../../../lib/probe/probe.js'
import type { ReplicationLogin } from '../../../lib/probe/source-login.js'
import { type ReadLimit, readLimit, type TimeLeft } from './read-limit.js'
import {
  healthyInterval,
  nextProbe,
  type ProbeContext,
  phase,
  probeDeadline,
  ROUND_TRIPS,
  refusedAgainAt,
  SUSPECT_MS,
} from './schedule.js'
import { Way } from './way.js'

/** Slow probes: every ten seconds, stretched with the fleet on this thread, at most once a minute. */
const SLOW_MS = 10 * SECOND
const SLOW_MS_PER_SERVER = 40
/** Slow probes of one thread at the same time: their replies are large. */
const SLOW_AT_ONCE = 4
/** Of these, the ones of one cluster: servers that answer late, or are made to, leave room for those of other owners. */
const SLOW_OF_CLUSTER = 2
const SLOW_LIMIT: ReadLimit = { baseMs: 15 * SECOND, trips: ROUND_TRIPS }
/** Readings of who acts are stretched with the fleet. */
const PRESENCE_MS_PER_SERVER = 10
/** Silence counts when the thread listened as long as it was meant to, but for this. */
const TRUSTED_LATENESS_MS = 50

/** Longest read of sessions and locks of a server whose applier stands. */
const LOCK_LIMIT: ReadLimit = { baseMs: 3 * SECOND, trips: ROUND_TRIPS }

/** A probe takes at most so many times longer because the thread is late. */
const MOST_SLACK = 2

/** Timers are up to so late; the last stretch up to a probe that proves something is waited for turn by turn. */
const TIMER_MS = 2

/** What the watch asks of its actor. */
export interface WatchHost {
  context(server: ServerId): ProbeContext | undefined
  observed(reading: Reading): void
  /** Why the server that answers is to be left alone; undefined: it is the cluster's. Asked of each that was not seen before. */
  judge(server: ServerId, sighting: ServerSighting): Promise<string | undefined>
  /** The primary has just become suspect. */
  alarmed(): void
  observedSlowly(reading: SlowReading): void
  /** What came of a login of the replication account. */
  observedLogin(server: ServerId, login: SourceLogin): void
  /** What came of a fresh login of the manager's own account; undefined: the server was not reached. */
  observedFreshLogin(server: ServerId, login: FreshLogin | undefined): void
  /** Which manager acts on a server. */
  observedPresence(server: ServerId, presence: Presence): void
  /** The lock that the applier of a server waits for; without it: none any more. */
  observedLockWait(server: ServerId, wait?: LockWait): void
  /** The lock that a session of another program holds on a server; without it: none any more. */
  observedHeldLock(server: ServerId, lock?: HeldLock): void
  /** Connection ids of the manager's sessions on a server. */
  ownSessions(server: ServerId): readonly number[]
  /** Probes that were asked for have ended: their readings are to be judged, were it a transaction more. */
  probedFresh(): void
  /** All the time that the thread lost to lateness so far, milliseconds. */
  lost(): number
}

/** Another server answers than at the latest probe. */
export type ServerSighting = Pick<Sighting, 'instance' | 'uptimeSeconds' | 'before'>

/** Accounts that probes log in with, and what they read. */
export interface WatchAccounts {
  readonly targetOf: (server: ServerSpec) => SqlTarget
  readonly replication: ReplicationLogin
  /** What slow probes read besides. */
  readonly watched: Watched
  /** Gets every statement of the probes; absent: none is wanted. */
  readonly log?: ((server: ServerId, statement: string) => void) | undefined
}

const slowProbes = createLimit(SLOW_AT_ONCE)

/** Servers watched by this thread, over all clusters: the pace depends on it. */
let watched = 0
export const watchedServers = (): number => watched

export class Watch {
  readonly #host: WatchHost
  readonly #loops = new Map<ServerId, ServerLoop>()
  readonly #slowProbes = createLimit(SLOW_OF_CLUSTER)

  constructor(host: WatchHost) {
    this.#host = host
  }

  /** Watches exactly these servers from now on; a changed address or login reopens the connection. */
  set(servers: readonly ServerSpec[], { targetOf, replication, watched: wanted, log }: WatchAccounts): void {
    const members = new Set(servers.map(({ id }) => id))
    for (const [id, loop] of this.#loops) if (!members.has(id)) this.#end(id, loop)
    for (const server of servers) {
      const target = targetOf(server)
      const loop = this.#loops.get(server.id)
      if (loop?.matches(target)) {
        loop.replicateWith(replication)
        continue
      }
      if (loop) this.#end(server.id, loop)
      this.#loops.set(
        server.id,
        new ServerLoop({
          ...{ id: server.id, target, replication, host: this.#host },
          hurryOthers: () => this.#hurryOthers(server.id),
          askOthers: () => void this.#probeFreshly((id, loop) => id !== server.id && loop.answered()),
          inTurn: (work) => this.#slowProbes.run(() => slowProbes.run(work)),
        }),
      )
      watched += 1
    }
    for (const [id, loop] of this.#loops) loop.watch(wanted, log && ((statement) => log(id, statement)))
  }

  /** Probes every server now, without waiting. */
  hurry(): void {
    for (const loop of this.#loops.values()) loop.hurry()
  }

  /** Probes every server that is not spared, now, and resolves when each has answered, or has gone on hanging. */
  async probeAll(isSpared: (server: ServerId) => boolean = () => false): Promise<void> {
    const loops = [...this.#loops].filter(([id]) => !isSpared(id))
    await Promise.all(loops.map(([, loop]) => loop.probeBriefly()))
  }

  /**
   * Probes every server that answers, or this one, whether it answered before or not: it may have been started since. Unlike one
   * that may be under way, each probe begins after this call. The snapshot has their results when this resolves.
   */
  async probeFresh(server?: ServerId): Promise<void> {
    await this.#probeFreshly((id, loop) => (server === undefined ? loop.answered() : id === server))
  }

  /** Reads what only slow probes read, of one server; it begins after this call. */
  async probeSlowly(server: ServerId): Promise<void> {
    await this.#loops.get(server)?.probeSlowly()
  }

  /** Resolves when the slow probe of a server that is under way, or else a new one, has ended. */
  async probedSlowly(server: ServerId): Promise<void> {
    await this.#loops.get(server)?.probedSlowly()
  }

  /** One round trip to a server as it was measured last, or to the farthest of all, milliseconds; 0 where it is not known. */
  tripMs(server?: ServerId): number {
    if (server !== undefined) return this.#loops.get(server)?.tripMs ?? 0
    return Math.max(0, ...[...this.#loops.values()].map(({ tripMs }) => tripMs))
  }

  /** The time that a read of these servers may take from now on: the farthest of them, and the lateness of this thread meanwhile. */
  timeLeft(servers: readonly ServerId[], limit: ReadLimit): TimeLeft {
    const tripMs = Math.max(0, ...servers.map((id) => this.tripMs(id)))
    const [began, lost] = [now(), this.#host.lost()]
    return () => readLimit(limit, { tripMs, lostMs: this.#host.lost() - lost }) - (now() - began)
  }

  /** Logs in on a server with the replication account, once for all who ask meanwhile. */
  tryLogin(server: ServerId, limitMs: number): void {
    void this.#loops.get(server)?.tryLogin(limitMs)
  }

  /** Logs in with the manager's own account on each server that answers, besides the sessions that are kept. */
  async tryFreshLogins(limitMs: number): Promise<void> {
    const loops = [...this.#loops.values()].filter((loop) => loop.answered())
    await Promise.all(loops.map((loop) => loop.tryFreshLogin(limitMs)))
  }

  /** Reads what backups lock on these servers; in the snapshot when it resolves. Where one does not list its locks nothing changes. */
  async readHeldLocks(servers: readonly (ServerId | undefined)[]): Promise<void> {
    const loops = servers.flatMap((id) => (id === undefined ? [] : (this.#loops.get(id) ?? [])))
    await Promise.all(loops.filter((loop) => loop.answered()).map((loop) => loop.readHeldLock()))
  }

  /** Resolves when the next probe of a server, made when it is due, has ended. */
  async probed(server: ServerId): Promise<void> {
    await this.#loops.get(server)?.probed()
  }

  /** Which server answered there last, of those that are the cluster's. */
  known(server: ServerId): SeenInstance | undefined {
    return this.#loops.get(server)?.known
  }

  /** It is asked again whose the server is that answers there. */
  doubt(server: ServerId): void {
    this.#loops.get(server)?.doubt()
  }

  /** Connection ids of the sessions that probe a server. */
  threadIds(server: ServerId): readonly number[] {
    return this.#loops.get(server)?.threadIds() ?? []
  }

  close(): void {
    for (const [id, loop] of this.#loops) this.#end(id, loop)
  }

  async #probeFreshly(isAsked: (server: ServerId, loop: ServerLoop) => boolean): Promise<void> {
    const loops = [...this.#loops].filter(([id, loop]) => isAsked(id, loop))
    await Promise.all(loops.map(([, loop]) => loop.probeFresh()))
    this.#host.probedFresh()
  }

  #hurryOthers(server: ServerId): void {
    for (const [id, loop] of this.#loops) if (id !== server) loop.hurry()
  }

  #end(id: ServerId, loop: ServerLoop): void {
    loop.close()
    this.#loops.delete(id)
    watched -= 1
  }
}

interface LoopOptions {
  readonly id: ServerId
  readonly target: SqlTarget
  readonly replication: ReplicationLogin
  readonly host: WatchHost
  readonly hurryOthers: () => void
  /** Probes the others that answer with probes that begin now, and has the cluster judged again. */
  readonly askOthers: () => void
  /** Runs a slow probe when there is room for one more, of this cluster and on this thread. */
  readonly inTurn: <T>(work: () => Promise<T>) => Promise<T>
}

class ServerLoop {
  readonly #options: LoopOptions
  readonly #probe: ServerProbe
  #timer: NodeJS.Timeout | undefined
  #turn: NodeJS.Immediate | undefined
  #slowTimer: NodeJS.Timeout | undefined
  #presenceTimer: NodeJS.Timeout | undefined
  /** It was read which manager acts on the server, or it cannot be. */
  #isPresenceRead = false
  #probing: Promise<void> | undefined
  #probingSlowly: Promise<void> | undefined
  #tryingLogin: Promise<void> | undefined
  #again = false
  /** When a probe was last asked for. */
  #hurriedAt = 0
  /** When the latest probe ended, and who waits for the next one to end. */
  #probedAt = 0
  readonly #waiting: (() => void)[] = []
  readonly #way = new Way()
  /** When it was last asked how late the thread is, and the answer. */
  #lostBy = { at: 0, lost: 0 }
  /** What answered last of what may be acted on. */
  #known: SeenInstance | undefined
  /** What answers now is to be left alone. */
  #isStranger = false
  /** Since when its applier has not moved, with something to apply, and what was last read of it. */
  #standing: StandingApplier | undefined
  #isReadingLock = false
  #heldRead: HeldRead | undefined
  #readingHeld: Promise<void> | undefined
  #closed = false

  constructor(options: LoopOptions) {
    this.#options = options
    this.#probe = createProbe({
      server: options.id,
      target: options.target,
      replication: options.replication,
      onClosed: () => this.hurry(),
    })
    // A fleet that starts at once is spread over a moment that grows with it.
    this.#timer = setTimeout(() => this.hurry(), phase(options.id, 1 + watched))
    this.#slowTimer = setTimeout(() => void this.#slowly(), 100 + phase(options.id, Math.max(SECOND, watched * 10)))
  }

  matches(target: SqlTarget): boolean {
    return JSON.stringify(target) === JSON.stringify(this.#options.target)
  }

  watch(wanted: Watched, log?: (statement: string) => void): void {
    this.#probe.watch(wanted)
    this.#probe.logStatements(log)
  }

  /** A new login is tried at once. */
  replicateWith(login: ReplicationLogin): void {
    if (this.#probe.replicateWith(login)) void this.probeSlowly()
  }

  /** The next probe begins now, or as soon as the running one ends. */
  hurry(): void {
    if (this.#closed) return
    this.#hurriedAt = now()
    if (this.#probing) this.#again = true
    else void this.probeNow()
  }

  probeNow(): Promise<void> {
    if (this.#closed) return Promise.resolve()
    this.#probing ??= this.#probeOnce().finally(() => {
      this.#probing = undefined
      for (const resolve of this.#waiting.splice(0)) resolve()
      this.#plan()
    })
    return this.#probing
  }

  probeBriefly(): Promise<void> {
    return this.#briefly(this.probeNow())
  }

  probeFresh(): Promise<void> {
    return this.#briefly((this.#probing ?? Promise.resolve()).then(() => this.probeNow()))
  }

  /** One that hangs is not waited for longer than a step: the probe that is under way hears it when it wakes up. */
  async #briefly(probed: Promise<void>): Promise<void> {
    const hangs = this.#context()?.server.observation === 'silent'
    await (hangs ? Promise.race([probed, sleep(SUSPECT_MS)]) : probed)
  }

  answered(): boolean {
    return this.#context()?.server.observation === 'answered'
  }

  async probeSlowly(): Promise<void> {
    await this.#probingSlowly
    await this.probedSlowly()
  }

  probedSlowly(): Promise<void> {
    this.#probingSlowly ??= this.#probeSlowlyOnce().finally(() => {
      this.#probingSlowly = undefined
    })
    return this.#probingSlowly
  }

  async #probeSlowlyOnce(): Promise<void> {
    const reading = await this.#options.inTurn(() =>
      this.#probe.slow(
        readLimit(SLOW_LIMIT, { tripMs: this.tripMs, lostMs: this.#slack(SLOW_LIMIT.baseMs) }),
        this.#context()?.besides,
      ),
    )
    if (reading.ok && !this.#closed && !this.#isStranger) this.#options.host.observedSlowly(reading.value)
  }

  tryLogin(limitMs: number): Promise<void> {
    this.#tryingLogin ??= this.#tryLoginOnce(limitMs).finally(() => {
      this.#tryingLogin = undefined
    })
    return this.#tryingLogin
  }

  async #tryLoginOnce(limitMs: number): Promise<void> {
    const login = await this.#probe.tryLogin(limitMs)
    if (login && !this.#closed && !this.#isStranger) this.#options.host.observedLogin(this.#options.id, login)
  }

  async tryFreshLogin(limitMs: number): Promise<void> {
    const login = await this.#probe.tryFreshLogin(limitMs)
    if (!this.#closed && !this.#isStranger) this.#options.host.observedFreshLogin(this.#options.id, login)
  }

  probed(): Promise<void> {
    return new Promise((resolve) => this.#waiting.push(resolve))
  }

  threadIds(): readonly number[] {
    return this.#probe.threadIds()
  }

  /** About one round trip. */
  get tripMs(): number {
    return this.#way.tripMs
  }

  close(): void {
    this.#closed = true
    this.#unplan()
    clearTimeout(this.#slowTimer)
    clearTimeout(this.#presenceTimer)
    this.#probe.close()
  }

  async #probeOnce(): Promise<void> {
    this.#unplan()
    this.#again = false
    const before = this.#context()
    if (!before) return
    const began = now()
    const times = { tripMs: this.tripMs, connectMs: this.#options.target.connectTimeoutMs }
    const deadline = probeDeadline(before, times)
    const lost = this.#options.host.lost()
    const read = await this.#probe.check(deadline + this.#slack(deadline))
    this.#probedAt = now()
    if (this.#closed) return
    const waited = this.#probedAt - began
    const listened = waited - (this.#options.host.lost() - lost)
    const reading = await this.#judged(read)
    if (this.#closed) return
    const isKept = before.server.observation === 'answered'
    if (reading.observation === 'answered') this.#way.answered({ waitedMs: waited, readMs: reading.readMs, isKept })
    const enough = deadline - TRUSTED_LATENESS_MS
    // What ended sooner was no deadline that passed: the network itself said that there is no way.
    if (reading.observation === 'silent' && waited >= enough && listened < enough) {
      this.#again = true
      return
    }
    // Before the first reading is judged: nothing is done beside a manager that acts already.
    // A manager that only observes leaves the lock to one that acts.
    if (reading.observation === 'answered' && !this.#isPresenceRead && !before.observed) await this.#readPresence()
    this.#options.host.observed(reading)
    this.#followApplier(reading)
    this.#followBackups(reading, before)
    // The others of a cluster that comes up for the first time are asked now, not when their long pause ends.
    if (before.neverUp && reading.observation === 'answered') this.#options.hurryOthers()
    const after = this.#context()
    if (after && hasStartedTurned(before.server, after.server)) this.#options.askOthers()
    if (!after?.primarySuspect || before.primarySuspect) return
    this.#options.host.alarmed()
    this.#options.hurryOthers()
  }

  /** Sessions and locks are read only of a server whose applier stands, beside its probes. */
  #followApplier({ state }: Reading): void {
    const before = this.#standing
    this.#standing = followApplier(before, state, {
      at: this.#probedAt,
      foreign: this.#context()?.server.foreignChannels,
    })
    if (isWaitOver(before, this.#standing)) this.#options.host.observedLockWait(this.#options.id)
    if (this.#standing && !this.#isReadingLock && isLockReadDue(this.#standing, this.#probedAt)) void this.#readLock()
  }

  /** What backups lock is read of replicas, whether anything waits for it or not. */
  #followBackups({ state }: Reading, { pace, primarySuspect }: ProbeContext): void {
    const due = { at: this.#probedAt, probesMs: healthyInterval(pace), urgent: primarySuspect }
    if (isHeldReadDue(this.#heldRead, state, due)) void this.readHeldLock()
  }

  async #readLock(): Promise<void> {
    const { id, host } = this.#options
    this.#isReadingLock = true
    const limit = readLimit(LOCK_LIMIT, { tripMs: this.tripMs, lostMs: this.#slack(LOCK_LIMIT.baseMs) })
    const wait = await this.#probe.lockWait(limit, host.ownSessions(id))
    this.#isReadingLock = false
    if (this.#closed || this.#isStranger || !this.#standing) return
    const isLocked = wait.ok ? wait.value !== undefined : this.#standing.isLocked === true
    const wasLocked = this.#standing.isLocked === true
    this.#standing = { ...this.#standing, readAt: now(), isLocked }
    if (wait.ok && (isLocked || wasLocked)) host.observedLockWait(id, wait.value)
  }

  /** One at a time; resolves when it is in the snapshot. */
  readHeldLock(): Promise<void> {
    this.#readingHeld ??= this.#readHeldOnce().finally(() => {
      this.#readingHeld = undefined
    })
    return this.#readingHeld
  }

  async #readHeldOnce(): Promise<void> {
    const { id, host } = this.#options
    const limit = readLimit(LOCK_LIMIT, { tripMs: this.tripMs, lostMs: this.#slack(LOCK_LIMIT.baseMs) })
    const lock = await this.#probe.heldLock(limit, host.ownSessions(id))
    if (this.#closed || this.#isStranger) return
    const at = now()
    const knownAt = lock.ok ? at : (this.#heldRead?.knownAt ?? at)
    this.#heldRead = { at, knownAt, isListed: lock.ok || lock.failure.code !== 'sql-failed' }
    if (lock.ok || isHeldForgotten(this.#heldRead)) host.observedHeldLock(id, lock.ok ? lock.value : undefined)
  }

  get known(): SeenInstance | undefined {
    return this.#known
  }

  doubt(): void {
    this.#known = undefined
    this.hurry()
  }

  /** The reading, or that of a server that refuses to be judged where it is not known to be the cluster's. */
  async #judged(reading: Reading): Promise<Reading> {
    const { state } = reading
    if (!state) return reading
    const { instance } = state.identity
    const before = this.#known
    if (!instance && before?.instance) return this.#stranger(reading, 'what answers does not say which server it is')
    if (instance && !(before?.instance && isSameInstance(before.instance, instance))) {
      const { uptimeSeconds } = state
      const sighting = { instance, uptimeSeconds, ...(before ? { before } : {}) }
      const message = await this.#options.host.judge(this.#options.id, sighting)
      if (message !== undefined) return this.#stranger(reading, message)
    }
    this.#isStranger = false
    this.#known = { instance, at: reading.at }
    return reading
  }

  /** Its state is not used, and no session with it is kept: the next probe asks again who answers. */
  #stranger({ state: _, ...reading }: Reading, message: string): Reading {
    this.#isStranger = true
    this.#probe.leave()
    return { ...reading, observation: 'rejected', error: { code: ANOTHER_SERVER, message } }
  }

  async #readPresence(): Promise<void> {
    clearTimeout(this.#presenceTimer)
    const presence = await this.#probe.presence(PRESENCE_MS)
    if (this.#closed) return
    this.#isPresenceRead = true
    if (presence.ok) this.#options.host.observedPresence(this.#options.id, presence.value)
    const pause = Math.max(PRESENCE_MS, watched * PRESENCE_MS_PER_SERVER)
    this.#presenceTimer = setTimeout(() => void this.#checkPresence(), pause)
  }

  /** Not of a server that does not answer: its lock is free when it does again. */
  async #checkPresence(): Promise<void> {
    const context = this.#context()
    if (context?.server.observation === 'answered' && !context.observed) return this.#readPresence()
    this.#isPresenceRead = false
  }

  /** A late thread is likely to stay late: it takes longer, since only the time in which it listens is evidence. */
  #slack(deadlineMs: number): number {
    const [at, lost] = [now(), this.#options.host.lost()]
    const share = at > this.#lostBy.at ? (lost - this.#lostBy.lost) / (at - this.#lostBy.at) : 0
    if (at - this.#lostBy.at > SECOND) this.#lostBy = { at, lost }
    return deadlineMs * Math.min(share / Math.max(1 - share, 0.01), MOST_SLACK)
  }

  #plan(): void {
    const context = this.#context()
    if (this.#closed || !context) return
    // Judging takes time, too: the pace counts from when the probe ended.
    const at = this.#probedAt + (this.#again ? 0 : nextProbe(context, this.#hurriedAt))
    const proves = !this.#again && refusedAgainAt(context.server) !== undefined
    const pause = Math.max(0, Math.ceil(at - now()) - (proves ? TIMER_MS : 0))
    this.#timer = setTimeout(() => this.#probeAt(proves ? at : 0), pause)
  }

  #probeAt(at: number): void {
    if (now() >= at) void this.probeNow()
    else this.#turn = setImmediate(() => this.#probeAt(at))
  }

  #unplan(): void {
    clearTimeout(this.#timer)
    clearImmediate(this.#turn)
  }

  async #slowly(): Promise<void> {
    const context = this.#context()
    if (context?.server.observation === 'answered' && !context.primarySuspect) await this.probedSlowly()
    if (this.#closed) return
    const unread = context?.server.slow === undefined
    const pause = unread ? SECOND : Math.min(Math.max(SLOW_MS, watched * SLOW_MS_PER_SERVER), MINUTE)
    this.#slowTimer = setTimeout(() => void this.#slowly(), pause)
  }

  #context(): ProbeContext | undefined {
    return this.#options.host.context(this.#options.id)
  }
}
