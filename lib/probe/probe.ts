// Looks at one server: over one kept session, within a hard deadline, and never throws.
import { keepEqual } from '../base/keep-equal.js'
import { type Failure, fail, ok, type Result } from '../base/result.js'
import { SECOND, sleep, now as systemNow } from '../base/time.js'
import type { OpenSession, SqlSession, SqlTarget } from '../connect/sql/session.js'
import { openProbeSession } from '../connect/sql/text-protocol/probe-session.js'
import {
  type Dialect,
  dialectFor,
  identify,
  type KnownState,
  parseIdentity,
  type Rows,
  type Statement,
} from '../dialect/index.js'
import type { BinaryLogs, Observation, Reading, ServerState, SlowReading } from '../model/server/reading.js'
import type { ServerId } from '../model/server/server.js'
import { internList, internNamed } from './intern.js'
import { type LookAnswer, type ParsedAnswer, parsedBefore } from './parsed.js'
import { readSlowly } from './slow.js'

/** Statements of a fast look at most: variables, channels, MySQL's heartbeats or Galera, at times the semi-sync status. */
export const lookStatements = 4

const SEMI_SYNC_OFF = 'false false'

/** The semi-sync status is read this often, and only where semi-sync is switched on. */
const statusEveryMs = SECOND

/** A fast look waits this long for a slow statement on the kept session, then takes a session of its own. */
const patienceMs = 50

export interface ProbeOptions {
  readonly server: ServerId
  readonly target: SqlTarget
  /** Account whose existence slow looks check; '' for none. */
  readonly replicationUser?: string
  /** The kept session was lost between two looks: the next look tells why. Not called after `close`. */
  readonly onClosed?: (reason: string) => void
  readonly now?: () => number
  readonly open?: OpenSession
}

export interface ServerProbe {
  /**
   * One fast look. A second call while one runs answers the same look. A look that meets its deadline ends its session,
   * so the next one tries a fresh connection; a lost session is replaced within the same look, so that only a refused
   * connection counts as refused.
   */
  look(deadlineMs: number): Promise<Reading>
  /** Reads everything else; what the account may not read is left empty. */
  slow(deadlineMs: number): Promise<Result<SlowReading>>
  /** Connection ids of its open sessions. */
  threadIds(): readonly number[]
  close(): void
}

export const createProbe = (options: ProbeOptions): ServerProbe => new Probe(options)

/** A session and what is known of the server at its other end. */
interface Link {
  readonly session: SqlSession
  readonly openedAt: number
  dialect: Dialect
  readonly uptimeSeconds: number
  semiSync?: KnownState['semiSync']
  semiSyncAt: number
  /** Which sides of semi-sync are switched on, as last seen. */
  semiSyncSides: string
  /** The answer that was parsed last, and what it became. */
  parsed?: ParsedAnswer
  /** The slow statement that runs on it. */
  slow?: Promise<Result<readonly Rows[]>>
}

class Probe implements ServerProbe {
  readonly #options: ProbeOptions
  readonly #now: () => number
  readonly #open: OpenSession
  readonly #sessions = new Set<SqlSession>()
  #link: Link | undefined
  #looking: Promise<Reading> | undefined
  #closed = false
  /** As the latest look read it. */
  #latest: ServerState | undefined
  /** Of the latest slow look. */
  #named: Pick<SlowReading, 'variables' | 'status'> | undefined
  #binlogs: BinaryLogs | undefined

  constructor(options: ProbeOptions) {
    this.#options = options
    this.#now = options.now ?? systemNow
    this.#open = options.open ?? openProbeSession
  }

