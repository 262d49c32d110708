// A manager without clusters behind it: what the gateway sees of one, kept in plain values that a spec sets.

import { Readable } from 'node:stream'
import { createGzip } from 'node:zlib'
import type { ClusterProtocol, ClusterView, GatewayView, OperationTicket } from '../../../actors/protocol/cluster.js'
import type { ActorRef } from '../../../actors/protocol/envelope.js'
import type { AlertsFace } from '../../../actors/protocol/manager/alerts.js'
import type { CertificateView } from '../../../actors/protocol/manager/certificate-view.js'
import type { ConfiguratorFace } from '../../../actors/protocol/manager/configurator.js'
import type { Foreseen, HostFigures, ManagerFace, PublishedView } from '../../../actors/protocol/manager/face.js'
import type { FleetFace } from '../../../actors/protocol/manager/fleet.js'
import type { LogLine } from '../../../actors/protocol/manager/log-line.js'
import type { FilterFace } from '../../../actors/protocol/manager/metric-filters.js'
import type { NewServersFace } from '../../../actors/protocol/manager/new-servers.js'
import type { PriceFace } from '../../../actors/protocol/manager/price.js'
import type { RegistrationFace } from '../../../actors/protocol/manager/registration.js'
import type { RepositoryFace } from '../../../actors/protocol/manager/repository.js'
import type { SelfServiceFace } from '../../../actors/protocol/manager/self-service.js'
import type { TimelineFace } from '../../../actors/protocol/manager/timeline.js'
import type { UsersFace } from '../../../actors/protocol/manager/users.js'
import type { DownloadPolicy } from '../../../lib/access/download.js'
import { done, fail, ok, type Result } from '../../../lib/base/result.js'
import type { ExpositionForm, ScrapeRequest } from '../../../lib/metrics/index.js'
import type { ClusterEvent } from '../../../lib/model/event.js'
import type { FleetRow } from '../../../lib/model/fleet/row.js'
import type { Rotation } from '../../../lib/model/operation/rotation.js'
import type { SettingChangeRecord } from '../../../lib/model/operation/setting-change.js'
import { fakeAlerts } from './fake-alerts.js'
import { fakeConfigurator } from './fake-configurator.js'
import { fakeNewServers } from './fake-new-servers.js'
import { fakePrice } from './fake-price.js'
import { fakeRegistration } from './fake-registration.js'
import { fakeRepository } from './fake-repository.js'
import { fakeSelfService } from './fake-self-service.js'
import { fakeTimeline } from './fake-timeline.js'
import { fakeUsers } from './fake-users.js'
import { fleetRowOf } from './fleet-rows.js'

/** An ask that the fake was given. */
export interface RecordedAsk {
  readonly cluster: string
  readonly type: string
  readonly payload: unknown
}

export class FakeFace implements ManagerFace {
  /** The filter lists of every cluster. */
  graphite: FilterFace = {
    lists: async () => ok({ whitelist: '', blacklist: '' }),
    setList: async () => done,
    reloadLists: async () => done,
    resetLists: async () => done,
  }
  price: PriceFace = fakePrice()
  timeline: TimelineFace = fakeTimeline()
  repository: RepositoryFace = fakeRepository()
  newServers: NewServersFace = fakeNewServers()
  registration: RegistrationFace = fakeRegistration()
  selfService: SelfServiceFace = fakeSelfService()
  state: 'starting' | 'running' = 'running'
  readonly names = new Set(['c1', 'c2'])
  readonly asks: RecordedAsk[] = []
  /** Answer to every ask. */
  reply: Result<unknown> = done
  readonly views = new Map<string, PublishedView>()
  readonly gatewayViews = new Map<string, GatewayView>()
  readonly flagWords = new Map<string, number>()
  readonly answerAges = new Map<string, number>()
  readonly stopped = new Map<string, string>()
  readonly past: ClusterEvent[] = []
  readonly listeners = new Set<(event: ClusterEvent) => void>()
  metricPieces: (form: ExpositionForm) => AsyncIterable<Buffer> = async function* () {}
  /** Whether `metricPieces` gives packed bytes when it is asked for them. */
  packsMetrics = false
  archiveFile: Result<{ bytes: Buffer; etag: string }> = fail('archive-missing', 'none built')
  needed = false

