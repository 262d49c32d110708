// The running manager as the routes see it: joins configuration, actors, archives, needs, events and metrics.

import { readdir, readFile } from 'node:fs/promises'
import { sharePath } from '../../lib/base/package-root.js'
import { done, fail, ok, type Result } from '../../lib/base/result.js'
import { now } from '../../lib/base/time.js'
import { readAlertRules } from '../../lib/metrics/alert-rules.js'
import type { ExpositionForm, ScrapeRequest } from '../../lib/metrics/index.js'
import type { Finding } from '../../lib/model/finding.js'
import type { SettingChangeRecord } from '../../lib/model/operation/setting-change.js'
import { addressText, type Rating, type ServerId } from '../../lib/model/server/server.js'
import { viewSettings } from '../../lib/settings/configuration/view.js'
import { findSetting } from '../../lib/settings/index.js'
import { notePoll } from '../../lib/store/index.js'
import type { ClusterProtocol, ClusterView, GatewayView } from '../protocol/cluster.js'
import type { ActorRef } from '../protocol/envelope.js'
import type { AlertsFace } from '../protocol/manager/alerts.js'
import type { ConfiguratorFace } from '../protocol/manager/configurator.js'
import type { HostFigures, ManagerFace, PublishedView, SettingView } from '../protocol/manager/face.js'
import type { LogLine } from '../protocol/manager/log-line.js'
import type { FilterFace } from '../protocol/manager/metric-filters.js'
import type { UsersFace } from '../protocol/manager/users.js'
import type { Supervisor } from '../supervisor/index.js'
import type { Alerts } from './alerts/alerts.js'
import type { Clusters } from './configuration/clusters.js'
import {
  lasting,
  MemberLists,
  normal,
  noValue,
  type ProxyChange,
  type ServerChange,
} from './configuration/member-lists.js'
import { SettingChanges, type SettingTarget } from './configuration/setting-changes.js'
import { formTopology } from './configuration/topologies.js'
import type { Configurator } from './configurator/configurator.js'
import { notedConfigurator } from './configurator/noted.js'
import type { Deliveries } from './delivery/deliveries.js'
import { DeliveryFace } from './delivery/delivery-face.js'
import { askNeed, serverDirectory } from './delivery/needs.js'
import type { EventHub } from './outlet/event-hub.js'
import { hostFigures } from './outlet/host-figures.js'
import type { Rotations } from './rotation/rotations.js'

export interface FaceParts {
  readonly alerts: Alerts
  readonly graphite: FilterFace
  readonly clusters: Clusters
  readonly supervisor: Supervisor
  readonly deliveries: Deliveries
  readonly configurator: Configurator
  readonly rotations: Rotations
  readonly users: UsersFace
  readonly events: EventHub
  readonly log: (level: 'info' | 'warn', text: string, fields: Readonly<Record<string, unknown>>) => void
  readonly findings: () => readonly Finding[]
  readonly logLines: ManagerFace['logLines']
  readonly reload: () => Promise<Result<void>>
  readonly metrics: ManagerFace['metrics']
}

interface Members {
  readonly etag: string
  readonly value: GatewayView
}

export class Face extends DeliveryFace implements ManagerFace {
  readonly alerts: AlertsFace
  readonly configurator: ConfiguratorFace
  readonly graphite: FilterFace
  readonly users: UsersFace
  readonly #parts: FaceParts
  readonly #changes: SettingChanges
  readonly #lists: MemberLists
  readonly #members = new Map<string, Members>()
  #running = false