  look(deadlineMs: number): Promise<Reading> {
    this.#looking ??= this.#look(deadlineMs).finally(() => {
      this.#looking = undefined
    })
    return this.#looking
  }

  async slow(deadlineMs: number): Promise<Result<SlowReading>> {
    const until = performance.now() + deadlineMs
    const linked = await this.#linked(until)
    if (!linked.ok) return linked
    const link = linked.value
    const answers = await readSlowly({
      dialect: link.dialect,
      replicationUser: this.#options.replicationUser ?? '',
      run: (statement) => this.#runSlowly(link, statement, until),
    })
    if (link !== this.#link) link.session.close()
    if (!answers.ok) return answers
    const { identity, ...reading } = answers.value
    link.dialect = dialectFor(identity)
    return ok({
      ...reading,
      server: this.#options.server,
      at: this.#now(),
      ...this.#keepNamed(reading),
      plugins: internList(reading.plugins),
      binlogs: this.#keepBinlogs(reading.binlogs),
    })
  }

  /** Most variables stay as they are: what was known is kept, so that the old copies live on and the new ones die young. */
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

  /** Files that are full stay as they are. */
  #keepBinlogs(binlogs: BinaryLogs): BinaryLogs {
    this.#binlogs = keepEqual(this.#binlogs, binlogs)
    return this.#binlogs
  }

  threadIds(): readonly number[] {
    return [...this.#sessions].map(({ threadId }) => threadId)
  }

  close(): void {
    this.#closed = true
    this.#link = undefined
    for (const session of [...this.#sessions]) session.close()
  }

  /** A slow statement never goes ahead of a fast look. */
  async #runSlowly(link: Link, { sql, values }: Statement, until: number): Promise<Result<readonly Rows[]>> {
    await this.#looking
    link.slow = link.session.run(sql, values, Math.max(1, until - performance.now()))
    const answer = await link.slow
    delete link.slow
    return answer
  }

  async #look(deadlineMs: number): Promise<Reading> {
    const startedAt = performance.now()
    const result = await this.#read(startedAt + deadlineMs)
    const seen = { server: this.#options.server, at: this.#now(), tookMs: performance.now() - startedAt }
    if (result.ok) return { ...seen, observation: 'answered', state: result.value }
    return { ...seen, observation: observationOf(result.failure), error: result.failure }
  }

  async #read(until: number): Promise<Result<ServerState>> {
    const before = this.#link
    if (before?.slow !== undefined) await this.#stepAside(before, before.slow)
    const first = await this.#readOnce(until)
    const lost = !first.ok && first.failure.code === 'sql-refused' && before !== undefined && !this.#closed
    return lost ? this.#readOnce(until) : first
  }

  async #readOnce(until: number): Promise<Result<ServerState>> {
    const linked = this.#link?.session.open ? ok(this.#link) : await this.#linked(until)
    if (!linked.ok) return linked
    const link = linked.value
    const statusText = this.#statusDue(link) ? link.dialect.semiSyncStatus : undefined
    const { fastProbe } = link.dialect
    const text = statusText === undefined ? fastProbe : `${fastProbe};${statusText}`
    const answer = await link.session.run(text, [], until - performance.now())
    if (!answer.ok) return answer
    const results = statusText === undefined ? answer.value : this.#noteStatus(link, answer.value)
    const parsed = this.#parse(link, results)
    return parsed.ok && link.semiSyncAt === 0 ? this.#readStatus(link, results, until) : parsed
  }

  /** A side was switched: what was known of the status is worthless, and the look tells nothing of it that is not so. */
  async #readStatus(link: Link, results: readonly Rows[], until: number): Promise<Result<ServerState>> {
    const { semiSyncStatus } = link.dialect
    if (semiSyncStatus !== undefined) {
      const answer = await link.session.run(semiSyncStatus, [], until - performance.now())
      if (!answer.ok) return answer
      this.#noteStatus(link, answer.value)
    }
    return this.#parse(link, results)
  }

  #parse(link: Link, results: readonly Rows[]): Result<ServerState> {
    const uptimeSeconds = Math.floor(link.uptimeSeconds + (this.#now() - link.openedAt) / SECOND)
    try {
      const answer = { results, dialect: link.dialect, semiSync: link.semiSync }
      const state = parsedBefore(answer, link.parsed) ?? this.#parseAnew(answer)
      const sides = `${state.semiSync.sourceEnabled} ${state.semiSync.replicaEnabled}`
      if (sides !== link.semiSyncSides) link.semiSyncAt = 0
      link.semiSyncSides = sides
      this.#latest = state.uptimeSeconds === uptimeSeconds ? state : { ...state, uptimeSeconds }
      link.parsed = { ...answer, state: this.#latest }
      return ok(this.#latest)
    } catch (error) {
      return fail('sql-failed', `unreadable answer: ${error instanceof Error ? error.message : String(error)}`)
    }
  }

  /** Looks repeat each other: what they have in common is kept once. The uptime is the caller's. */
  #parseAnew({ results, dialect, semiSync }: LookAnswer): ServerState {
    const uptimeSeconds = this.#latest?.uptimeSeconds ?? 0
    return keepEqual(this.#latest, dialect.parseFastProbe(results, semiSync && { uptimeSeconds, semiSync }))
  }

  #statusDue(link: Link): boolean {
    if (link.semiSync === undefined) return true
    return link.semiSyncSides !== SEMI_SYNC_OFF && this.#now() - link.semiSyncAt >= statusEveryMs
  }

  /** The status is the last result of a text that asks for it; the others are the probe's. */
  #noteStatus(link: Link, results: readonly Rows[]): readonly Rows[] {
    link.semiSync = keepEqual(link.semiSync, link.dialect.parseSemiSyncStatus(results.at(-1) ?? []))
    link.semiSyncAt = this.#now()
    return results.slice(0, -1)
  }

  /** Leaves the session to a slow statement that holds it up; slow looks close what they were left. */
  async #stepAside(link: Link, slow: Promise<unknown>): Promise<void> {
    const ended = slow.then(() => true)
    const patience = sleep(patienceMs).then(() => false)
    if (!(await Promise.race([ended, patience])) && link === this.#link) this.#link = undefined
  }

  /** The kept session, or a new one that knows what the server is. */
  async #linked(until: number): Promise<Result<Link>> {
    if (this.#link?.session.open) return ok(this.#link)
    const opened = await this.#open({
      ...this.#options.target,
      connectTimeoutMs: Math.max(1, until - performance.now()),
    })
    if (!opened.ok) return opened
    const session = opened.value
    this.#sessions.add(session)
    session.onClose(() => this.#sessions.delete(session))
    const answer = await session.run(identify.sql, identify.values, Math.max(1, until - performance.now()))
    if (!answer.ok || this.#closed) {
      session.close()
      return answer.ok ? fail('sql-refused', 'the probe was closed') : answer
    }
    const { identity, uptimeSeconds } = parseIdentity(answer.value)
    const known = { uptimeSeconds, openedAt: this.#now(), semiSyncAt: 0, semiSyncSides: SEMI_SYNC_OFF }
    return ok(this.#keep({ session, dialect: dialectFor(identity), ...known }))
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
    if (!this.#closed && this.#looking === undefined) this.#options.onClosed?.(reason)
  }
}

/** A statement that the server refuses (a missing privilege) proves it alive, and is no state to decide by. */
const observations: Readonly<Record<string, Observation>> = { 'sql-refused': 'refused', 'sql-silent': 'silent' }

const observationOf = ({ code }: Failure): Observation => observations[code] ?? 'rejected'