  constructor() {
    this.gatewayViews.set('c1', {
      servers: [
        { id: 'db1', name: 'alpha', host: '10.0.0.1', port: 3306, slot: 0 },
        { id: 'db2', name: 'beta', host: '10.0.0.2', port: 3306, slot: 1 },
        { id: 'db3', name: 'twin:1', host: 'twin', port: 3307, slot: 2 },
        { id: 'db4', name: 'twin:2', host: 'twin', port: 3308, slot: 3 },
      ],
      proxies: [{ id: 'px1', name: '10.0.0.9:1999', host: '10.0.0.9', port: 1999 }],
      primary: 'db1',
      active: true,
    })
  }

  alive() {
    return this.state
  }
  clusters() {
    return [...this.names]
  }
  cluster(name: string): ActorRef<ClusterProtocol> | undefined {
    if (!this.names.has(name)) return undefined
    const ask = async (type: string, payload: unknown) => {
      this.asks.push({ cluster: name, type, payload })
      return this.reply as Result<never>
    }
    return { id: name, ask, tell: () => {} }
  }
  async view(cluster: string, view: ClusterView): Promise<Result<PublishedView>> {
    const found = this.views.get(`${cluster}/${view}`)
    return found ? ok(found) : fail('actor-gone', 'not published')
  }
  members(cluster: string) {
    return this.gatewayViews.get(cluster)
  }
  flags(cluster: string, slot: number) {
    return this.flagWords.get(`${cluster}/${slot}`) ?? 0
  }
  answerAge(cluster: string, slot: number) {
    return this.answerAges.get(`${cluster}/${slot}`)
  }
  quarantined() {
    return this.stopped
  }
  findings() {
    return []
  }
  lines: readonly LogLine[] = []
  logLines() {
    return this.lines
  }
  events({ after, signal }: Parameters<ManagerFace['events']>[0], listener: Parameters<ManagerFace['events']>[1]) {
    if (after !== undefined) for (const event of this.past.filter(({ id }) => id > after)) listener(event)
    this.listeners.add(listener)
    signal.addEventListener('abort', () => this.listeners.delete(listener))
  }
  /** Sends an event to all listeners. */
  emit(id: number, text = 'something happened') {
    const event: ClusterEvent = { id, at: 0, cluster: 'c1', kind: 'state', level: 'INFO', text }
    this.past.push(event)
    for (const listener of this.listeners) listener(event)
  }
  async addCluster() {
    return done
  }
  async deleteCluster() {
    return done
  }
  async addServer() {
    return done
  }
  async dropServer() {
    return done
  }
  async addProxy() {
    return done
  }
  async dropProxy() {
    return done
  }
  async rateServer() {
    return done
  }
  async formTopology(): Promise<Result<OperationTicket>> {
    return fail('operation-running', 'none')
  }
  async rotatePasswords(): Promise<Result<Rotation>> {
    return fail('operation-running', 'none')
  }
  async planRotation(): Promise<Result<{ readonly users: readonly string[] }>> {
    return fail('operation-running', 'none')
  }
  async cancelRotation(): Promise<Result<Rotation>> {
    return fail('unsupported', 'not here')
  }
  rotation(): Rotation | undefined {
    return undefined
  }
  settings() {
    return []
  }
  async setSetting() {
    return fail('unknown-setting', 'none')
  }
  async editSettings(): Promise<Result<void>> {
    return fail('unknown-setting', 'none')
  }
  async switchSetting() {
    return fail('unknown-setting', 'none')
  }
  async clearSetting() {
    return fail('unknown-setting', 'none')
  }
  async settingChanges(): Promise<readonly SettingChangeRecord[]> {
    return []
  }
  async undoSetting() {
    return fail('unknown-change', 'none')
  }
  async reloadSettings() {
    return ok({ ok: true, faults: [], warnings: [], recognised: [] })
  }
  /** What a rehearsed change comes to. */
  foreseen: Foreseen = { clusters: { added: [], removed: [] }, settings: [], users: [], servers: [] }
  /** The change is made to a manager of its own. */
  async foresee(change: Parameters<ManagerFace['foresee']>[0]): Promise<Result<Foreseen>> {
    const made = await change(new FakeFace())
    return made.ok ? ok(this.foreseen) : made
  }
  users: UsersFace = fakeUsers((_name, _given, value) => ok(value))
  fleetRows: readonly FleetRow[] = [fleetRowOf('c1'), fleetRowOf('c2')]
  fleet: FleetFace = {
    list: async (sees) => ({ rows: this.fleetRows.filter(({ name }) => sees(name)), etag: 'boot.1' }),
    follow: ({ sees }, reader) =>
      reader.snapshot(
        this.fleetRows.filter(({ name }) => sees(name)),
        'boot-1',
      ),
  }
  alerts: AlertsFace = fakeAlerts((_name, _given, value) => ok(value))
  configurator: ConfiguratorFace = fakeConfigurator((_name, _given, value) => ok(value))
  async archive() {
    return this.archiveFile
  }
  policy: DownloadPolicy = { secure: false, addresses: [], tokens: false }
  downloadPolicy() {
    return this.policy
  }
  readonly downloads: Readonly<Record<string, unknown>>[] = []
  async delivered() {}
  noteDownload(fields: Readonly<Record<string, unknown>>) {
    this.downloads.push(fields)
  }
  /** Tokens that open an archive. */
  readonly tokens = new Set<string>()
  async makeBootstrapToken(): Promise<Result<{ token: string; expiresAt: number }>> {
    return ok({ token: 'mbt_made', expiresAt: 0 })
  }
  async acceptPublicKey(..._given: readonly unknown[]): Promise<Result<void>> {
    return ok(undefined)
  }
  async checkBootstrapToken({ token, spend }: { token: string; spend: boolean }) {
    return spend ? this.tokens.delete(token) : this.tokens.has(token)
  }
  async certificates(): Promise<Result<readonly CertificateView[]>> {
    return ok([])
  }
  async certify(
    ..._given: readonly unknown[]
  ): Promise<Result<{ changed: boolean; built: number; unchanged: number }>> {
    return ok({ changed: true, built: 1, unchanged: 2 })
  }
  async regenerateArchives() {
    return ok({ built: 0, unchanged: 0 })
  }
  async need() {
    return this.needed
  }
  async repositoryComponent(): Promise<Result<string>> {
    return ok('manager 0.1.0\n')
  }
  async terms(): Promise<Result<string>> {
    return ok('# Terms of use\n')
  }
  async alertRules(): Promise<Result<string>> {
    return ok('groups:\n')
  }
  async dashboards(): Promise<Result<readonly string[]>> {
    return ok(['overview.json'])
  }
  async hostFigures(): Promise<HostFigures> {
    return {
      host: {
        ...{ hostname: 'monitor1', cpuCores: 4, cpuPercent: 3.5 },
        ...{ memoryTotalBytes: 8_000, memoryUsedBytes: 2_000, memoryUsedPercent: 25 },
        ...{ diskPath: '/data', diskTotalBytes: 100, diskUsedBytes: 20, diskUsedPercent: 20 },
      },
      process: { pid: 1, rssBytes: 3, heapAllocBytes: 1, heapSysBytes: 2, goroutines: 4, uptimeSeconds: 5 },
    }
  }
  metrics(form: ExpositionForm, _request: ScrapeRequest = {}): AsyncIterable<Buffer> {
    const pieces = this.metricPieces(form)
    // What a spec sets here is plain text.
    return form === 'gzip' && !this.packsMetrics ? Readable.from(pieces).pipe(createGzip()) : pieces
  }
}
