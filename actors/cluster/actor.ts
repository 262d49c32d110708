// A cluster actor: the mailbox with its behaviour, and everything with effects that hangs on it.
import type { Result } from '../../lib/base/result.js'
import { now, SECOND, sleep } from '../../lib/base/time.js'
import { openSession } from '../../lib/connect/sql/mysql2-session.js'
import { readTls } from '../../lib/connect/sql/tls-files.js'
import { createSessions } from '../../lib/effect/kit/sessions.js'
import { createPerform } from '../../lib/effect/plan/perform.js'
import type { ServerId } from '../../lib/model/server/server.js'
import { findServer, type ServerSnapshot } from '../../lib/model/snapshot.js'
import type { Command } from '../../lib/model/work/command.js'
import { isMinor } from '../../lib/model/work/operation.js'
import { createScriptQueue } from '../../lib/notify/index.js'
import { credentials } from '../../lib/settings/secret/credentials.js'
import { type Journal, openJournal, type Unfinished } from '../../lib/store/index.js'
import { createMailbox, type Mailbox } from '../kernel/behaviour.js'
import type { Actor, ActorContext, ActorFactory } from '../protocol/actor.js'
import type { ClusterInit, ClusterProtocol, ClusterView } from '../protocol/cluster.js'
import { type Answering, answer } from './answer.js'
import { type Executing, execute } from './operations/execute.js'
import { Operations } from './operations/operate.js'
import { performNow } from './operations/perform.js'
import { rehearse } from './operations/rehearse.js'
import { type Keeper, keepMemory } from './operations/remember.js'
import { awaitsLooks, resume, settle } from './operations/resume.js'
import { Traffic } from './operations/traffic.js'
import { ProxyWatch } from './proxies/proxies.js'
import { fillProxies } from './proxies/proxy-users.js'
import { expose } from './publish/exposition.js'
import { Publisher } from './publish/publish.js'
import { type Showing, viewSource } from './publish/view-source.js'
import { Explainer } from './reads/explain.js'
import { LiveReads } from './reads/reads.js'
import { CookieWatch } from './services/cookies.js'
import { JobBook } from './services/jobs.js'
import { Rolling } from './services/rolling.js'
import { Services } from './services/services.js'
import { type AnsweredProtocol, clusterBehaviour } from './state/behaviour.js'
import type { ClusterOutlets } from './state/core.js'
import { situationOf } from './state/evaluate.js'
import { initialState } from './state/start.js'
import type { ActorCommand, ClusterState } from './state/state.js'
import { effectServer, effectSettings, proxyTarget, readingOf, targetOf, tlsFiles } from './state/wires.js'
import { lookContext } from './watch/look-context.js'
import { OutsideCheck } from './watch/outside.js'
import { relook } from './watch/relook.js'
import { Ticker } from './watch/ticker.js'
import { TlsWatch } from './watch/tls.js'
import { Watch, watchedServers } from './watch/watch.js'

export const createClusterActor =
  (outlets: ClusterOutlets): ActorFactory<ClusterProtocol> =>
  async (context, init) => {
    const start = init as ClusterInit
    const journal = await openJournal(start.directory)
    if (!journal.ok) throw new Error(journal.failure.message)
    const { interrupted, ...remembered } = await resume(start.directory, journal.value)
    const untold = initialState(start, remembered, now())
    const tls = await readTls(tlsFiles(untold))
    const state = { ...untold, ...(tls ? { tls } : {}) }
    const jobs = await JobBook.open({
      directory: start.directory,
      changed: () => context.changed('jobs'),
      complain: (text) => actor.tell('noted', { level: 'ERROR', text, now: now() }),
    })
    const actor = new ClusterActor({ context, init: start, outlets, journal: journal.value, jobs, interrupted, state })
    return actor
  }

interface Parts {
  readonly context: ActorContext
  readonly init: ClusterInit
  readonly outlets: ClusterOutlets
  readonly journal: Journal
  readonly jobs: JobBook
  readonly interrupted: Unfinished | undefined
  readonly state: ClusterState
}

/** One for all actors: it has no state. */
const behaviour = clusterBehaviour(now)

