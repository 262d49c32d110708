// A fake manager with one healthy cluster `demo` whose every answer can be replaced by one failure.

import type { ClusterProtocol, OperationTicket } from '../../../actors/protocol/cluster.js'
import { type ClusterView, clusterViews, type GatewayView } from '../../../actors/protocol/cluster.js'
import type { ActorRef } from '../../../actors/protocol/envelope.js'
import type { PublishedView, SettingView } from '../../../actors/protocol/manager/face.js'
import type { FilterFace } from '../../../actors/protocol/manager/metric-filters.js'
import { exampleFound, exampleRecovery } from '../../../http/api/rows/recovery/point.js'
import { exampleChecksum, exampleRepair } from '../../../http/api/rows/schema/checksums.js'
import { exampleSchema } from '../../../http/api/rows/schema/schema.js'
import { exampleDivergence, exampleDivergencePlan } from '../../../http/api/rows/server/divergence.js'
import { examplePlan } from '../../../http/api/rows/server/returns.js'
import { renderClusterViews } from '../../../http/api/views/index.js'
import { type Failure, ok, type Result } from '../../../lib/base/result.js'
import type { Appointment } from '../../../lib/model/operation/appointment.js'
import type { Job } from '../../../lib/model/operation/job.js'
import type { Operation } from '../../../lib/model/operation/operation.js'
import type { Roll } from '../../../lib/model/operation/roll.js'
import type { Rotation } from '../../../lib/model/operation/rotation.js'
import type { ServiceSpec } from '../../../lib/model/operation/services.js'
import type { SettingChangeRecord } from '../../../lib/model/operation/setting-change.js'
import { fakeAlerts } from './fake-alerts.js'
import { fakeConfigurator } from './fake-configurator.js'
import { FakeFace } from './fake-face.js'
import { fakeNewServers } from './fake-new-servers.js'
import { fakePrice } from './fake-price.js'
import { fakeRegistration } from './fake-registration.js'
import { fakeRepository } from './fake-repository.js'
import { fakeSelfService } from './fake-self-service.js'
import { fakeTimeline } from './fake-timeline.js'
import { fakeUsers } from './fake-users.js'
import { viewInput } from './view-input.js'

export const operation: Operation = {
  id: 'switchover-20261121T074012345-17',
  kind: 'switchover',
  owner: 'admin',
  reason: 'asked',
  startedAt: 1_000,
  deadlineAt: 31_000,
  phase: 'succeeded',
  steps: [],
  endedAt: 1_200,
}

export const job: Job = {
  ...{ id: 7, task: 'provision', kind: 'database', service: 'db1', name: 'db1', host: 'db1', port: 3306 },
  ...{ user: 'admin', state: 'done', startedAt: 1_000, endedAt: 2_000, result: 'done', lines: 1 },
}

const roll: Roll = {
  ...{ id: 'rolling-restart-20261121T074012345', kind: 'restart', owner: 'admin', phase: 'running' },
  ...{ startedAt: 1_000, home: 'db1', primary: 'db1', servers: [{ server: 'db2', state: 'acting', actedAt: 1_000 }] },
}

const appointment: Appointment = {
  ...{ id: 'scheduled-switchover-20261121T074012345', owner: 'admin', askedAt: 1_000, from: 60_000, until: 120_000 },
  ...{ phase: 'waiting', candidate: 'db2' },
}

const rotation: Rotation = {
  ...{ id: 'rotation-20261121T074012345', owner: 'admin', startedAt: 1_000, phase: 'renewing' },
  ...{ users: ['monitor'], renewed: ['db1'], turn: { server: 'db2', start: true } },
}

const plan = { kind: 'switchover', possible: true, steps: [], expectedBlockedMs: 30, risks: [] }
const rows = [{ Variable_name: 'uptime', Value: '1', id: 7, user: 'app', host: 'h', command: 'Query', File: 'b.1' }]

