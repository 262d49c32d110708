// The running manager without its gateway: configuration, actors and services, started in order and stopped in reverse.
import path from 'node:path'
import { sharePath } from '../../lib/base/package-root.js'
import { fail, ok, type Result } from '../../lib/base/result.js'
import { now } from '../../lib/base/time.js'
import { type Fault, renderFault } from '../../lib/settings/configuration/fault.js'
import { type Loaded, type LoadInput, loadConfiguration } from '../../lib/settings/load/load.js'
import { ApiTokens, recordActorCrash } from '../../lib/store/index.js'
import { type ArchiveService, createArchiveService } from '../archive/archives.js'
import { type ClusterProtocol, clusterViews } from '../protocol/cluster.js'
import { Supervisor } from '../supervisor/index.js'
import { Alerts } from './alerts/alerts.js'
import { Announcements } from './announcements.js'
import { Clusters } from './configuration/clusters.js'
import { configurationFindings } from './configuration/configuration-findings.js'
import { logLoaded } from './configuration/log-loaded.js'
import { permitNewcomers } from './configuration/newcomers.js'
import { saveOutdated } from './configuration/save-outdated.js'
import { Users } from './configuration/users.js'
import { Configurator } from './configurator/configurator.js'
import { listTags } from './configurator/tags.js'
import { Deliveries } from './delivery/deliveries.js'
import { offerTags } from './delivery/offered-tags.js'
import { Face } from './face.js'
import { EventHub } from './outlet/event-hub.js'
import { Graphite } from './outlet/graphite.js'
import { type Log, type ManagerLog, verbosityOf } from './outlet/log.js'
import { type Metrics, openMetrics } from './outlet/metrics.js'
import { openLog } from './outlet/open-log.js'
import { createSecurityLog, type SecurityLog } from './outlet/security-log.js'
import { Rotations } from './rotation/rotations.js'

/** How soon a changed membership of a cluster is known to the gateway. */
const MEMBERS_MS = 100

/** A configuration without faults. */
export type ValidConfiguration = Extract<Loaded, { readonly ok: true }>

export interface ManagerStart {
  readonly loaded: ValidConfiguration
  /** The sources of the configuration: a reload reads them again. */
  readonly input: LoadInput
  /** The entry module of host threads. */
  readonly hostEntry: URL
}

/** Opens what can fail before anything runs. Failures: log file, rules and working directory that cannot be used. */
export async function openManager(start: ManagerStart): Promise<Result<Manager>> {
  const { settings } = start.loaded.configuration.server
  const directory = settings['monitoring-datadir']
  const log = await openLog(settings)
  if (!log.ok) return log
  logLoaded(start.loaded.configuration, log.value.write)
  await saveOutdated(start.loaded, log.value.write)
  const archives = await createArchiveService({ rulesDir: sharePath('rules', 'database'), workingDir: directory })
  if (!archives.ok) return archives
  const { tokens, damage } = await ApiTokens.open(path.join(directory, 'api-tokens.json'))
  for (const problem of damage) log.value.write('error', 'api-tokens-damaged', { problem })
  return ok(new Manager({ ...start, log: log.value, archives: archives.value, tokens }))
}

interface Opened extends ManagerStart {
  readonly log: ManagerLog
  readonly archives: ArchiveService
  readonly tokens: ApiTokens
}

export class Manager {
  readonly tokens: ApiTokens
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
  readonly #graphite: Graphite
  readonly #alerts: Alerts
  readonly #metrics: Metrics
  #warnings: readonly Fault[]
  #endTimers: () => void = () => undefined

