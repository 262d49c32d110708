// The running manager without its gateway: configuration, actors and services, started in order and stopped in reverse.

import { hostname } from 'node:os'
import path from 'node:path'
import type { WriteLog } from '../../lib/base/log-codes.js'
import { packageVersion, sharePath } from '../../lib/base/package-root.js'
import { fail, ok, type Result } from '../../lib/base/result.js'
import { HOUR, now, SECOND } from '../../lib/base/time.js'
import { type EtcdOptions, readTerm } from '../../lib/lease/index.js'
import { sendMail } from '../../lib/notify/index.js'
import type { Usage } from '../../lib/price/index.js'
import { type Fault, renderFault } from '../../lib/settings/configuration/fault.js'
import { type ConfigurationRemarks, mailSettings, remarksOf, type Settings } from '../../lib/settings/index.js'
import type { Loaded, LoadInput } from '../../lib/settings/load/load.js'
import { ApiTokens, BrowserSessions, recordActorCrash } from '../../lib/store/index.js'
import { type ArchiveService, createArchiveService } from '../archive/archives.js'
import type { RuntimeProtocol } from '../cluster/state/message/messages.js'
import { MainLine } from '../kernel/line.js'
import { type ClusterProtocol, clusterViews } from '../protocol/cluster.js'
import type { JudgeAsker } from '../protocol/line.js'
import type { Peers } from '../protocol/manager/peers.js'
import { Supervisor } from '../supervisor/index.js'
import { Alerts } from './alerts/alerts.js'
import { Announcements } from './announcements.js'
import { Billing } from './billing/billing.js'
import { Clusters } from './configuration/clusters.js'
import { configurationFindings, serverFindings } from './configuration/configuration-findings.js'
import { logLoaded } from './configuration/log-loaded.js'
import { permitNewcomers } from './configuration/newcomers.js'
import { readAgain } from './configuration/read-again.js'
import { saveOutdated } from './configuration/save-outdated.js'
import { Users } from './configuration/users.js'
import { Configurator } from './configurator/configurator.js'
import { listTags } from './configurator/tags.js'
import { Deliveries } from './delivery/deliveries.js'
import { offerTags } from './delivery/offered-tags.js'
import { Face } from './face.js'
import { configuredRow } from './fleet/configured-row.js'
import { FleetHub } from './fleet/fleet-hub.js'
import { Instances, isListed } from './instances.js'
import { limitJobs } from './jobs.js'
import { EventHub } from './outlet/event-hub.js'
import { Graphite } from './outlet/graphite.js'
import { type ManagerLog, verbosityOf } from './outlet/log.js'
import { type Metrics, openMetrics } from './outlet/metrics.js'
import { openLog } from './outlet/open-log.js'
import { createSecurityLog, type SecurityLog } from './outlet/security-log.js'
import { Arbitration, readArbitration } from './ownership/arbitration.js'
import { readEtcdOptions, SharedFleet } from './ownership/sharing.js'
import { answerPermits } from './permits.js'
import { NewServers } from './recovery/new-servers.js'
import { PlanInForce } from './registration/plan-in-force.js'
import { Registration } from './registration/registration.js'
import { ConfigurationRepository } from './repository/repository.js'
import type { RestoredConfiguration } from './repository/restore.js'
import { Rotations } from './rotation/rotations.js'
import { removeServices } from './self-service/remove-services.js'
import { SelfService } from './self-service/self-service.js'
import { Timelines } from './timeline/timelines.js'

/** How soon a changed membership of a cluster is known to the gateway. */
const MEMBERS_MS = 100

/** Longest wait for a cluster to report what it uses. */
const USAGE_MS = 2 * SECOND

/** A configuration without faults. */
export type ValidConfiguration = Extract<Loaded, { readonly ok: true }>

export interface ManagerStart {
  readonly loaded: ValidConfiguration
  /** The sources of the configuration: a reload reads them again. */
  readonly input: LoadInput
  /** The entry module of host threads. */
  readonly hostEntry: URL
  /** What was restored from the repository before this start. */
  readonly restored?: RestoredConfiguration
}

