// A cluster actor: the mailbox with its behaviour, and everything with effects that hangs on it.
import type { Result } from '../../lib/base/result.js'
import { now, SECOND, sleep } from '../../lib/base/time.js'
import { isReachable } from '../../lib/decide/situation/channel.js'
import { behindLock } from '../../lib/decide/situation/lock-wait.js'
import { createActTurns } from '../../lib/effect/acts/turns.js'
import { readTls } from '../../lib/effect/index.js'
import { Claims } from '../../lib/effect/kit/claims.js'
import type { TripMs } from '../../lib/effect/kit/context.js'
import { createSessions } from '../../lib/effect/kit/sessions.js'
import { createPerform } from '../../lib/effect/plan/perform.js'
import { LiveReads } from '../../lib/effect/reads/live-reads.js'
import { Explainer } from '../../lib/effect/statements/explain.js'
import { readProxyUsers } from '../../lib/effect/upkeep/proxy-users.js'
import { Traffic } from '../../lib/effect/upkeep/traffic.js'
import { freshFigures } from '../../lib/metrics/figures.js'
import { observe } from '../../lib/metrics/histogram.js'
import type { Command } from '../../lib/model/operation/command.js'
import type { Preview } from '../../lib/model/operation/preview.js'
import type { ScheduledJob } from '../../lib/model/operation/scheduled.js'
import { hasSameNames } from '../../lib/model/server/instance.js'
import { addressText, type ServerId } from '../../lib/model/server/server.js'
import { findServer, type ServerSnapshot } from '../../lib/model/snapshot.js'
import { createScriptQueue } from '../../lib/notify/index.js'
import { credentials } from '../../lib/settings/secret/credentials.js'
import { type Journal, openJournal, type Unfinished } from '../../lib/store/index.js'
import { createMailbox, type Mailbox } from '../kernel/behaviour.js'
import { joinLine, type Line } from '../kernel/line.js'
import type { Actor, ActorContext, ActorFactory } from '../protocol/actor.js'
import type { ClusterInit, ClusterProtocol, ClusterView } from '../protocol/cluster.js'
import { Backups } from './backups/backups.js'
import { LogWatch, type StoringLogs } from './backups/binlogs.js'
import { JobQueue, type QueueParts } from './backups/queue.js'
import { type Recovering, Recovery } from './backups/recovery.js'
import { beginScheduled } from './backups/scheduled.js'
import { type JobSlots, openSlots } from './backups/slots.js'
import { Benchmarks } from './benchmark/benchmarks.js'
import { Checksums } from './checksums/checksums.js'
import { Schemas } from './checksums/schemas.js'
import { type Executing, execute } from './execute.js'
import { clusterBehaviour } from './handlers/behaviour.js'
import { HostJobs } from './hosts/host-jobs.js'
import { HostTasks } from './hosts/hosts.js'
import { TableWatch } from './hosts/table-watch.js'
import { Operations } from './operations/operations.js'
import { rehearse } from './operations/rehearsal.js'
import { type Keeper, keepMemory } from './operations/remember.js'
import { abandonUnfinished, awaitsProbes, resume, settle } from './operations/resume.js'
import { runCommand } from './operations/run-command.js'
import { Tenancy } from './operations/tenancy.js'
import { ProxyWatch } from './proxies/proxies.js'
import { expose } from './publish/exposition.js'
import { Publisher, type RenderView } from './publish/publish.js'
import { type Showing, viewSource } from './publish/view-source.js'
import { Recorder } from './recording/recorder.js'
import { ClusterRecovery } from './recovery/cluster-recovery.js'
import { NewServers } from './recovery/new-servers.js'
import { type Refilling, Returns } from './returns/returns.js'
import { Appointments } from './services/appointments.js'
import { CookieWatch } from './services/cookies.js'
import { JobBook } from './services/jobs.js'
import { openPermits, type Permits } from './services/permits.js'
import { type Moving, Rolling } from './services/rolling.js'
import { type OpenOrchestrator, Services, type Serving } from './services/services.js'
import type { ActorCommand } from './state/message/command.js'
import type { RuntimeProtocol } from './state/message/messages.js'
import {
  addressOf,
  effectServer,
  effectSettings,
  proxyTarget,
  readingOf,
  replicationLogin,
  tlsFiles,
  watchedBy,
} from './state/message/wires.js'
import { initialState } from './state/start.js'
import type { ClusterState } from './state/state.js'
import { situationOf } from './state/step/evaluate.js'
import { isObserved, mayRoute, refuseChanges } from './state/step/observed.js'
import { Trials } from './trials/trials.js'
import { judgeInstance, serveInstances } from './watch/instances.js'
import { mayOpen } from './watch/may-open.js'
import { OutsideCheck } from './watch/outside.js'
import { probeContext } from './watch/probe-context.js'
import { type Reprobing, reprobe } from './watch/reprobe.js'
import { Ticker } from './watch/ticker.js'
import { TlsWatch } from './watch/tls.js'
import { type ServerSighting, Watch, watchedServers } from './watch/watch.js'
import { Captures } from './watching/captures.js'
import { ChangeWatch } from './watching/changes.js'
import { DelayPrint } from './watching/delay-print.js'
import { DeletedLogs } from './watching/deleted-logs.js'
import { DiskWatch } from './watching/disks.js'
import { LogPurges } from './watching/log-purges.js'
import { LongWatch } from './watching/long-sessions.js'
import { SeriesWatch } from './watching/series.js'