  constructor({ loaded, input, hostEntry, log, archives, tokens }: Opened) {
    const { configuration, warnings } = loaded
    this.log = log
    this.#input = input
    this.#warnings = warnings
    this.tokens = tokens
    this.security = createSecurityLog(configuration.server.settings, log.write)
    const rules = { database: archives.rules, proxy: archives.proxyRules }
    offerTags(listTags(rules))
    this.#supervisor = superviseClusters(hostEntry, configuration.server.settings['monitoring-datadir'], log.write)
    this.clusters = new Clusters(this.#supervisor, configuration)
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
    this.#rotations = new Rotations(shared)
    this.#metrics = openMetrics({
      supervisor: this.#supervisor,
      face: () => this.face,
      settings: () => this.clusters.server,
      securityEvents: this.security.counts,
    })
    this.#graphite = this.#openGraphite()
    this.#alerts = this.#openAlerts()
    this.face = this.#openFace()
    this.announcements = this.#openAnnouncements()
  }

  /** Starts the actors of all clusters and what monitors them. Failure: an actor that cannot be added. */
  start(): Result<void> {
    this.#followChanges()
    const started = this.clusters.start()
    if (!started.ok) return started
    this.announcements.publish()
    const members = setInterval(() => void this.face.refreshMembers(), MEMBERS_MS)
    this.#endTimers = () => clearInterval(members)
    const names = this.face.clusters()
    this.#configurator.start(names)
    for (const name of names) this.#deliveries.changed(name)
    void this.#configurator.plans.start()
    void this.#rotations.start(names)
    void this.#alerts.start()
    return started
  }

  /** Reads the configuration again and puts it in force. Failure: `bad-configuration` with every fault; nothing changes. */
  async reload(): Promise<Result<void>> {
    const replaced = await this.clusters.replace(async (running) => {
      const read = await loadConfiguration(this.#input, running)
      for (const warning of read.warnings) this.log.write('warn', 'configuration', { warning: renderFault(warning) })
      if (!read.ok) return fail('bad-configuration', read.faults.map(renderFault).join('\n'))
      this.#warnings = read.warnings
      logLoaded(read.configuration, this.log.write)
      await saveOutdated(read, this.log.write)
      return ok(read.configuration)
    })
    this.announcements.publish()
    return replaced
  }

  /** Stops everything; actors get `graceMs`. `alongside` stops at the same time: the gateway, if one listens. */
  async stop(graceMs: number, alongside?: () => Promise<void>): Promise<void> {
    this.#endTimers()
    for (const part of [this.#configurator, this.#rotations, this.#metrics, this.#graphite]) part.close()
    await Promise.all([
      alongside?.(),
      this.#supervisor.stop(graceMs),
      this.#alerts.close(),
      this.#deliveries.close(),
      this.tokens.close(),
    ])
    await Promise.all([this.security.close(), this.log.close()])
  }

  #openGraphite(): Graphite {
    return new Graphite({
      settings: () => this.clusters.server,
      clusters: () => this.face.clusters(),
      figures: (cluster) => this.#metrics.figures(cluster),
      log: this.log.write,
      now: Date.now,
    })
  }

  #openAlerts(): Alerts {
    return new Alerts({
      directory: this.clusters.server['monitoring-datadir'],
      clusters: () => this.face.clusters(),
      settings: (cluster) => (cluster === '' ? this.clusters.server : this.clusters.settings(cluster)),
      view: (cluster, view) => this.face.view(cluster, view),
      own: () => this.announcements.own(),
      log: this.security.write,
      onFindings: (clusters) => this.announcements.publish(clusters.filter((name) => this.clusters.settings(name))),
    })
  }

  #openFace(): Face {
    const events = new EventHub()
    this.#supervisor.onEvent((event) => {
      this.log.event(event)
      if (event.level !== 'DEBUG') events.publish(event)
      this.#alerts.note(event)
    })
    this.clusters.guard((joining) =>
      permitNewcomers(
        {
          clusters: () => this.clusters.configuration.clusters.keys(),
          settings: (name) => this.clusters.settings(name),
          ref: (name) => this.#supervisor.ref<ClusterProtocol>(name),
        },
        joining,
      ),
    )
    return new Face({
      ...{ events, clusters: this.clusters, supervisor: this.#supervisor, graphite: this.#graphite },
      ...{ deliveries: this.#deliveries, configurator: this.#configurator, rotations: this.#rotations },
      alerts: this.#alerts,
      users: new Users(this.clusters, this.tokens, this.security.write),
      log: this.security.write,
      findings: () => this.announcements.own(),
      logLines: this.log.latest,
      reload: () => this.reload(),
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
      ],
    })
    announcements.include(() =>
      [...this.#supervisor.quarantined()].map(([id, reason]) => ({ code: 'ERR00118', detail: `${id}: ${reason}` })),
    )
    announcements.include(() => this.#alerts.findings(''))
    return announcements
  }

  /** Passes a change of settings to the parts that depend on them. */
  #followChanges(): void {
    this.clusters.listen({
      adopted: () => this.announcements.publish(),
      changed: (cluster, names, settled) => {
        this.#alerts.changed(cluster)
        if (cluster === '') {
          this.log.set(verbosityOf(this.clusters.server))
          this.#graphite.changed()
        } else {
          this.#configurator.reconfigured(cluster, settled ? [] : names)
          this.#deliveries.changed(cluster)
        }
      },
    })
  }
}

function superviseClusters(entry: URL, directory: string, log: Log): Supervisor {
  return new Supervisor({
    entry,
    kinds: { cluster: { views: clusterViews } },
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
