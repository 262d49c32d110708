// Probes one server: over one persistent session, within a hard deadline, and never throws.
import { keepEqual } from '../base/keep-equal.js'
import { type Failure, fail, ok, type Result } from '../base/result.js'
import { MINUTE, SECOND, sleep, now as systemNow } from '../base/time.js'
import { createResolver, type Lookup } from '../connect/resolve.js'
import type { OpenSession, SqlSession, SqlTarget } from '../connect/sql/session.js'
import { openProbeSession } from '../connect/sql/text-protocol/probe-session.js'
import {
  type Dialect,
  dialectFor,
  identify,
  type KnownState,
  lockIn,
  parseHeldLock,
  parseIdentity,
  parseLockWait,
  type Rows,
  type Statement,
} from '../dialect/index.js'
import { isExpected, isSameInstance } from '../model/server/instance.js'
import type { HeldLock, LockWait } from '../model/server/lock-wait.js'
import type { Presence } from '../model/server/presence.js'
import type {
  BinaryLogs,
  FreshLogin,
  Observation,
  Reading,
  ServerState,
  SlowReading,
  SourceLogin,
} from '../model/server/reading.js'
import type { ServerId, ServerIdentity } from '../model/server/server.js'
import type { Watched } from '../model/server/watched.js'
import { tryFreshLogin } from './fresh-login.js'
import { internList, internNamed } from './intern.js'
import { type ParsedAnswer, type ProbeAnswer, parsedBefore } from './parsed.js'
import { readPresence } from './presence.js'
import { readSlowly } from './slow.js'
import { type ReplicationLogin, trySourceLogin } from './source-login.js'

/** Maximum statements of a fast probe: variables, channels, MySQL's heartbeats or Galera, periodically the semi-sync status. */
export const FAST_PROBE_STATEMENTS = 4

const SEMI_SYNC_OFF = 'false false'

/** Interval of reading the semi-sync status; only while semi-sync is enabled. */
const statusEveryMs = SECOND

/** A fast probe waits this long, or two round trips, for a slow statement on the persistent session, then opens a separate one. */
const patienceMs = 50

/** Reading who answers and its state, up to three round trips, may take so many times as long as the login, which is at least two. */
const READ_LOGINS = 2

/** So long a login that worked is taken to work. */
const LOGIN_MS = 10 * MINUTE

/** Least time between two logins of the manager's own account by the clock. */
const FRESH_LOGIN_MS = MINUTE

export interface ProbeOptions {
  readonly server: ServerId
  readonly target: SqlTarget
  /** Account whose existence and login slow probes check; without a name none. */
  readonly replication?: ReplicationLogin
  /** The persistent session was lost between two probes: the next probe reports why. Not called after `close`. */
  readonly onClosed?: (reason: string) => void
  readonly now?: () => number
  readonly open?: OpenSession
  /** Addresses of a host name; the resolver of this machine by default. */
  readonly lookup?: Lookup
}