/** Opens what can fail before anything runs. Failures: log file, rules and working directory that cannot be used. */
export async function openManager(start: ManagerStart): Promise<Result<Manager>> {
  const { settings } = start.loaded.configuration.server
  const directory = settings['monitoring-datadir']
  const log = await openLog(settings)
  if (!log.ok) return log
  logLoaded(start.loaded.configuration, log.value.write)
  if (start.restored) log.value.write('info', 'repository-restored', { ...start.restored })
  await saveOutdated(start.loaded, log.value.write)
  const archives = await createArchiveService({ rulesDir: sharePath('rules', 'database'), workingDir: directory })
  if (!archives.ok) return archives
  const { tokens, damage } = await ApiTokens.open(path.join(directory, 'api-tokens.json'))
  for (const problem of damage) log.value.write('error', 'api-tokens-damaged', { problem })
  const { browserSessions, damage: lost } = await BrowserSessions.open(path.join(directory, 'browser-sessions.json'))
  for (const problem of lost) log.value.write('error', 'browser-sessions-damaged', { problem })
  const etcd = await readEtcdOptions(settings)
  if (!etcd.ok) return etcd
  const opened = { log: log.value, archives: archives.value, tokens, browsers: browserSessions, etcd: etcd.value }
  const manager = new Manager({ ...start, ...opened })
  await manager.prepare()
  return ok(manager)
}

interface Opened extends ManagerStart {
  readonly log: ManagerLog
  readonly archives: ArchiveService
  readonly tokens: ApiTokens
  readonly browsers: BrowserSessions
  /** Absent: this manager has all clusters. */
  readonly etcd: EtcdOptions | undefined
}

export class Manager {
  readonly tokens: ApiTokens
  readonly browsers: BrowserSessions
  readonly security: SecurityLog
  readonly clusters: Clusters
  readonly face: Face
  readonly announcements: Announcements
  readonly log: ManagerLog
  readonly #input: LoadInput
  readonly #supervisor: Supervisor
  readonly #configurator: Configurator
  readonly #deliveries: Deliveries
  readonly #rotations: Rotations
  readonly #newServers: NewServers
  readonly #graphite: Graphite
  readonly #alerts: Alerts
  readonly #plan: PlanInForce
  readonly #billing: Billing
  readonly #registration: Registration
  readonly #selfService: SelfService
  readonly #fleet: FleetHub
  readonly #timelines: Timelines
  readonly #repository: ConfigurationRepository
  /** Where several instances share the fleet. */
  readonly #shared: SharedFleet | Arbitration | undefined
  readonly #metrics: Metrics
  readonly #line: MainLine
  readonly #instances: Instances
  #judgeAsker: JudgeAsker | undefined
  #warnings: readonly Fault[]
  #endTimers: () => void = () => undefined

