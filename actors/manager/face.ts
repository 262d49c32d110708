// The running manager as the routes see it: joins configuration, actors, archives, needs, events and metrics.

import { readdir, readFile } from 'node:fs/promises'
import type { WriteLog } from '../../lib/base/log-codes.js'
import { sharePath } from '../../lib/base/package-root.js'
import { fail, ok, type Result } from '../../lib/base/result.js'
import { now } from '../../lib/base/time.js'
import { readAlertRules } from '../../lib/metrics/alert-rules.js'
import type { ExpositionForm, ScrapeRequest } from '../../lib/metrics/index.js'
import type { Finding } from '../../lib/model/finding.js'
import type { SettingChangeRecord } from '../../lib/model/operation/setting-change.js'
import type { Configuration } from '../../lib/settings/configuration/configuration.js'
import { publicUrl } from '../../lib/settings/configuration/public-url.js'
import { viewSettings } from '../../lib/settings/configuration/view.js'
import { notePoll } from '../../lib/store/index.js'
import type { ClusterProtocol, ClusterView, GatewayView } from '../protocol/cluster.js'
import type { ActorRef } from '../protocol/envelope.js'
import type { AlertsFace } from '../protocol/manager/alerts.js'
import type { ProxyChange, ServerChange } from '../protocol/manager/changes.js'
import type { ConfiguratorFace } from '../protocol/manager/configurator.js'
import type { Foreseen, HostFigures, ManagerFace, PublishedView, SettingView } from '../protocol/manager/face.js'
import type { FleetFace } from '../protocol/manager/fleet.js'
import type { LogLine } from '../protocol/manager/log-line.js'
import type { FilterFace } from '../protocol/manager/metric-filters.js'
import type { NewServersFace } from '../protocol/manager/new-servers.js'
import type { PriceFace } from '../protocol/manager/price.js'
import type { RegistrationFace } from '../protocol/manager/registration.js'
import type { RepositoryFace } from '../protocol/manager/repository.js'
import type { SelfServiceFace } from '../protocol/manager/self-service.js'
import type { TimelineFace } from '../protocol/manager/timeline.js'
import type { UsersFace } from '../protocol/manager/users.js'
import type { Supervisor } from '../supervisor/index.js'
import type { Alerts } from './alerts/alerts.js'
import { Changes, type ChangesParts } from './configuration/changes.js'
import type { Clusters } from './configuration/clusters.js'
import { foresee } from './configuration/foresight.js'
import { MemberLists } from './configuration/member-lists.js'
import { resolves } from './configuration/newcomers.js'
import { SettingChanges, type SettingTarget } from './configuration/setting-changes.js'
import { formTopology } from './configuration/topologies.js'
import type { Configurator } from './configurator/configurator.js'
import { notedConfigurator } from './configurator/noted.js'
import type { Deliveries } from './delivery/deliveries.js'
import { DeliveryFace } from './delivery/delivery-face.js'
import { createHostCheck } from './delivery/host-request.js'
import { askNeed, serverDirectory } from './delivery/needs.js'
import type { EventHub } from './outlet/event-hub.js'
import { hostFigures } from './outlet/host-figures.js'
import type { ConfigurationRepository } from './repository/repository.js'
import type { Rotations } from './rotation/rotations.js'
import type { SelfService } from './self-service/self-service.js'
import type { Timelines } from './timeline/timelines.js'

export interface FaceParts {
  readonly alerts: Alerts
  readonly fleet: FleetFace
  readonly timelines: Timelines
  readonly newServers: NewServersFace
  readonly registration: RegistrationFace
  readonly selfService: SelfService
  readonly graphite: FilterFace
  readonly price: PriceFace
  readonly repository: ConfigurationRepository
  readonly clusters: Clusters
  readonly supervisor: Supervisor
  readonly deliveries: Deliveries
  readonly configurator: Configurator
  readonly rotations: Rotations
  readonly users: UsersFace
  readonly events: EventHub
  readonly log: WriteLog<'info' | 'warn'>
  readonly findings: () => readonly Finding[]
  readonly logLines: ManagerFace['logLines']
  readonly reload: ChangesParts['reload']
  /** The configuration as its files give it now, read without a trace. */
  readonly readConfiguration: (running: Configuration, cluster?: string) => Promise<Result<Configuration>>
  readonly metrics: ManagerFace['metrics']
  /** Whether another instance has the flags of the servers of this cluster. */
  readonly areFlagsElsewhere: (cluster: string) => boolean
}

interface Members {
  readonly etag: string
  readonly value: GatewayView
}

export class Face extends DeliveryFace implements ManagerFace {
  readonly alerts: AlertsFace
  readonly fleet: FleetFace
  readonly newServers: NewServersFace
  readonly registration: RegistrationFace
  readonly selfService: SelfServiceFace
  readonly configurator: ConfiguratorFace
  readonly graphite: FilterFace
  readonly price: PriceFace
  readonly users: UsersFace
  readonly timeline: TimelineFace
  readonly repository: RepositoryFace
  readonly #parts: FaceParts
  readonly #settings: SettingChanges
  readonly #changes: Changes
  readonly #members = new Map<string, Members>()
  readonly #isHosts = createHostCheck()
  #running = false