/** Between two checks of who owns the cluster. */
const TENURE_MS = 200

/** Longest login for the claim of one server. */
const CLAIM_MS = 2 * SECOND

/** What bin/ gives a cluster actor besides its messages. */
export interface ClusterOutlets {
  readonly render: RenderView
  readonly orchestrator: OpenOrchestrator
}

export const createClusterActor =
  (outlets: ClusterOutlets): ActorFactory<ClusterProtocol> =>
  async (context, init) => {
    const start = init as ClusterInit
    const tenancy = await Tenancy.open(start, context.signal)
    const journal = await openJournal(start.directory, { copy: tenancy?.copy })
    if (!journal.ok) throw new Error(journal.failure.message)
    const tenure = tenancy?.standing()
    if (tenure === 'owner' && start.tenure?.resumes === false) await abandonUnfinished(journal.value, now())
    const { interrupted, ...remembered } = await resume(start.directory, journal.value)
    const initial = initialState(start, remembered, now())
    const tls = await readTls(tlsFiles(initial))
    const confirmed = tenancy?.confirmedAt()
    const state = {
      ...{ ...initial, ...(tls ? { tls } : {}), ...(tenure ? { tenure } : {}) },
      ...(confirmed === undefined ? {} : { confirmed }),
    }
    const jobs = await JobBook.open({
      directory: start.directory,
      changed: () => context.changed('jobs'),
      noted: (job) => actor.tell('noted-job', { job }),
      complain: (text) => actor.tell('noted', { level: 'ERROR', text }),
    })
    const actor = new ClusterActor({
      ...{ context, init: start, outlets, journal: journal.value, jobs, tenancy, state },
      // What an owner left is settled by the next owner.
      interrupted: tenure === undefined || tenure === 'owner' ? interrupted : undefined,
    })
    return actor
  }

interface Parts {
  readonly context: ActorContext
  readonly init: ClusterInit
  readonly outlets: ClusterOutlets
  readonly journal: Journal
  readonly jobs: JobBook
  readonly interrupted: Unfinished | undefined
  readonly tenancy: Tenancy | undefined
  readonly state: ClusterState
}