  constructor({ loaded, input, hostEntry, log, archives, tokens, browsers, etcd }: Opened) {
    const { configuration, warnings } = loaded
    this.log = log
    this.#input = input
    this.#warnings = warnings
    this.tokens = tokens
    this.browsers = browsers
    const rules = { database: archives.rules, proxy: archives.proxyRules }
    offerTags(listTags(rules))
    this.#supervisor = superviseClusters(hostEntry, configuration.server.settings['monitoring-datadir'], log.write)
    this.clusters = new Clusters(this.#supervisor, configuration)
    this.#timelines = this.#openTimelines()
    this.#repository = this.#openRepository(etcd !== undefined || configuration.server.settings['arbitration-external'])
    this.security = this.#openSecurityLog(configuration.server.settings)
    const shared = {
      clusters: this.clusters,
      cluster: (name: string) => this.face.cluster(name),
      log: this.security.write,
      onFindings: (cluster: string) => this.announcements.publish([cluster]),
    }
    this.#configurator = new Configurator({
      ...shared,
      ...{ rules, known: archives.known },
      members: (name) => this.face.members(name),
      changed: (cluster) => this.#deliveries.changed(cluster),
    })
    this.#deliveries = new Deliveries({
      ...shared,
      archives,
      settings: (cluster) => this.clusters.settings(cluster),
      settle: (cluster) => this.#configurator.settle(cluster),
    })
    const judgeAsker = () => this.#judgeAsker
    this.#rotations = new Rotations({ ...shared, judgeAsker })
    this.#line = new MainLine(configuration.server.settings['monitoring-datadir'])
    answerPermits(this.#line, judgeAsker)
    limitJobs(this.#line, () => this.clusters.server['scheduler-jobs-limit'])
    this.#newServers = new NewServers({ ...shared, changes: () => this.face })
    this.#metrics = openMetrics({
      supervisor: this.#supervisor,
      face: () => this.face,
      settings: () => this.clusters.server,
      securityEvents: this.security.counts,
    })
    this.#instances = new Instances({
      line: this.#line,
      isMember: (cluster, server) => isListed(this.clusters.settings(cluster)?.['db-servers-hosts'] ?? [], server),
      log: this.log.write,
    })
    this.#graphite = this.#openGraphite()
    this.#registration = this.#openRegistration()
    this.#plan = this.#openPlan()
    this.#alerts = this.#openAlerts()
    this.#billing = this.#openBilling()
    this.#selfService = this.#openSelfService()
    this.#fleet = this.#openFleet()
    this.face = this.#openFace()
    this.announcements = this.#openAnnouncements()
    this.#shared = etcd ? this.#shareFleet(etcd) : this.#openArbitration(configuration.server.settings)
    if (this.#shared) this.clusters.share(this.#shared)
  }

  /** Where several instances share the fleet: adopts what the others did while this one was down. */
  async prepare(): Promise<void> {
    if (this.#shared instanceof SharedFleet) await this.#shared.prepare()
  }

  /** By what is decided, before each step, whether a user may still have the work that it asked for. */
  judgeAskersBy(judge: JudgeAsker): void {
    this.#judgeAsker = judge
  }

  /** Starts the actors of all clusters and what monitors them. Failure: an actor that cannot be added. */
  start(): Result<void> {
    this.#followChanges()
    void this.#timelines.start()
    const started = this.clusters.start()
    if (!started.ok) return started
    this.announcements.publish()
    const members = setInterval(() => void this.face.refreshMembers(), MEMBERS_MS)
    this.#endTimers = () => clearInterval(members)
    const names = this.face.clusters()
    this.#configurator.start(names)
    for (const name of names) this.#deliveries.changed(name)
    void this.#configurator.plans.start()
    // Those that this instance comes to own resume then.
    void this.#rotations.start(this.#shared ? [] : names)
    this.#newServers.start(this.#shared ? [] : names)
    // What waits for a channel that the plan permits is given up where the plan is not known yet.
    void this.#registration
      .start()
      .then(() => this.#plan.start())
      .then(() => this.#alerts.start())
    this.#repository.start()
    this.#shared?.start()
    this.#billing.changed()
    return started
  }

  /** The other instances; undefined where this manager has all clusters. */
  get peers(): Peers | undefined {
    return this.#shared instanceof SharedFleet ? this.#shared : undefined
  }

  /** Heartbeats of the host threads: what proves to a service manager that they run. */
  beats(): ReadonlyMap<string, number> {
    return this.#supervisor.beats()
  }

  /** How many clusters are watched, and which were stopped after repeated crashes. */
  condition(): string {
    const stopped = this.#supervisor.quarantined().size
    const clusters = `${this.face.clusters().length} clusters`
    return stopped === 0 ? clusters : `${clusters}, ${stopped} stopped after repeated crashes`
  }

  /**
   * Reads the configuration again and puts it in force, or what it says of one cluster; answers what was found in it. Failures of
   * `readAgain`: nothing changes.
   */
  async reload(cluster?: string): Promise<Result<ConfigurationRemarks>> {
    let remarks = remarksOf({ ok: true, warnings: [], recognised: [] })
    const replaced = await this.clusters.replace(async (running) => {
      const read = await readAgain(this.#input, { running, cluster }, (warnings) => {
        for (const warning of warnings) this.log.write('warn', 'configuration', { warning: renderFault(warning) })
      })
      if (!read.ok) return read
      if (cluster === undefined) this.#warnings = read.value.warnings
      remarks = remarksOf(read.value, cluster)
      logLoaded(read.value.configuration, this.log.write)
      await saveOutdated(read.value, this.log.write)
      return ok(read.value.configuration)
    })
    this.announcements.publish()
    return replaced.ok ? ok(remarks) : replaced
  }

  /** Stops everything; actors get `graceMs`. `alongside` stops at the same time: the gateway, if one listens. */
  async stop(graceMs: number, alongside?: () => Promise<void>): Promise<void> {
    this.#endTimers()
    for (const part of [
      this.#configurator,
      this.#rotations,
      this.#newServers,
      this.#metrics,
      this.#graphite,
      this.#plan,
      this.#selfService,
    ])
      part.close()
    await Promise.all([
      this.#billing.close(),
      alongside?.(),
      this.#supervisor.stop(graceMs),
      this.#alerts.close(),
      this.#registration.close(),
      this.#deliveries.close(),
      this.#timelines.close(),
      this.#repository.close(),
      this.tokens.close(),
      this.browsers.close(),
    ])
    // The others take the clusters over at once, now that nothing acts here any more.
    await this.#shared?.close()
    this.#line.close()
    await Promise.all([this.security.close(), this.log.close()])
  }

  #shareFleet(options: EtcdOptions): SharedFleet {
    return new SharedFleet({ ...this.#sharingParts(), tokens: this.tokens, browsers: this.browsers, options })
  }

  /** Undefined where this manager asks no arbitrator. */
  #openArbitration(settings: Settings): Arbitration | undefined {
    const options = readArbitration(settings)
    return options && new Arbitration({ ...this.#sharingParts(), options })
  }

  #sharingParts() {
    return {
      ...{ clusters: this.clusters, log: this.log.write },
      ref: (cluster: string) => this.#supervisor.ref<ClusterProtocol>(cluster),
      begun: (cluster: string) => {
        this.#newServers.start([cluster])
        return this.#rotations.start([cluster])
      },
      changed: () => this.announcements.publish(),
    }
  }

  /** Of several instances only the owner of a cluster sends what people and programs receive. */
  #acting(): readonly string[] {
    return this.face.clusters().filter((name) => this.#shared?.speaks(name) ?? true)
  }

  #openTimelines(): Timelines {
    return new Timelines({
      directory: this.clusters.server['monitoring-datadir'],
      clusters: () => this.clusters.configuration.clusters.keys(),
      settings: (cluster) => (cluster === '' ? this.clusters.server : this.clusters.settings(cluster)),
      log: this.log.write,
      version: packageVersion,
    })
  }

  /** Of several instances each pushes what it owns, and the owner of the first cluster what concerns all. */
  #openRepository(isShared: boolean): ConfigurationRepository {
    const speaks = (cluster: string | undefined) => cluster === undefined || (this.#shared?.speaks(cluster) ?? true)
    const first = () => [...this.clusters.configuration.clusters.keys()].sort()[0]
    return new ConfigurationRepository({
      clusters: this.clusters,
      instance: isShared ? hostname() : '',
      owns: (cluster) => speaks(cluster === '' ? first() : cluster),
      changes: () => this.face,
      log: (level, code, fields) => this.security.write(level, code, fields),
    })
  }

  /** What an auditor reads is in the timelines, too. */
  #openSecurityLog(settings: Settings): SecurityLog {
    const security = createSecurityLog(settings, this.log.write)
    return {
      ...security,
      write: (level, code, fields = {}) => {
        security.write(level, code, fields)
        this.#timelines.noteSecurity(code, fields)
        this.#repository.noteLine(code, fields)
      },
    }
  }

  #openGraphite(): Graphite {
    return new Graphite({
      settings: () => this.clusters.server,
      clusters: () => this.#acting(),
      figures: (cluster) => this.#metrics.figures(cluster),
      log: this.log.write,
      now: Date.now,
    })
  }

  #openAlerts(): Alerts {
    return new Alerts({
      directory: this.clusters.server['monitoring-datadir'],
      clusters: () => this.#acting(),
      settings: (cluster) => this.#plan.forwarding(mailSettings(this.clusters.configuration, cluster)),
      view: (cluster, view) => this.face.view(cluster, view),
      isCurrent: (cluster, etag) => this.#supervisor.isCurrent(cluster, 'conditions', etag),
      own: () => this.announcements.own(),
      log: this.security.write,
      onFindings: (clusters) => this.announcements.publish(clusters.filter((name) => this.clusters.settings(name))),
    })
  }

  #openRegistration(): Registration {
    return new Registration({
      directory: this.clusters.server['monitoring-datadir'],
      settings: () => this.clusters.server,
      key: () => this.clusters.configuration.key,
      adopt: (user, values) => this.face.changeTogether(user, 'hosted', values),
      log: this.security.write,
      planChanged: () => void this.#plan.judge(),
    })
  }

  #openPlan(): PlanInForce {
    return new PlanInForce({
      settings: () => this.clusters.server,
      subscribed: () => this.#registration.plan,
      log: this.log.write,
      changed: () => {
        for (const cluster of ['', ...this.face.clusters()]) this.#alerts.changed(cluster)
        this.announcements.publish()
      },
    })
  }

  /** Of several instances only the owner of a cluster counts its time, under the term of its ownership. */
  #openBilling(): Billing {
    return new Billing({
      directory: this.clusters.server['monitoring-datadir'],
      settings: (cluster) => (cluster === '' ? this.clusters.server : this.clusters.settings(cluster)),
      clusters: () => this.face.clusters(),
      usage: (cluster) => this.#usage(cluster),
      term: (cluster) => {
        if (!this.#shared) return 0
        return this.#shared.owns(cluster) ? readTerm(this.#shared.tenure(cluster).board).token : undefined
      },
      log: this.log.write,
    })
  }

  async #usage(cluster: string): Promise<Result<Usage>> {
    const asked = await this.face.cluster(cluster)?.ask('usage', {}, { deadlineMs: USAGE_MS })
    return asked ?? fail('unknown-cluster', `no cluster ${cluster}`)
  }

  #openSelfService(): SelfService {
    return new SelfService({
      clusters: this.clusters,
      usage: (cluster) => this.#usage(cluster),
      removeServices: (cluster, user, deadlineMs) =>
        removeServices(this.face.cluster(cluster), { cluster, user, deadlineMs }),
      warn: (cluster, text) =>
        // The actor of a new cluster may be a while in starting.
        void this.#supervisor
          .ref<Pick<RuntimeProtocol, 'noted'>>(cluster)
          ?.ask('noted', { level: 'WARN', text }, { deadlineMs: HOUR }),
      mail: (settings, subject, text) => sendMail(settings, { to: settings['mail-to'], subject, text }),
      log: this.security.write,
    })
  }

  #openFleet(): FleetHub {
    const supervisor = this.#supervisor
    return new FleetHub({
      boot: Math.floor(now()).toString(36),
      clusters: () => this.face.clusters(),
      view: (cluster) => supervisor.view(cluster, 'fleet'),
      isCurrent: (cluster, etag) => supervisor.isCurrent(cluster, 'fleet', etag),
      isUp: (cluster) => supervisor.isUp(cluster),
      quarantined: () => supervisor.quarantined(),
      configured: (cluster) => configuredRow(this.clusters.settings(cluster)),
    })
  }

  #openFace(): Face {
    const events = new EventHub()
    this.#supervisor.onEvent((event) => {
      this.#timelines.note(event)
      this.log.event(event)
      if (event.level !== 'DEBUG') events.publish(event)
      if (this.#shared?.speaks(event.cluster) ?? true) this.#alerts.note(event)
      this.#fleet.note(event)
    })
    this.clusters.guard((joining) =>
      permitNewcomers(
        {
          clusters: () => this.clusters.configuration.clusters.keys(),
          settings: (name) => this.clusters.settings(name),
          holderOf: (instance, besides) => this.#instances.holderOf(instance, besides),
        },
        joining,
      ),
    )
    return new Face({
      ...{ events, clusters: this.clusters, supervisor: this.#supervisor, graphite: this.#graphite },
      ...{ deliveries: this.#deliveries, configurator: this.#configurator, rotations: this.#rotations },
      ...{ alerts: this.#alerts, fleet: this.#fleet, newServers: this.#newServers, price: this.#billing },
      ...{ timelines: this.#timelines, repository: this.#repository },
      ...{ registration: this.#registration, selfService: this.#selfService },
      areFlagsElsewhere: (name) => this.#shared instanceof SharedFleet && !this.#shared.owns(name),
      users: new Users(this.clusters, this.tokens, this.security.write),
      log: this.security.write,
      findings: () => this.announcements.own(),
      logLines: this.log.latest,
      reload: (cluster) => this.reload(cluster),
      readConfiguration: async (running, cluster) => {
        const read = await readAgain(this.#input, { running, cluster })
        return read.ok ? ok(read.value.configuration) : read
      },
      metrics: (form, request) => this.#metrics.scrape(form, request),
    })
  }

  #openAnnouncements(): Announcements {
    const announcements = new Announcements({
      clusters: () => this.clusters.configuration.clusters.keys(),
      announce: (cluster, findings) => this.clusters.announce(cluster, findings),
      sources: [
        (cluster) => configurationFindings(this.clusters.configuration, this.#warnings, cluster),
        (cluster) => this.#deliveries.findings(cluster, now()),
        (cluster) => this.#configurator.findings(cluster),
        (cluster) => this.#rotations.findings(cluster),
        (cluster) => this.#alerts.findings(cluster),
        (cluster) => this.#shared?.findings(cluster) ?? [],
      ],
    })
    announcements.include(() =>
      [...this.#supervisor.quarantined()].map(([id, reason]) => ({ code: 'ERR00118', detail: `${id}: ${reason}` })),
    )
    announcements.include(() => serverFindings(this.clusters.server))
    announcements.include(() => this.#alerts.findings(''))
    announcements.include(() => this.#plan.findings())
    announcements.include(() => this.#repository.findings())
    return announcements
  }

  /** Passes a change of settings to the parts that depend on them. */
  #followChanges(): void {
    this.clusters.listen({
      adopted: () => {
        this.announcements.publish()
        this.#repository.adopted()
        // When the gateway, which listens as well, has the new grants.
        setImmediate(() => this.#fleet.accessChanged())
      },
      changed: (cluster, names, settled) => {
        this.#alerts.changed(cluster)
        if (cluster === '') {
          void this.#plan.judge()
          this.log.set(verbosityOf(this.clusters.server))
          this.#graphite.changed()
          this.#billing.changed()
        } else {
          this.#configurator.reconfigured(cluster, settled ? [] : names)
          this.#deliveries.changed(cluster)
        }
      },
    })
  }
}

function superviseClusters(entry: URL, directory: string, log: WriteLog): Supervisor {
  return new Supervisor({
    entry,
    kinds: { cluster: { views: clusterViews } },
    onLate: (thread, lateMs) =>
      log('warn', 'thread-late', {
        ...{ thread, seconds: Math.round(lateMs / SECOND) },
        consequence: 'its clusters are not monitored until it runs',
      }),
    onCrash: (record) => {
      log('error', 'actor-crashed', { ...record })
      void recordActorCrash(directory, {
        at: record.at,
        actor: record.actor ?? record.thread,
        message: `${record.cause}: ${record.reason}; ${record.consequence}`,
        stack: record.stack ?? '',
      })
    },
  })
}