/** What an actor answers, by message. */
const answers: Readonly<Record<string, unknown>> = {
  snapshot: viewInput().snapshot,
  switchover: { operation },
  cleanup: { operation },
  failover: { operation: { ...operation, kind: 'failover' } },
  relocate: { operation },
  'plan-switchover': plan,
  'plan-failover': plan,
  'plan-work': plan,
  read: { at: 1_000, rows },
  'read-busy': [{ server: 'db1', url: 'db1:3306', processes: rows, rates: { com_select: 12.5 } }],
  'diff-variables': [{ name: 'max_connections', values: [{ server: 'db1', value: '1000' }] }],
  'explain-statement': [{ id: 1, select_type: 'SIMPLE', table: 'orders', rows: 2, extra: null }],
  'kill-statement': [{ id: 7, user: 'app', host: 'h:1', db: 'shop', command: 'Query', info: 'SELECT 1' }],
  'run-service': { job },
  'ask-host-order': 'analyze\n',
  'host-log': undefined,
  act: { text: 'db1: slow_query_log=ON', on: true },
  optimize: { job },
  'begin-backup': { job },
  'begin-recovery': { job },
  'begin-host-job': { job },
  'plan-return': examplePlan,
  'read-divergence': exampleDivergence,
  'plan-divergence': exampleDivergencePlan,
  'settle-divergence': { job },
  'begin-checksum': { job },
  'begin-benchmark': { job },
  'begin-trials': { job, runs: [] },
  'read-trials': { ended: [] },
  'read-checksums': { tables: [exampleChecksum], waiting: [] },
  'read-checksum': exampleChecksum,
  'plan-table-repair': exampleRepair,
  'begin-schema-scan': { job },
  'read-schema': exampleSchema,
  'begin-table-repair': { job },
  'begin-return': { job },
  'plan-cluster-recovery': exampleRecovery,
  'begin-cluster-recovery': { job },
  'release-cluster-recovery': undefined,
  'search-logs': exampleFound,
  'cancel-job': [job],
  'run-services': { jobs: [job] },
  'describe-service': '[db1]\norchestrator = local\n',
  'schedule-switchover': appointment,
  'cancel-switchover': { ...appointment, phase: 'cancelled' },
  appointment,
  'begin-roll': roll,
  'cancel-roll': { ...roll, phase: 'cancelled' },
  roll,
  'read-recording': new Uint8Array([0x1f, 0x8b, 0x08]),
  'read-series': {
    series: [
      {
        name: 'mysql_global_status_queries',
        unit: 'per-second',
        server: 'db1',
        instance: 'db1',
        values: [118.2, null],
      },
    ],
  },
  job: { job, log: ['2026-11-21T07:40:12.345Z done'] },
}

const services: readonly ServiceSpec[] = [
  { kind: 'proxy', software: 'haproxy', id: 'px1', name: 'lb1:1999', host: 'lb1', port: 1999 },
]

const setting: SettingView = { name: 'failover-limit', value: 3, origin: 'saved', immutable: false }

const settingChange: SettingChangeRecord = {
  ...{ id: 17, at: 1_000, user: 'admin', cluster: 'demo', name: 'failover-limit', action: 'set' },
  ...{ before: { value: 5, origin: 'default' }, after: { value: 3, origin: 'saved' } },
}

const nothingFound = { ok: true, faults: [], warnings: [], recognised: [] }

export class ScriptedFace extends FakeFace {
  /** Answer of everything that can fail, while it is set. */
  failure: Failure | undefined
  /** Asks made of actors, and calls made of the manager. */
  readonly calls: { readonly name: string; readonly given: unknown }[] = []
  readonly known: SettingView[] = [setting]
  /** What actors answer instead of the usual. */
  readonly replies = new Map<string, unknown>()