export interface ServerProbe {
  /**
   * One fast probe. A second call while one runs returns the same result. A probe that exceeds its deadline closes its session,
   * so the next one opens a new connection; a lost session is replaced within the same probe, so that only a refused
   * connection counts as refused. After a login within the deadline the rest may take twice as long as that login did, beyond the
   * deadline where needed: the server answers, and how far away it is is known by then.
   */
  check(deadlineMs: number): Promise<Reading>
  /** Reads everything else; what the account may not read is left empty. `besides`: what this one reads besides what `watch` says. */
  slow(deadlineMs: number, besides?: Watched): Promise<Result<SlowReading>>
  /** Logs in with the replication account now; undefined without one, or where it has changed meanwhile. */
  tryLogin(deadlineMs: number): Promise<SourceLogin | undefined>
  /** Logs in with the manager's own account now, besides the session that is kept; undefined where the server is not reached. */
  tryFreshLogin(deadlineMs: number): Promise<FreshLogin | undefined>
  /** Which manager acts on the server; takes its lock where no other one does. */
  presence(deadlineMs: number): Promise<Result<Presence>>
  /**
   * The lock that an applier of the server waits for, and who holds it; undefined where none waits for one. For a server whose
   * applier stands: two statements. `own`: connection ids of the manager's other sessions there.
   */
  lockWait(deadlineMs: number, own: readonly number[]): Promise<Result<LockWait | undefined>>
  /**
   * The lock of a backup that a session of another program holds there, whether anything waits for it or not; undefined where none
   * does. Fails where the server does not list its locks. `own` as above.
   */
  heldLock(deadlineMs: number, own: readonly number[]): Promise<Result<HeldLock | undefined>>
  /** The replication account is another one from now on. Answers whether it is. */
  replicateWith(login: ReplicationLogin): boolean
  /** Slow probes read this besides, from now on. */
  watch(watched: Watched): void
  /** Each statement is reported from now on; without `log` none. */
  logStatements(log?: (statement: string) => void): void
  /** Connection ids of its open sessions. */
  threadIds(): readonly number[]
  /** Ends its sessions: the server on them is not the one to be probed. The next probe asks again who answers. */
  leave(): void
  close(): void
}

export const createProbe = (options: ProbeOptions): ServerProbe => new Probe(options)

/** A session and the known state of its server. */
interface Link {
  readonly session: SqlSession
  readonly openedAt: number
  /** `performance.now()`: its first reading may take until then, whatever the deadline of its probe. */
  readonly readBy: number
  dialect: Dialect
  readonly uptimeSeconds: number
  semiSync?: KnownState['semiSync']
  semiSyncAt: number
  /** Fastest answer of a fast probe on it: about one round trip. */
  tripMs?: number
  /** Which sides of semi-sync were enabled at the last probe. */
  semiSyncSides: string
  /** The latest parsed answer and its result. */
  parsed?: ParsedAnswer
  /** The slow statement that runs on it. */
  slow?: Promise<Result<readonly Rows[]>>
  /** Ends with the latest slow statement that waits for its turn. */
  turn?: Promise<unknown>
}

/** What one probe has read. */
interface Asked {
  readonly state: ServerState
  /** `performance.now()` when the statement was sent. */
  readonly askedAt: number
}

class Probe implements ServerProbe {
  readonly #options: ProbeOptions
  readonly #now: () => number
  readonly #open: OpenSession
  readonly #resolve: ReturnType<typeof createResolver>
  readonly #sessions = new Set<SqlSession>()
  /** Connection ids of every session since the server started. */
  readonly #own = new Set<number>()
  #uptimeSeconds = 0
  #link: Link | undefined
  #running: Promise<Reading> | undefined
  #closed = false
  /** State read by the latest fast probe. */
  #latest: ServerState | undefined
  #latestAt = 0
  /** Values read by the latest slow probe. */
  #named: Pick<SlowReading, 'variables' | 'status'> | undefined
  #binlogs: BinaryLogs | undefined
  #replication: ReplicationLogin | undefined
  #login: SourceLogin | undefined
  #freshLogin: FreshLogin | undefined
  /** Of the latest login besides the session that is kept. */
  #sessionLimit: Rows | undefined
  #watched: Watched = {}
  #log: ((statement: string) => void) | undefined

  constructor(options: ProbeOptions) {
    this.#options = options
    this.#replication = options.replication
    this.#now = options.now ?? systemNow
    this.#open = options.open ?? openProbeSession
    this.#resolve = createResolver(options.lookup, this.#now)
  }