  constructor(parts: FaceParts) {
    super(parts)
    this.alerts = parts.alerts
    this.graphite = parts.graphite
    this.users = parts.users
    this.#parts = parts
    this.#changes = new SettingChanges({ clusters: parts.clusters, log: parts.log, now })
    this.configurator = notedConfigurator(parts.configurator, this.#changes)
    this.#lists = new MemberLists({
      clusters: parts.clusters,
      changes: this.#changes,
      members: (cluster) => this.members(cluster),
      refreshMembers: () => this.refreshMembers(),
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

  async addCluster(...[name, form, user]: Parameters<ManagerFace['addCluster']>): Promise<Result<void>> {
    const sizes = this.configurator.plans.sizes(form.plan)
    if (!sizes.ok) return sizes
    const values = { ...(form.orchestrator ? { 'prov-orchestrator': form.orchestrator } : {}), ...sizes.value }
    return this.#noted(await this.#parts.clusters.add(name, values), 'cluster-added', { cluster: name, user })
  }

  async deleteCluster(name: string, user: string): Promise<Result<void>> {
    const removed = await this.#parts.clusters.remove(name)
    if (removed.ok) {
      this.#members.delete(name)
      const { alerts, deliveries, configurator, events, rotations } = this.#parts
      for (const part of [alerts, deliveries, configurator, events, rotations]) part.forget(name)
    }
    return this.#noted(removed, 'cluster-deleted', { cluster: name, user })
  }

  addServer(cluster: string, address: string, user: string): Promise<Result<void>> {
    const change = { cluster, address, user }
    return this.#listed(this.#lists.addServer(change), 'server-added', change)
  }

  dropServer(cluster: string, address: string, user: string): Promise<Result<void>> {
    const change = { cluster, address, user }
    return this.#listed(this.#lists.dropServer(change), 'server-dropped', change)
  }

  addProxy(change: ProxyChange): Promise<Result<void>> {
    return this.#listed(this.#lists.addProxy(change), 'proxy-added', change)
  }

  dropProxy(change: ProxyChange): Promise<Result<void>> {
    return this.#listed(this.#lists.dropProxy(change), 'proxy-dropped', change)
  }

  /** Rewrites the lists of preferred and ignored servers as settings: they survive restarts and are visible there. */
  async rateServer(
    { cluster, server, user }: { readonly cluster: string; readonly server: ServerId; readonly user: string },
    rating: Rating,
  ): Promise<Result<void>> {
    const settings = this.#parts.clusters.settings(cluster)
    const member = this.members(cluster)?.servers.find(({ id }) => id === server)
    if (!settings || !member) return fail('unknown-server', `${cluster} has no server ${server}`)
    const address = addressText(member)
    let lasts = {}
    for (const [name, wanted] of [
      ['db-servers-prefered-master', 'preferred'],
      ['db-servers-ignored-hosts', 'ignored'],
    ] as const) {
      const others = settings[name].filter((entry) => normal(entry) !== address && entry !== member.name)
      const list = rating === wanted ? [...others, address] : others
      const changed = await this.#changes.set({ cluster, name, user }, list.join(','))
      if (!changed.ok) return changed
      lasts = { ...lasts, ...lasting(changed) }
    }
    return this.#noted(done, 'server-rated', { cluster, server: address, rating, user, ...lasts })
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

  async setSetting({ value, ...target }: Parameters<ManagerFace['setSetting']>[0]): Promise<Result<SettingView>> {
    // A plan is more than its name: its sizes become settings of the cluster, too.
    const isPlan = findSetting(target.name) === 'prov-service-plan' && target.cluster !== '' && value !== ''
    if (!isPlan) return this.#changes.set(target, value)
    const sizes = this.configurator.plans.sizes(value)
    return sizes.ok ? this.#changes.setTogether(target, sizes.value) : sizes
  }

  switchSetting(target: SettingTarget, on?: boolean): Promise<Result<SettingView>> {
    return this.#changes.switch(target, on)
  }

  clearSetting(target: SettingTarget): Promise<Result<SettingView>> {
    return this.#changes.clear(target)
  }

  settingChanges(cluster: string): Promise<readonly SettingChangeRecord[]> {
    return this.#changes.list(cluster)
  }

  undoSetting(...[requester, change]: Parameters<ManagerFace['undoSetting']>): Promise<Result<SettingView>> {
    return this.#changes.undo(requester, change)
  }

  async reloadSettings(user: string): Promise<Result<void>> {
    return this.#noted(await this.#parts.reload(), 'settings-reloaded', { user })
  }

  async need({ cluster, server, need, consume }: Parameters<ManagerFace['need']>[0]): Promise<boolean> {
    const settings = this.#parts.clusters.settings(cluster)
    const view = this.members(cluster)
    const proxy = view?.proxies.find(({ id }) => id === server)
    const member = view?.servers.find(({ id }) => id === server) ?? proxy
    if (!settings || !member) return false
    const directory = serverDirectory(settings['monitoring-datadir'], cluster, member)
    void notePoll(directory, now())
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
    return readAlertRules(this.#parts.clusters.server['api-public-url'])
  }

  hostFigures(): Promise<HostFigures> {
    return hostFigures(this.#parts.clusters.server['monitoring-datadir'])
  }

  metrics(form: ExpositionForm, request: ScrapeRequest): AsyncIterable<Buffer> {
    return this.#parts.metrics(form, request)
  }

  async #listed(
    changing: Promise<Result<SettingView>>,
    code: string,
    change: ServerChange & Partial<ProxyChange>,
  ): Promise<Result<void>> {
    const changed = await changing
    return this.#noted(noValue(changed), code, { ...change, ...lasting(changed) })
  }

  #noted<T>(result: Result<T>, code: string, fields: Readonly<Record<string, unknown>>): Result<T> {
    if (result.ok) this.#parts.log('info', code, fields)
    else this.#parts.log('warn', code, { ...fields, refused: result.failure.message })
    return result
  }
}