/** The running actor: joins the parts, each of which sees what `state/cluster.ts` says and the siblings that it names. */
export class ClusterActor
  implements
    Actor<ClusterProtocol>,
    Executing,
    Moving,
    QueueParts,
    Recovering,
    Refilling,
    Reprobing,
    Serving,
    Showing,
    StoringLogs
{
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
  readonly captures = new Captures(this)
  readonly #changes = new ChangeWatch(this)
  readonly #long = new LongWatch(this)
  readonly #disks = new DiskWatch(this)
  readonly #delays = new DelayPrint(this)
  readonly #purges = new LogPurges(this)
  readonly #deleted = new DeletedLogs(this)
  readonly series: SeriesWatch
  readonly recorder: Recorder
  readonly scripts = createScriptQueue({ log: (text) => this.tell('noted', { level: 'INFO', text }) })
  readonly publisher: Publisher
  readonly jobs: JobBook
  readonly slots: JobSlots
  readonly permits: Permits
  readonly #line: Line
  readonly queue: JobQueue
  readonly logs = new LogWatch(this)
  readonly recovery = new Recovery(this)
  readonly benchmarks: Benchmarks
  readonly trials: Trials
  readonly backups: Backups
  readonly checksums: Checksums
  readonly schemas: Schemas
  readonly services: Services
  readonly hosts: HostTasks
  readonly hostJobs: HostJobs
  readonly tables = new TableWatch(this)
  readonly returns: Returns
  readonly wholeRecovery: ClusterRecovery
  readonly newServers: NewServers
  readonly appointments: Appointments
  readonly rolling: Rolling
  readonly perform: (command: Command, signal: AbortSignal) => Promise<Result<string>>
  readonly #journal: Journal
  readonly #tenancy: Tenancy | undefined
  readonly #mailbox: Mailbox<RuntimeProtocol, ClusterState>
  readonly reads: LiveReads
  readonly explainer = new Explainer()
  readonly traffic: Traffic
  readonly takeTurn
  readonly #sessions
  readonly #urgent = new Set<string>()
  readonly #ticker: Ticker
  #members: readonly ServerId[] = []
  #ticks = 0
  #judgedAt = 0
  #decisionSeconds = freshFigures.decisionSeconds

  constructor({ context, init, outlets, journal, jobs, interrupted, tenancy, state }: Parts) {
    this.context = context
    this.init = init
    this.outlets = outlets
    this.#journal = journal
    this.#tenancy = tenancy
    this.publisher = new Publisher(context)
    this.reads = new LiveReads(context.signal)
    this.#ticker = new Ticker(init.name, () => this.#tick())
    this.jobs = jobs
    this.#line = joinLine(init)
    this.slots = openSlots(this.#line)
    this.permits = openPermits(this.#line)
    this.queue = new JobQueue(this)
    // After the queue, which says last that its slots are free.
    context.signal.addEventListener('abort', () => this.#line.close(), { once: true })
    this.backups = new Backups(this)
    this.checksums = new Checksums(this)
    this.schemas = new Schemas(this)
    this.services = new Services(this)
    this.hosts = new HostTasks(this)
    this.hostJobs = new HostJobs(this)
    this.takeTurn = createActTurns(context.signal)
    this.traffic = new Traffic({
      signal: context.signal,
      isOn: () => this.state.settings['test-inject-traffic'] && refuseChanges(this.state) === undefined,
      writable: () => writablePrimary(this.state),
      log: (text) => this.tell('noted', { level: 'INFO', text }),
    })
    this.recorder = new Recorder({
      directory: init.directory,
      cluster: init.name,
      limit: () => recordingLimit(this.state),
      complain: (text) => this.tell('noted', { level: 'WARN', text }),
    })
    this.#mailbox = createMailbox<RuntimeProtocol, ClusterState, ActorCommand>({
      behaviour: clusterBehaviour,
      state,
      clock: now,
      handled: (ms) => this.#measure(ms),
      record: (handled) => this.recorder.note(handled),
      execute: (commands) => {
        for (const command of commands) execute(this, command)
      },
    })
    this.appointments = new Appointments(this)
    this.rolling = new Rolling(this)
    this.returns = new Returns(this)
    this.wholeRecovery = new ClusterRecovery(this)
    this.newServers = new NewServers(this)
    this.benchmarks = new Benchmarks(this)
    this.trials = new Trials(this)
    this.#sessions = createSessions({
      server: (id) => effectServer(this.state, id),
      others: (id) => this.watch.threadIds(id),
      claims: tenancy && new Claims({ isOwner: () => tenancy.isOwner(), own: (id) => this.watch.threadIds(id) }),
    })
    const tripMs: TripMs = (id) => this.watch.tripMs(id)
    const perform = createPerform({
      cluster: init.name,
      directory: init.directory,
      server: (id) => effectServer(this.state, id),
      sessions: this.#sessions,
      settings: () => effectSettings(this.state),
      proxies: () => this.proxies.list(),
      proxyTarget: (primary) => proxyTarget(this.state.snapshot, primary, this.state.settings),
      reprobe: (command) => reprobe(this, command),
      mayOpen: (id, how) => mayOpen(this, id, how),
      observed: (seen) => this.tell('observed', { reading: readingOf(this.state, seen) }),
      probeSlowly: (id) => this.watch.probeSlowly(id),
      tripMs,
      waits: (id) => behindLock(findServer(this.state.snapshot, id)),
      crashRecorded: (crash) => this.operations.crashRecorded(crash),
      now,
      log: (text) => this.tell('noted', { level: 'INFO', text }),
    })
    this.perform = tenancy?.guard(perform, tripMs) ?? perform
    this.operations = new Operations({
      ...{ perform: this.perform, tripMs },
      journal,
      stepped: (operation) => this.tell('stepped', { operation }),
      // What was read before the operation ended is history: nothing may be decided on it.
      ended: async (operation, crash) => {
        await this.watch.probeFresh()
        this.tell('ended', { operation, ...(crash ? { crash } : {}) })
      },
    })
    this.proxies = new ProxyWatch(
      (reading) => this.tell('observed-proxy', { reading }),
      () => this.alignProxies(),
    )
    this.cookies = new CookieWatch(this)
    this.series = new SeriesWatch(this)
    this.keeper = keepMemory(init.directory, () => this.state, {
      onFailure: (text) => this.tell('noted', { level: 'ERROR', text }),
      copy: tenancy?.copy,
    })
    this.watch = new Watch({
      context: (id) => probeContext(this.state, id, watchedServers()),
      observed: (reading) => {
        this.series.noteProbe(reading)
        this.tell('observed', { reading })
      },
      judge: (id, sighting) => this.#judgeInstance(id, sighting),
      alarmed: () => {
        if (!isObserved(this.state))
          void this.#sessions.warm(this.state.snapshot.servers.filter(isAnswering).map(({ id }) => id))
        void this.outside.check()
      },
      probedFresh: () => this.tell('tick', {}),
      observedSlowly: (reading) => {
        this.#changes.note(reading)
        this.#long.note(reading)
        this.tell('observed-slowly', { reading })
        this.series.noteStatus(reading)
      },
      observedLogin: (server, login) => this.tell('observed-login', { server, login }),
      observedFreshLogin: (server, login) => this.tell('observed-fresh-login', { server, ...(login ? { login } : {}) }),
      observedPresence: (server, presence) => this.tell('observed-presence', { server, presence }),
      observedLockWait: (server, wait) => this.tell('observed-lock-wait', { server, ...(wait ? { wait } : {}) }),
      observedHeldLock: (server, lock) => this.tell('observed-held-lock', { server, ...(lock ? { lock } : {}) }),
      ownSessions: (server) => this.#sessions.own(server),
      lost: () => context.lost(),
    })
    serveInstances(this.#line, {
      shown: () =>
        this.state.snapshot.servers.flatMap((server) => {
          const { instance, at } = this.watch.known(server.id) ?? {}
          return instance && at !== undefined ? [{ server: addressText(server), instance, at }] : []
        }),
      revoked: (address) => {
        const server = this.state.snapshot.servers.find((each) => addressText(each) === address)
        if (server) this.watch.doubt(server.id)
      },
    })
    expose(context, () => ({ ...this.state, figures: this.figures }))
    this.reconfigured()
    this.#followTenure()
    void this.#settle(interrupted)
  }

  get state(): ClusterState {
    return this.#mailbox.state()
  }

  /** Judgements since the actor started. */
  get ticks(): number {
    return this.#ticks
  }

  /** Those of the state, and how long judgements took: a handler has no clock. */
  get figures(): ClusterState['figures'] {
    return { ...this.state.figures, decisionSeconds: this.#decisionSeconds }
  }

  beginScheduled(kind: ScheduledJob, user: string): Promise<Result<unknown>> {
    return beginScheduled(this, kind, user)
  }

  decide<T extends keyof RuntimeProtocol & string>(
    type: T,
    payload: RuntimeProtocol[T]['in'],
  ): Result<RuntimeProtocol[T]['out']> {
    const reply = this.#mailbox.receive(type, payload)
    if ('ok' in reply) return reply
    throw new Error(`${type} is answered later`)
  }

  tell<T extends keyof RuntimeProtocol & string>(type: T, payload: RuntimeProtocol[T]['in']): void {
    if (!this.context.signal.aborted) void this.#mailbox.receive(type, payload)
  }

  settle(reply: number, result: Result<unknown>): void {
    this.#mailbox.settle(reply, result)
  }

  async planSwitchover(request: ClusterProtocol['plan-switchover']['in']): Promise<Result<Preview>> {
    return this.#mailbox.receive('plan-switchover', request)
  }

  async switchover(request: ClusterProtocol['switchover']['in']): Promise<Result<unknown>> {
    return this.#mailbox.receive('switchover', request)
  }

  receive<T extends keyof ClusterProtocol & string>(
    type: T,
    payload: ClusterProtocol[T]['in'],
  ): Result<ClusterProtocol[T]['out']> | Promise<Result<ClusterProtocol[T]['out']>> {
    return this.#mailbox.receive(type, payload as never) as Result<never>
  }

  view(name: string): Uint8Array {
    return this.outlets.render(name as ClusterView, viewSource(this))
  }

  async stop(): Promise<void> {
    this.#ticker.stop()
    await this.operations.close(2 * SECOND)
    await this.recorder.close()
    this.#mailbox.settleAll()
    this.watch.close()
    this.proxies.close()
    await this.#changes.close()
    await this.series.close()
    await this.scripts.close()
    await this.logs.close()
    this.services.close()
    this.reads.close()
    this.traffic.close()
    await this.checksums.close()
    await this.jobs.close()
    await this.cookies.close()
    this.#sessions.close()
    this.slots.close()
    this.#line.close()
    await this.keeper.close()
    await this.#journal.close()
    this.#tenancy?.close()
  }

  /** Performs a command at once, beside any operation; the same one is not started twice. */
  async urgent(command: Command): Promise<void> {
    const key = JSON.stringify(command)
    if (this.#urgent.has(key)) return
    this.#urgent.add(key)
    const done = await runCommand(this, command)
    this.#urgent.delete(key)
    const text = `${command.type} at once: ${done.ok ? 'done' : done.failure.message}`
    this.tell('noted', { level: done.ok ? 'WARN' : 'ERROR', text })
  }

  /** Servers, logins, proxies and pace as the settings now say. */
  reconfigured(): void {
    const { settings, snapshot } = this.state
    const { servers } = snapshot
    void this.#tls.read()
    this.traffic.reconfigured()
    for (const id of this.#members) if (!servers.some((server) => server.id === id)) this.#sessions.forget(id)
    this.#members = servers.map(({ id }) => id)
    this.watch.set(servers, {
      targetOf: (server) => addressOf(server, this.state),
      replication: replicationLogin(settings),
      watched: watchedBy(settings),
      log: settings['log-sql-in-monitoring'] ? (id, statement) => this.#logStatement(id, statement) : undefined,
    })
    this.proxies.set(settings)
    this.#ticker.every(settings['monitoring-ticker'] * SECOND)
  }

  /** Nothing is begun any more soon after the ownership ended: well within what a term keeps back. */
  #followTenure(): void {
    const tenancy = this.#tenancy
    if (!tenancy) return
    const timer = setInterval(() => {
      const [tenure, confirmed] = [tenancy.standing(), tenancy.confirmedAt()]
      if (tenure === this.state.tenure && confirmed === this.state.confirmed) return
      this.tell('tenure', { tenure, ...(confirmed === undefined ? {} : { confirmed }) })
    }, TENURE_MS)
    this.context.signal.addEventListener('abort', () => clearInterval(timer), { once: true })
  }

  #logStatement(id: ServerId, statement: string): void {
    const name = findServer(this.state.snapshot, id)?.name ?? id
    this.tell('noted', { level: 'DEBUG', text: `${name}: ${statement}` })
  }

  /** Routes as the snapshot wants them; while the primary role moves, the plan routes. */
  alignProxies(): void {
    const { snapshot, settings } = this.state
    if (mayRoute(this.state)) void this.proxies.align(proxyTarget(snapshot, snapshot.primary, settings))
  }

  /** While the primary role moves, proxies have something else to do. */
  #fillProxies(): void {
    const { snapshot, settings } = this.state
    const primary = findServer(snapshot, snapshot.primary)
    const server = primary && isReachable(primary) ? effectServer(this.state, primary.id) : undefined
    if (snapshot.operation || !server || !mayRoute(this.state)) return
    const own = [settings['db-servers-credential'], settings['replication-credential']]
    void this.proxies.fill(() =>
      readProxyUsers(
        server,
        own.map((login) => credentials(login).user),
      ),
    )
  }

  /** How long judgements take: handlers that made a new one. */
  #measure(ms: number): void {
    const { at } = this.state.snapshot
    if (at === this.#judgedAt) return
    this.#judgedAt = at
    this.#decisionSeconds = observe(this.#decisionSeconds, ms / SECOND)
  }

  #tick(): void {
    this.#ticks += 1
    this.tell('tick', { lostMs: this.context.lost() })
    void rehearse(this)
    this.#warmPrimary()
    this.#tls.rereadWhenDue()
    this.cookies.rereadWhenDue()
    this.#long.rereadWhenDue()
    this.#disks.rereadWhenDue()
    this.tables.rereadWhenDue()
    this.returns.check()
    this.#delays.printWhenDue()
    this.logs.align()
    this.#purges.purgeWhenDue()
    this.#deleted.askWhenDue()
    this.series.tick()
    this.proxies.probe()
    this.alignProxies()
    this.#fillProxies()
    void this.outside.check()
  }

  /** A fence that is sent to a primary that hangs is the first thing it does when it wakes up; for that it needs a session. */
  #warmPrimary(): void {
    const primary = findServer(this.state.snapshot, this.state.snapshot.primary)
    if (primary && isAnswering(primary) && !isObserved(this.state)) void this.#sessions.warm([primary.id])
  }

  async #judgeInstance(id: ServerId, sighting: ServerSighting): Promise<string | undefined> {
    const { snapshot, memory } = this.state
    const server = findServer(snapshot, id)
    if (!server) return 'it is no member of the cluster any more'
    const { instance, since } = memory.identities?.[id] ?? {}
    const isKnown = instance !== undefined && since !== undefined && hasSameNames(instance, sighting.instance)
    return judgeInstance(this.#line, {
      ...{ ...sighting, server: addressText(server), maintenance: server.maintenance },
      ...(isKnown ? { since } : {}),
    })
  }

  /** What an earlier owner left on the databases ends before anything is decided: locks, sessions, a freeze. */
  async #claimServers(): Promise<void> {
    if (!this.#tenancy?.isOwner()) return
    const answering = this.state.snapshot.servers.filter(isAnswering)
    const claims = await Promise.all(answering.map(({ id }) => this.#sessions.claim(id, CLAIM_MS)))
    for (const [index, claimed] of claims.entries())
      if (!claimed.ok)
        this.tell('noted', {
          level: 'WARN',
          text: `${answering[index]?.name}: not claimed for this owner: ${claimed.failure.message}`,
        })
  }

  /** First probes, then the plan that a killed manager left unfinished; only then decisions begin. */
  async #settle(interrupted: Unfinished | undefined): Promise<void> {
    const since = now()
    const { signal } = this.context
    while (!signal.aborted && awaitsProbes(this.state.snapshot.servers, interrupted, now() - since))
      await sleep(20, signal)
    if (signal.aborted) return
    this.tell('tick', {})
    await this.#claimServers()
    this.#warmPrimary()
    // What the journal recorded besides must be saved before its last line is removed.
    if (interrupted) await this.keeper.saved()
    const settled = interrupted && (await settle(interrupted, situationOf(this.state, now()), this.#journal))
    this.tell('recover', settled ? { settled } : {})
    this.rolling.resume()
    void this.trials.resume()
    await this.backups.tidy()
    await this.recovery.tidy()
    this.queue.ready()
    this.queue.resume()
    await this.appointments.resume()
    void rehearse(this)
  }
}

const isAnswering = ({ observation }: ServerSnapshot): boolean => observation === 'answered'

/** Bytes on disk; undefined: nothing is recorded. */
const recordingLimit = ({ settings }: ClusterState): number | undefined =>
  settings['monitoring-recording'] ? settings['monitoring-recording-size'] * 1_024 * 1_024 : undefined

/** The primary when it takes writes and keeps its role. */
function writablePrimary(state: ClusterState) {
  const { snapshot, ready } = state
  if (!ready || snapshot.operation) return undefined
  const primary = findServer(snapshot, snapshot.primary)
  const isOpen = primary?.observation === 'answered' && primary.state?.readOnly === false && !primary.maintenance
  return isOpen ? effectServer(state, primary.id) : undefined
}