  constructor(parts: FaceParts) {
    super(parts)
    this.alerts = parts.alerts
    this.fleet = parts.fleet
    this.newServers = parts.newServers
    this.registration = parts.registration
    this.selfService = parts.selfService
    this.graphite = parts.graphite
    this.price = parts.price
    this.users = parts.users
    this.timeline = parts.timelines
    this.repository = parts.repository
    this.#parts = parts
    this.#settings = new SettingChanges({
      ...{ clusters: parts.clusters, log: parts.log, now },
      recorded: (record) => {
        parts.timelines.noteSetting(record)
        parts.repository.noteSetting(record)
      },
    })
    this.configurator = notedConfigurator(parts.configurator, this.#settings)
    const shared = {
      ...{ clusters: parts.clusters, changes: this.#settings },
      members: (cluster: string) => this.members(cluster),
    }
    this.#changes = new Changes({
      ...shared,
      ...{ users: parts.users, configurator: this.configurator, log: parts.log, reload: parts.reload },
      lists: new MemberLists({ ...shared, refreshMembers: () => this.refreshMembers(), resolves }),
      sizes: (plan) => this.configurator.plans.sizes(plan),
      removed: (cluster) => this.#forget(cluster),
    })
  }

  alive(): 'starting' | 'running' {
    if (!this.#running) this.#running = this.clusters().every((name) => this.#members.get(name)?.value !== undefined)
    return this.#running ? 'running' : 'starting'
  }

  clusters(): readonly string[] {
    return [...this.#parts.clusters.configuration.clusters.keys()]
  }

  cluster(name: string): ActorRef<ClusterProtocol> | undefined {
    return this.#parts.supervisor.ref<ClusterProtocol>(name)
  }

  view(cluster: string, view: ClusterView): Promise<Result<PublishedView>> {
    return this.#parts.supervisor.view(cluster, view)
  }

  members(cluster: string): GatewayView | undefined {
    return this.#members.get(cluster)?.value
  }

  /** Reads the gateway view of a cluster again when it has changed; called with every tick of the clusters. */
  async refreshMembers(): Promise<void> {
    await Promise.all(this.clusters().map((name) => (this.#isCurrent(name) ? undefined : this.#refresh(name))))
  }

  /** Most clusters do not change: nothing is requested from them then. */
  #isCurrent(name: string): boolean {
    const known = this.#members.get(name)
    return known !== undefined && this.#parts.supervisor.isCurrent(name, 'gateway', known.etag)
  }

  async #refresh(name: string): Promise<void> {
    const view = await this.view(name, 'gateway')
    if (!view.ok || view.value.etag === this.#members.get(name)?.etag) return
    const value = JSON.parse(view.value.bytes.toString()) as GatewayView
    this.#members.set(name, { etag: view.value.etag, value })
    await this.#parts.deliveries.noteMembers(name, value)
  }

  flags(cluster: string, slot: number): number {
    return this.#parts.supervisor.flags(cluster, slot)
  }

  answerAge(cluster: string, slot: number): number | undefined {
    return this.#parts.supervisor.answerAge(cluster, slot)
  }

  quarantined(): ReadonlyMap<string, string> {
    return this.#parts.supervisor.quarantined()
  }

  findings(): readonly Finding[] {
    return this.#parts.findings()
  }

  logLines(): readonly LogLine[] {
    return this.#parts.logLines()
  }

  events(from: Parameters<ManagerFace['events']>[0], listener: Parameters<ManagerFace['events']>[1]): void {
    this.#parts.events.subscribe(from.cluster, from, listener)
  }

  addCluster(...given: Parameters<ManagerFace['addCluster']>): Promise<Result<void>> {
    return this.#changes.addCluster(...given)
  }

  deleteCluster(...given: Parameters<ManagerFace['deleteCluster']>): Promise<Result<void>> {
    return this.#changes.deleteCluster(...given)
  }

  addServer(change: ServerChange): Promise<Result<void>> {
    return this.#changes.addServer(change)
  }

  dropServer(change: ServerChange): Promise<Result<void>> {
    return this.#changes.dropServer(change)
  }

  addProxy(change: ProxyChange): Promise<Result<void>> {
    return this.#changes.addProxy(change)
  }

  dropProxy(change: ProxyChange): Promise<Result<void>> {
    return this.#changes.dropProxy(change)
  }

  rateServer(...given: Parameters<ManagerFace['rateServer']>): Promise<Result<void>> {
    return this.#changes.rateServer(...given)
  }

  foresee(change: Parameters<ManagerFace['foresee']>[0]): Promise<Result<Foreseen>> {
    const { clusters, configurator, readConfiguration } = this.#parts
    return foresee(
      {
        ...{ clusters, changes: this.#settings, read: readConfiguration },
        members: (cluster) => this.members(cluster),
        sizes: (plan) => this.configurator.plans.sizes(plan),
        tags: (rehearsed) => configurator.rehearsal(rehearsed),
        compare: (cluster, before, after) => configurator.compare(cluster, before, after),
      },
      change,
    )
  }

  formTopology(request: Parameters<ManagerFace['formTopology']>[0]): ReturnType<ManagerFace['formTopology']> {
    return formTopology(
      this.#parts.clusters,
      { actor: this.cluster(request.cluster), regenerate: (name) => this.#parts.deliveries.regenerate(name) },
      request,
    )
  }

  settings(cluster: string): readonly SettingView[] {
    return viewSettings(this.#parts.clusters.configuration, cluster)
  }

  setSetting(change: Parameters<ManagerFace['setSetting']>[0]): Promise<Result<SettingView>> {
    return this.#changes.setSetting(change)
  }

  editSettings(...given: Parameters<ManagerFace['editSettings']>): Promise<Result<void>> {
    return this.#changes.editSettings(...given)
  }

  /** Several settings of the server as one change, recorded and undone as one: all of them or none. */
  changeTogether(user: string, name: string, values: Readonly<Record<string, unknown>>): Promise<Result<SettingView>> {
    return this.#settings.setTogether({ cluster: '', name, user }, values)
  }

  switchSetting(target: SettingTarget, on?: boolean): Promise<Result<SettingView>> {
    return this.#changes.switchSetting(target, on)
  }

  clearSetting(target: SettingTarget): Promise<Result<SettingView>> {
    return this.#changes.clearSetting(target)
  }

  settingChanges(cluster: string): Promise<readonly SettingChangeRecord[]> {
    return this.#changes.settingChanges(cluster)
  }

  undoSetting(...given: Parameters<ManagerFace['undoSetting']>): Promise<Result<SettingView>> {
    return this.#changes.undoSetting(...given)
  }

  reloadSettings(user: string, cluster?: string) {
    return this.#changes.reloadSettings(user, cluster)
  }

  async need({ cluster, server, need, consume, by }: Parameters<ManagerFace['need']>[0]): Promise<boolean> {
    const settings = this.#parts.clusters.settings(cluster)
    const view = this.members(cluster)
    const proxy = view?.proxies.find(({ id }) => id === server)
    const member = view?.servers.find(({ id }) => id === server) ?? proxy
    if (!settings || !member) return false
    // Nobody owns it for a moment: the host asks again.
    if (need !== 'config-fetch' && this.#parts.areFlagsElsewhere(cluster)) return false
    const directory = serverDirectory(settings['monitoring-datadir'], cluster, member)
    // A start that fetches its configuration is no host that would act. Before the answer: a flag that is set right after it must
    // find that the host asks.
    const hosts = [...(view?.servers ?? []), ...(view?.proxies ?? [])].map(({ host }) => host)
    const networks = settings['api-config-download-addresses']
    if (by && need !== 'config-fetch' && (await this.#isHosts({ cluster, host: member.host, hosts, by, networks })))
      await notePoll(directory, now())
    return askNeed({
      directory,
      need,
      consume,
      fetchOnStart: settings[proxy ? 'prov-proxy-start-fetch-config' : 'prov-db-start-fetch-config'],
    })
  }

  async repositoryComponent(): Promise<Result<string>> {
    const file = sharePath('repocomp', 'current')
    return readFile(file, 'utf8').then(ok, (error: Error) => fail('file-unreadable', `${file}: ${error.message}`))
  }

  async terms(): Promise<Result<string>> {
    const file = sharePath('terms.md')
    return readFile(file, 'utf8').then(ok, (error: Error) => fail('file-unreadable', `${file}: ${error.message}`))
  }

  async dashboards(): Promise<Result<readonly string[]>> {
    const folder = sharePath('grafana')
    return readdir(folder).then(
      (names) => ok(names.filter((name) => /\.(json|ini)$/.test(name)).sort()),
      (error: Error) => fail('file-unreadable', `${folder}: ${error.message}`),
    )
  }

  alertRules(): Promise<Result<string>> {
    return readAlertRules(publicUrl(this.#parts.clusters.server))
  }

  hostFigures(): Promise<HostFigures> {
    return hostFigures(this.#parts.clusters.server['monitoring-datadir'])
  }

  metrics(form: ExpositionForm, request: ScrapeRequest): AsyncIterable<Buffer> {
    return this.#parts.metrics(form, request)
  }

  #forget(cluster: string): void {
    this.#members.delete(cluster)
    const { alerts, deliveries, configurator, events, rotations, timelines } = this.#parts
    for (const part of [alerts, deliveries, configurator, events, rotations, timelines]) part.forget(cluster)
    this.#parts.selfService.forget()
  }
}