  constructor() {
    super()
    this.names.clear()
    this.names.add('demo')
    const view = JSON.parse(Buffer.from(renderClusterViews.gateway(viewInput({ services }))).toString()) as GatewayView
    this.gatewayViews.set('demo', view)
    for (const name of clusterViews) {
      const bytes = Buffer.from(renderClusterViews[name](viewInput({ services, jobs: [job] })))
      this.views.set(`demo/${name}`, { bytes, etag: `1-${name}`, at: 1_000 })
    }
  }

  override graphite: FilterFace = {
    lists: async (...given) =>
      this.#answer('lists', given, { whitelist: 'queries$\n# a remark\n', blacklist: 'pfs\n' }),
    setList: async (...given) => this.#answer('setList', given, undefined),
    reloadLists: async (...given) => this.#answer('reloadLists', given, undefined),
    resetLists: async (...given) => this.#answer('resetLists', given, undefined),
  }

  #answer<T>(name: string, given: unknown, value: T): Result<T> {
    this.calls.push({ name, given: withoutFunctions(given) })
    return this.failure ? { ok: false, failure: this.failure } : ok(value)
  }

  override cluster(name: string): ActorRef<ClusterProtocol> | undefined {
    if (!this.names.has(name)) return undefined
    const reply = (type: string) => this.replies.get(type) ?? answers[type]
    const ask = async (type: string, payload: unknown) => this.#answer(type, payload, reply(type)) as Result<never>
    return { id: name, ask, tell: () => {} }
  }
  override async view(cluster: string, view: ClusterView): Promise<Result<PublishedView>> {
    if (this.failure) return { ok: false, failure: this.failure }
    return super.view(cluster, view)
  }
  override async addCluster(...given: readonly unknown[]): Promise<Result<never>> {
    return this.#answer('addCluster', given, undefined) as Result<never>
  }
  override async deleteCluster(...given: readonly unknown[]): Promise<Result<never>> {
    return this.#answer('deleteCluster', given, undefined) as Result<never>
  }
  override async addServer(...given: readonly unknown[]): Promise<Result<never>> {
    return this.#answer('addServer', given, undefined) as Result<never>
  }
  override async dropServer(...given: readonly unknown[]): Promise<Result<never>> {
    return this.#answer('dropServer', given, undefined) as Result<never>
  }
  override async addProxy(...given: readonly unknown[]): Promise<Result<never>> {
    return this.#answer('addProxy', given, undefined) as Result<never>
  }
  override async dropProxy(...given: readonly unknown[]): Promise<Result<never>> {
    return this.#answer('dropProxy', given, undefined) as Result<never>
  }
  override async rateServer(...given: readonly unknown[]): Promise<Result<never>> {
    return this.#answer('rateServer', given, undefined) as Result<never>
  }
  override async formTopology(...given: readonly unknown[]): Promise<Result<OperationTicket>> {
    return this.#answer('formTopology', given, { operation })
  }
  override async rotatePasswords(...given: readonly unknown[]): Promise<Result<Rotation>> {
    return this.#answer('rotatePasswords', given, rotation)
  }
  override async planRotation(...given: readonly unknown[]): Promise<Result<{ readonly users: readonly string[] }>> {
    return this.#answer('planRotation', given, { users: ['monitor'] })
  }
  override async cancelRotation(...given: readonly unknown[]): Promise<Result<Rotation>> {
    return this.#answer('cancelRotation', given, rotation)
  }
  override rotation(): Rotation {
    return rotation
  }
  override settings(): never[] {
    return this.known as never[]
  }
  override foreseen = {
    clusters: { added: [], removed: [] },
    settings: [{ cluster: 'demo', before: { ...setting, value: 5, origin: 'default' as const }, after: setting }],
    ...{ users: [], servers: [] },
  }
  override async foresee(change: Parameters<FakeFace['foresee']>[0]) {
    const other = new ScriptedFace()
    other.failure = this.failure
    const made = await change(other)
    return made.ok ? ok(this.foreseen) : made
  }
  override async setSetting(...given: readonly unknown[]): Promise<Result<never>> {
    return this.#answer('setSetting', given, setting) as Result<never>
  }
  override async editSettings(...given: readonly unknown[]): Promise<Result<void>> {
    return this.#answer('editSettings', given, undefined)
  }
  override async switchSetting(...given: readonly unknown[]): Promise<Result<never>> {
    return this.#answer('switchSetting', given, setting) as Result<never>
  }
  override async clearSetting(...given: readonly unknown[]): Promise<Result<never>> {
    return this.#answer('clearSetting', given, setting) as Result<never>
  }
  override async settingChanges(): Promise<readonly SettingChangeRecord[]> {
    return [settingChange]
  }
  override async undoSetting(...given: readonly unknown[]): Promise<Result<never>> {
    return this.#answer('undoSetting', given, setting) as Result<never>
  }
  override async reloadSettings(...given: readonly unknown[]): ReturnType<FakeFace['reloadSettings']> {
    return this.#answer('reloadSettings', given, this.replies.get('reloadSettings') ?? nothingFound) as never
  }
  override alerts = fakeAlerts((name, given, value) => this.#answer(name, given, value))
  override selfService = fakeSelfService((name, given, value) => this.#answer(name, given, value))

  override registration = fakeRegistration((name, given, value) => this.#answer(name, given, value))
  override newServers = fakeNewServers((name, given, value) => this.#answer(name, given, value))
  override price = fakePrice((name, given, value) => this.#answer(name, given, value))
  override repository = fakeRepository((name, given, value) => this.#answer(name, given, value))
  override timeline = fakeTimeline((name, given, value) => this.#answer(name, given, value))
  override users = fakeUsers((name, given, value) => this.#answer(name, given, value))
  override configurator = fakeConfigurator((name, given, value) => this.#answer(name, given, value))
  override async archive() {
    return this.failure ? ({ ok: false, failure: this.failure } as const) : this.archiveFile
  }
  override async repositoryComponent(): Promise<Result<string>> {
    return this.#answer('repositoryComponent', [], 'manager 0.1.0\n')
  }
  override async terms(): Promise<Result<string>> {
    return this.#answer('terms', [], '# Terms of use\n')
  }
  override async alertRules(): Promise<Result<string>> {
    return this.#answer('alertRules', [], 'groups:\n')
  }
  override async dashboards(): Promise<Result<readonly string[]>> {
    return this.#answer('dashboards', [], ['overview.json'])
  }
  override async makeBootstrapToken(...given: readonly unknown[]) {
    return this.#answer('makeBootstrapToken', given, { token: 'mbt_made', expiresAt: 0 })
  }
  override async acceptPublicKey(...given: readonly unknown[]): Promise<Result<void>> {
    return this.#answer('acceptPublicKey', given, undefined)
  }
  override async certificates() {
    const facts = {
      ...{ subject: 'CN=a', issuer: 'CN=b', fingerprint: 'AB' },
      ...{ notBefore: '2026-11-20T07:40:12.000Z', notAfter: '2036-11-20T07:40:12.000Z' },
    }
    const texts = { clientCert: 'client', clientKey: 'key', caCert: 'ca', serverCert: 'server' }
    return this.#answer('certificates', [], [{ ...texts, rotating: false, client: facts, server: facts, ca: facts }])
  }
  override async certify(...given: readonly unknown[]) {
    return this.#answer('certify', given, { changed: true, built: 1, unchanged: 2 })
  }
  override async regenerateArchives(
    ...given: readonly unknown[]
  ): Promise<Result<{ built: number; unchanged: number }>> {
    return this.#answer('regenerateArchives', given, { built: 1, unchanged: 2 })
  }
}

/** What a request carries to be asked about the caller is no part of what a spec compares. */
function withoutFunctions(given: unknown): unknown {
  if (Array.isArray(given)) return given.map(withoutFunctions)
  if (typeof given !== 'object' || given === null) return given
  return Object.fromEntries(Object.entries(given).filter(([, value]) => typeof value !== 'function'))
}