  check(deadlineMs: number): Promise<Reading> {
    this.#running ??= this.#check(deadlineMs).finally(() => {
      this.#running = undefined
    })
    return this.#running
  }

  async slow(deadlineMs: number, besides: Watched = {}): Promise<Result<SlowReading>> {
    const began = performance.now()
    const until = began + deadlineMs
    const linked = await this.#linkedAsBefore(until)
    if (!linked.ok) return linked
    const link = linked.value
    const answers = await readSlowly({
      dialect: link.dialect,
      replicationUser: this.#replication?.user ?? '',
      watched: { ...this.#watched, ...besides },
      ...(this.#sessionLimit ? { sessionLimit: this.#sessionLimit } : {}),
      run: (statement) => this.#runSlowly(link, statement, until),
    })
    const sourceLogin = answers.ok ? await this.#tryLoginWhenDue(link, until) : undefined
    const freshLogin = answers.ok ? await this.#tryFreshLoginWhenDue(link, until) : undefined
    if (link !== this.#link) link.session.close()
    if (!answers.ok) return answers
    const resolved = await this.#resolve(besides.hosts ?? [])
    const { identity, ...reading } = answers.value
    const { instance } = link.dialect.identity
    link.dialect = dialectFor({ ...identity, ...(instance ? { instance } : {}) })
    return ok({
      ...reading,
      server: this.#options.server,
      at: this.#now(),
      tookMs: performance.now() - began,
      ...this.#keepNamed(reading),
      plugins: internList(reading.plugins),
      binlogs: this.#keepBinlogs(reading.binlogs),
      ...(sourceLogin ? { sourceLogin } : {}),
      ...(freshLogin ? { freshLogin } : {}),
      ...(Object.keys(resolved).length > 0 ? { resolved } : {}),
    })
  }

  async tryLogin(deadlineMs: number): Promise<SourceLogin | undefined> {
    const until = performance.now() + deadlineMs
    const linked = await this.#linkedAsBefore(until)
    if (linked.ok) {
      const tried = await this.#tryLogin(linked.value, until)
      if (linked.value !== this.#link) linked.value.session.close()
      return tried
    }
    const user = this.#replication?.user ?? ''
    const { message } = linked.failure
    return user === '' ? undefined : { at: this.#now(), user, state: 'unknown', message, unreached: true }
  }

  async tryFreshLogin(deadlineMs: number): Promise<FreshLogin | undefined> {
    const until = performance.now() + deadlineMs
    const linked = await this.#linkedAsBefore(until)
    if (!linked.ok) return undefined
    const tried = await this.#tryFreshLogin(linked.value, until, true)
    if (linked.value !== this.#link) linked.value.session.close()
    return tried
  }

  async presence(deadlineMs: number): Promise<Result<Presence>> {
    const until = performance.now() + deadlineMs
    const linked = await this.#linkedAsBefore(until)
    if (!linked.ok) return linked
    const answer = await readPresence((statement) => this.#runSlowly(linked.value, statement, until), this.#own)
    if (linked.value !== this.#link) linked.value.session.close()
    return answer
  }

  async lockWait(deadlineMs: number, own: readonly number[]): Promise<Result<LockWait | undefined>> {
    const until = performance.now() + deadlineMs
    const linked = await this.#linkedAsBefore(until)
    if (!linked.ok) return linked
    const link = linked.value
    const sessions = await this.#runSlowly(link, link.dialect.lockSessions(), until)
    const holders = sessions.ok ? await this.#runSlowly(link, link.dialect.lockHolders(), until) : undefined
    if (link !== this.#link) link.session.close()
    if (!sessions.ok) return sessions
    return ok(
      parseLockWait({
        sessions: sessions.value[0] ?? [],
        ...(holders?.ok ? { holders: holders.value[0] ?? [] } : {}),
        threadState: this.#latest?.channels.map(({ sqlThreadState }) => sqlThreadState).find(lockIn) ?? '',
        own: new Set([...this.#own, ...own]),
      }),
    )
  }

  async heldLock(deadlineMs: number, own: readonly number[]): Promise<Result<HeldLock | undefined>> {
    const until = performance.now() + deadlineMs
    const linked = await this.#linkedAsBefore(until)
    if (!linked.ok) return linked
    const link = linked.value
    const answer = await this.#runSlowly(link, link.dialect.heldLocks(), until)
    if (link !== this.#link) link.session.close()
    return answer.ok ? ok(parseHeldLock(answer.value[0] ?? [], new Set([...this.#own, ...own]))) : answer
  }

  /** At first, then now and then; every time while it does not work. Not more than a login each. */
  async #tryLoginWhenDue(link: Link, until: number): Promise<SourceLogin | undefined> {
    const known = this.#login
    const holds = known?.state === 'accepted' && this.#now() - known.at < LOGIN_MS
    return holds ? known : this.#tryLogin(link, until)
  }

  /** Once a minute; one that failed at every slow probe, so that it is known when it works again. */
  async #tryFreshLoginWhenDue(link: Link, until: number): Promise<FreshLogin | undefined> {
    const known = this.#freshLogin
    const holds = known && known.state !== 'failed' && this.#now() - known.at < FRESH_LOGIN_MS
    return holds ? known : this.#tryFreshLogin(link, until, false)
  }

  async #tryFreshLogin(link: Link, until: number, due: boolean): Promise<FreshLogin | undefined> {
    const { target } = this.#options
    const tried = await tryFreshLogin({
      target: {
        ...target,
        connectTimeoutMs: Math.max(1, Math.min(target.connectTimeoutMs, until - performance.now())),
      },
      open: this.#open,
      ask: (statement) => this.#runSlowly(link, statement, until),
      now: this.#now,
      own: this.#own,
      limited: (rows) => {
        this.#sessionLimit = rows
      },
      due,
    })
    this.#freshLogin = tried
    return tried
  }

  async #tryLogin(link: Link, until: number): Promise<SourceLogin | undefined> {
    const { target } = this.#options
    const login = this.#replication
    if (!login || login.user === '') return undefined
    const { instance } = link.dialect.identity
    const tried = await trySourceLogin({
      ...(instance ? { instance } : {}),
      target: {
        ...target,
        connectTimeoutMs: Math.max(1, Math.min(target.connectTimeoutMs, until - performance.now())),
      },
      login,
      open: this.#open,
      ask: (statement) => this.#runSlowly(link, statement, until),
      now: this.#now,
    })
    // Changed meanwhile: what was found says nothing of the present account.
    if (this.#replication !== login) return undefined
    this.#login = tried
    return tried
  }

  /** Most variables do not change: existing copies are reused, so that new ones are garbage-collected early. */
  #keepNamed({
    variables,
    status,
  }: Pick<SlowReading, 'variables' | 'status'>): Pick<SlowReading, 'variables' | 'status'> {
    this.#named = {
      variables: internNamed(variables, this.#named?.variables),
      status: internNamed(status, this.#named?.status),
    }
    return this.#named
  }

  /** Full files do not change. */
  #keepBinlogs(binlogs: BinaryLogs): BinaryLogs {
    this.#binlogs = keepEqual(this.#binlogs, binlogs)
    return this.#binlogs
  }

  replicateWith(login: ReplicationLogin): boolean {
    const before = this.#replication
    if (before && JSON.stringify(before) === JSON.stringify(login)) return false
    this.#replication = login
    this.#login = undefined
    return true
  }

  watch(watched: Watched): void {
    this.#watched = watched
  }

  logStatements(log?: (statement: string) => void): void {
    this.#log = log
  }

  threadIds(): readonly number[] {
    return [...this.#sessions].map(({ threadId }) => threadId)
  }

  leave(): void {
    this.#link = undefined
    for (const session of [...this.#sessions]) session.close()
  }

  close(): void {
    this.#closed = true
    this.#link = undefined
    for (const session of [...this.#sessions]) session.close()
  }

  /** One slow statement at a time, none before a pending fast probe. */
  #runSlowly(link: Link, statement: Statement, until: number): Promise<Result<readonly Rows[]>> {
    const turn = (link.turn ?? Promise.resolve()).then(() => this.#runInTurn(link, statement, until))
    link.turn = turn
    return turn
  }

  async #runInTurn(link: Link, { sql, values }: Statement, until: number): Promise<Result<readonly Rows[]>> {
    while (this.#running) await this.#running
    const left = until - performance.now()
    // Sent without time for an answer it would only end the session, for all who use it.
    if (left <= 0) return fail('sql-silent', 'no time was left for another statement')
    this.#log?.(sql)
    link.slow = link.session.run(sql, values, left)
    const answer = await link.slow
    delete link.slow
    return answer
  }

  async #check(deadlineMs: number): Promise<Reading> {
    const startedAt = performance.now()
    const result = await this.#read(startedAt + deadlineMs)
    const seen = { server: this.#options.server, at: this.#now(), tookMs: performance.now() - startedAt }
    if (!result.ok) return { ...seen, observation: observationOf(result.failure), error: result.failure }
    const { state, askedAt } = result.value
    return { ...seen, readMs: performance.now() - askedAt, observation: 'answered', state }
  }

  async #read(until: number): Promise<Result<Asked>> {
    const before = this.#link
    if (before?.slow !== undefined) await this.#stepAside(before, before.slow)
    const first = await this.#readOnce(until)
    const lost = !first.ok && first.failure.code === 'sql-refused' && before !== undefined && !this.#closed
    return lost ? this.#readOnce(until) : first
  }

  async #readOnce(deadline: number): Promise<Result<Asked>> {
    const linked = await this.#linked(deadline)
    if (!linked.ok) return linked
    const link = linked.value
    const until = Math.max(deadline, link.readBy)
    const statusText = this.#statusDue(link) ? link.dialect.semiSyncStatus : undefined
    const { fastProbe } = link.dialect
    const text = statusText === undefined ? fastProbe : `${fastProbe};${statusText}`
    const began = performance.now()
    this.#log?.(text)
    const answer = await link.session.run(text, [], Math.max(1, until - began))
    if (!answer.ok) return answer
    link.tripMs = Math.min(link.tripMs ?? Infinity, performance.now() - began)
    const results = statusText === undefined ? answer.value : this.#noteStatus(link, answer.value)
    const parsed = this.#parse(link, results)
    const state = parsed.ok && link.semiSyncAt === 0 ? await this.#readStatus(link, results, until) : parsed
    return state.ok ? ok({ state: state.value, askedAt: began }) : state
  }

  /** A semi-sync side was switched: the known status is outdated, so it is read again and never reported stale. */
  async #readStatus(link: Link, results: readonly Rows[], until: number): Promise<Result<ServerState>> {
    const { semiSyncStatus } = link.dialect
    if (semiSyncStatus !== undefined) {
      const answer = await link.session.run(semiSyncStatus, [], Math.max(1, until - performance.now()))
      if (!answer.ok) return answer
      this.#noteStatus(link, answer.value)
    }
    return this.#parse(link, results)
  }

  #parse(link: Link, results: readonly Rows[]): Result<ServerState> {
    const uptimeSeconds = Math.floor(link.uptimeSeconds + (this.#now() - link.openedAt) / SECOND)
    try {
      const answer = { results, dialect: link.dialect, semiSync: link.semiSync }
      const state = parsedBefore(answer, link.parsed) ?? this.#parseNew(answer)
      const sides = `${state.semiSync.sourceEnabled} ${state.semiSync.replicaEnabled}`
      if (sides !== link.semiSyncSides) link.semiSyncAt = 0
      link.semiSyncSides = sides
      this.#latest = state.uptimeSeconds === uptimeSeconds ? state : { ...state, uptimeSeconds }
      this.#latestAt = this.#now()
      link.parsed = { ...answer, state: this.#latest }
      return ok(this.#latest)
    } catch (error) {
      return fail('sql-failed', `unreadable answer: ${error instanceof Error ? error.message : String(error)}`)
    }
  }

  /** Most probes return equal results: equal parts are stored once. The caller sets the uptime. */
  #parseNew({ results, dialect, semiSync }: ProbeAnswer): ServerState {
    const uptimeSeconds = this.#latest?.uptimeSeconds ?? 0
    return keepEqual(this.#latest, dialect.parseFastProbe(results, semiSync && { uptimeSeconds, semiSync }))
  }

  #statusDue(link: Link): boolean {
    if (link.semiSync === undefined) return true
    return link.semiSyncSides !== SEMI_SYNC_OFF && this.#now() - link.semiSyncAt >= statusEveryMs
  }

  /** The status is the last result of a text that includes it; the others belong to the probe. */
  #noteStatus(link: Link, results: readonly Rows[]): readonly Rows[] {
    link.semiSync = keepEqual(link.semiSync, link.dialect.parseSemiSyncStatus(results.at(-1) ?? []))
    link.semiSyncAt = this.#now()
    return results.slice(0, -1)
  }

  /** Leaves the session to a slow statement that blocks it; the slow probe closes that session afterwards. */
  async #stepAside(link: Link, slow: Promise<unknown>): Promise<void> {
    const ended = slow.then(() => true)
    const patience = sleep(Math.max(patienceMs, 2 * (link.tripMs ?? 0))).then(() => false)
    if (!(await Promise.race([ended, patience])) && link === this.#link) this.#link = undefined
  }

  /** The same, when the server on it is the one that the latest fast probe reported. */
  async #linkedAsBefore(until: number): Promise<Result<Link>> {
    const linked = await this.#linked(until)
    const latest = this.#latest
    if (!linked.ok || !latest) return linked
    const { dialect, uptimeSeconds, openedAt } = linked.value
    const expected = { instance: latest.identity.instance, at: this.#latestAt }
    if (isExpected(expected, { instance: dialect.identity.instance, uptimeSeconds }, openedAt)) return linked
    return fail('sql-rejected', 'another server answers than at the latest probe')
  }

  /** The persistent session, or a new one with the server identified. */
  async #linked(until: number): Promise<Result<Link>> {
    if (this.#link?.session.open) return ok(this.#link)
    const began = performance.now()
    const opened = await this.#open({ ...this.#options.target, connectTimeoutMs: Math.max(1, until - began) })
    if (!opened.ok) return opened
    const loggedIn = performance.now()
    const readBy = Math.max(until, loggedIn + READ_LOGINS * (loggedIn - began))
    const session = opened.value
    this.#sessions.add(session)
    session.onClose(() => this.#sessions.delete(session))
    const answer = await session.run(identify.sql, identify.values, Math.max(1, readBy - performance.now()))
    if (!answer.ok || this.#closed) {
      session.close()
      return answer.ok ? fail('sql-refused', 'the probe was closed') : answer
    }
    const { identity: found, uptimeSeconds } = parseIdentity(answer.value)
    const identity = this.#keepInstance(found)
    if (uptimeSeconds < this.#uptimeSeconds) this.#own.clear()
    this.#uptimeSeconds = uptimeSeconds
    this.#own.add(session.threadId)
    const known = { uptimeSeconds, openedAt: this.#now(), readBy, semiSyncAt: 0, semiSyncSides: SEMI_SYNC_OFF }
    return ok(this.#keep({ session, dialect: dialectFor(identity), ...known }))
  }

  /** Its start is read to a second: the same server keeps the one that was read first. */
  #keepInstance(identity: ServerIdentity): ServerIdentity {
    const [before, instance] = [this.#latest?.identity.instance, identity.instance]
    return before && instance && isSameInstance(before, instance) ? { ...identity, instance: before } : identity
  }

  #keep(link: Link): Link {
    const other = this.#link
    if (other?.session.open) {
      link.session.close()
      return other
    }
    this.#link = link
    link.session.onClose((reason) => this.#lost(link, reason))
    return link
  }

  #lost(link: Link, reason: string): void {
    if (this.#link !== link) return
    this.#link = undefined
    if (!this.#closed && this.#running === undefined) this.#options.onClosed?.(reason)
  }
}

/** A statement that the server refuses (missing privilege) proves it alive, but gives no state for decisions. */
const observations: Readonly<Record<string, Observation>> = {
  'sql-refused': 'refused',
  'sql-silent': 'silent',
  'sql-unresolved': 'silent',
}

const observationOf = ({ code }: Failure): Observation => observations[code] ?? 'rejected'