/** The running actor: joins the parts, each of which sees what `core.ts` says and the siblings that it names. */
export class ClusterActor implements Actor<ClusterProtocol>, Answering, Executing, Showing {
  readonly context: ActorContext
  readonly init: ClusterInit
  readonly outlets: ClusterOutlets
  readonly operations: Operations
  readonly watch: Watch
  readonly proxies: ProxyWatch
  readonly outside = new OutsideCheck(this)
  readonly #tls = new TlsWatch(this)
  readonly cookies: CookieWatch
  readonly keeper: Keeper
  readonly scripts = createScriptQueue({ log: (text) => this.tell('noted', { level: 'INFO', text, now: now() }) })
  readonly publisher: Publisher
  readonly jobs: JobBook
  readonly services: Services
  readonly rolling: Rolling
  readonly perform: (command: Command, signal: AbortSignal) => Promise<Result<string>>
  readonly #journal: Journal
  readonly #mailbox: Mailbox<AnsweredProtocol, ClusterState>
  readonly reads: LiveReads
  readonly explainer = new Explainer(this)
  readonly traffic = new Traffic(this)
  readonly #sessions
  readonly #urgent = new Set<string>()
  readonly #ticker: Ticker
  #members: readonly ServerId[] = []
  #ticks = 0

  constructor({ context, init, outlets, journal, jobs, interrupted, state }: Parts) {
    this.context = context
    this.init = init
    this.outlets = outlets
    this.#journal = journal
    this.publisher = new Publisher(context)
    this.reads = new LiveReads(context.signal)
    this.#ticker = new Ticker(init.name, () => this.#tick())
    this.jobs = jobs
    this.services = new Services(this)
    this.#mailbox = createMailbox<AnsweredProtocol, ClusterState, ActorCommand>({
      behaviour,
      state,
      execute: (commands) => {
        for (const command of commands) execute(this, command)
      },
    })
    this.rolling = new Rolling(this)
    this.#sessions = createSessions({
      open: openSession,
      server: (id) => effectServer(this.state, id),
      others: (id) => this.watch.threadIds(id),
    })
    this.perform = createPerform({
      cluster: init.name,
      directory: init.directory,
      server: (id) => effectServer(this.state, id),
      sessions: this.#sessions,
      settings: () => effectSettings(this.state),
      proxies: () => this.proxies.list(),
      proxyTarget: (primary) => proxyTarget(this.state.snapshot, primary, this.state.settings),
      relook: (command) => relook(this, command),
      observed: (seen) => this.tell('observed', { reading: readingOf(this.state, seen), now: now() }),
      lookSlowly: (id) => this.watch.lookSlowly(id),
      crashRecorded: (crash) => this.operations.crashRecorded(crash),
      now,
      log: (text) => this.tell('noted', { level: 'INFO', text, now: now() }),
    })
    this.operations = new Operations({
      perform: this.perform,
      journal,
      stepped: (operation) => this.tell('stepped', { operation, now: now() }),
      // What was read before the operation ended is history: nothing may be decided on it.
      ended: async (operation, crash) => {
        await this.watch.lookAfresh()
        this.tell('ended', { operation, now: now(), ...(crash ? { crash } : {}) })
      },
    })
    this.proxies = new ProxyWatch((reading) => this.tell('observed-proxy', { reading, now: now() }))
    this.cookies = new CookieWatch(this)
    this.keeper = keepMemory(
      init.directory,
      () => this.state,
      (text) => this.tell('noted', { level: 'ERROR', text, now: now() }),
    )
    this.watch = new Watch({
      context: (id) => lookContext(this.state, id, watchedServers()),
      observed: (reading) => this.tell('observed', { reading, now: now() }),
      alarmed: () => {
        void this.#sessions.warm(this.state.servers.filter(isAnswering).map(({ id }) => id))
        void this.outside.look()
      },
      lookedAfresh: () => this.tell('tick', { now: now() }),
      observedSlowly: (reading) => this.tell('observed-slowly', { reading, now: now() }),
      lost: () => context.lost(),
    })
    expose(context, () => this.state)
    this.reconfigured()
    void this.#settle(interrupted)
  }

  get state(): ClusterState {
    return this.#mailbox.state()
  }

  /** Judgements since the actor started. */
  get ticks(): number {
    return this.#ticks
  }

  /** What the behaviour says to a message, at once. */
  ask<T extends keyof AnsweredProtocol & string>(
    type: T,
    payload: AnsweredProtocol[T]['in'],
  ): Result<AnsweredProtocol[T]['out']> {
    return this.#mailbox.receive(type, payload)
  }

  /** Hands a message of the runtime to the behaviour. */
  tell<T extends keyof AnsweredProtocol & string>(type: T, payload: AnsweredProtocol[T]['in']): void {
    if (!this.context.signal.aborted) this.#mailbox.receive(type, payload)
  }

  receive<T extends keyof ClusterProtocol & string>(
    type: T,
    payload: ClusterProtocol[T]['in'],
  ): Promise<Result<never>> | Result<never> {
    return answer(this, type, payload) as Promise<Result<never>>
  }

  view(name: string): Uint8Array {
    return this.outlets.render(name as ClusterView, viewSource(this))
  }

  async stop(): Promise<void> {
    this.#ticker.stop()
    await this.operations.close(2 * SECOND)
    this.watch.close()
    this.proxies.close()
    await this.scripts.close()
    this.services.close()
    this.reads.close()
    this.traffic.close()
    await this.jobs.close()
    this.#sessions.close()
    await this.keeper.close()
    await this.#journal.close()
  }

  /** Performs a command at once, beside any operation; the same one is not begun twice. */
  async urgent(command: Command): Promise<void> {
    const key = JSON.stringify(command)
    if (this.#urgent.has(key)) return
    this.#urgent.add(key)
    const done = await performNow(this, command)
    this.#urgent.delete(key)
    const text = `${command.type} at once: ${done.ok ? 'done' : done.failure.message}`
    this.tell('noted', { level: done.ok ? 'WARN' : 'ERROR', text, now: now() })
  }

  /** Servers, logins, proxies and pace as the settings now say. */
  reconfigured(): void {
    const { settings, servers, tls } = this.state
    void this.#tls.read()
    this.traffic.look()
    for (const id of this.#members) if (!servers.some((server) => server.id === id)) this.#sessions.forget(id)
    this.#members = servers.map(({ id }) => id)
    this.watch.set(servers, {
      targetOf: (server) => targetOf(server, { settings, ...(tls ? { tls } : {}) }),
      replicationUser: credentials(settings['replication-credential']).user,
    })
    this.proxies.set(settings)
    this.#ticker.every(settings['monitoring-ticker'] * SECOND)
  }

  /** Routes as the snapshot wants them; while the primary role moves, the plan routes. */
  alignProxies(): void {
    const { snapshot, settings, operation, ready } = this.state
    if (ready && (!operation || isMinor(operation)))
      void this.proxies.align(proxyTarget(snapshot, snapshot.primary, settings))
  }

  #tick(): void {
    this.#ticks += 1
    this.tell('tick', { now: now() })
    void rehearse(this)
    this.#warmPrimary()
    this.#tls.look()
    this.cookies.look()
    this.proxies.look()
    this.alignProxies()
    fillProxies(this)
    void this.outside.look()
  }

  /** A fence that is sent to a primary that hangs is the first thing it does when it wakes up; for that it needs a session. */
  #warmPrimary(): void {
    const primary = findServer(this.state.snapshot, this.state.snapshot.primary)
    if (primary && isAnswering(primary)) void this.#sessions.warm([primary.id])
  }

  /** First looks, then the plan that a killed manager left unfinished; only then decisions begin. */
  async #settle(interrupted: Unfinished | undefined): Promise<void> {
    const since = now()
    const { signal } = this.context
    while (!signal.aborted && awaitsLooks(this.state.servers, interrupted, now() - since)) await sleep(20, signal)
    if (signal.aborted) return
    this.tell('tick', { now: now() })
    this.#warmPrimary()
    // What the journal told besides must outlive its last line.
    if (interrupted) await this.keeper.saved()
    const settled = interrupted && (await settle(interrupted, situationOf(this.state, now()), this.#journal))
    this.tell('recover', { now: now(), ...(settled ? { settled } : {}) })
    this.rolling.resume()
    void rehearse(this)
  }
}

const isAnswering = ({ observation }: ServerSnapshot): boolean => observation === 'answered'
