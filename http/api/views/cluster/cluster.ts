// The cluster object: what the dashboard's first page, the client and scripts read of a cluster.
import { judgeCondition } from '../../../../lib/decide/condition.js'
import { compareVariables } from '../../../../lib/decide/findings/variable-diff.js'
import { isRolling, type RollKind } from '../../../../lib/model/operation/roll.js'
import { textOf as namedText } from '../../../../lib/model/server/named.js'
import { findServer } from '../../../../lib/model/snapshot.js'
import { topologyTexts } from '../../../../lib/model/wire.js'
import type { Availability, ViewInput } from '../kit/input.js'
import { join } from '../kit/join.js'
import { renderLogBuffer } from '../kit/logs.js'
import { unwatchedProxies } from '../server/proxy.js'
import { renderVariableDiffs } from '../server/variable-diff.js'
import { renderClusterBackups } from './backups.js'
import { renderClusterRest } from './cluster-rest.js'
import { renderCrash } from './crash.js'

/** The object of `C`; one entry of `/api/clusters`. */
export const renderCluster = (input: ViewInput) =>
  join(
    renderClusterRest(input),
    renderClusterBackups(input),
    identity(input),
    members(input),
    condition(input),
    needs(input),
    running(input),
    figures(input),
  )

const identity = ({ snapshot, workingDirectory, config, tags = [] }: ViewInput) => ({
  name: snapshot.cluster,
  tenant: textOf(config.monitoringTenant),
  workingDir: workingDirectory,
  topology: topologyTexts[snapshot.topology],
  topologyType: Object.fromEntries(Object.values(topologyTexts).map((text) => [text, text])),
  config,
  configurator: {
    configTags: tags.filter(({ category }) => category !== 'proxy'),
    configPrxTags: tags.filter(({ category }) => category === 'proxy'),
    dbServersTags: words(config.provDbTags),
    proxyServersTags: words(config.provProxyTags),
  },
})

const members = (input: ViewInput) => ({
  dbServers: input.snapshot.servers.map(({ id }) => id),
  proxyServers: [...input.proxies, ...unwatchedProxies(input)].map(({ id }) => id),
  dbServersCrashes: input.memory.crashes.map((crash) => renderCrash(crash, input.snapshot)),
  failoverHistory: input.memory.history.map((crash) => renderCrash(crash, input.snapshot)),
  failoverCounter: input.memory.failoverCount,
  failoverLastTime: Math.floor(input.memory.lastFailoverAt / 1000),
})

function condition(input: ViewInput) {
  const { snapshot, memory, active, provisioned, config, ticks = 0 } = input
  const primary = findServer(snapshot, snapshot.primary)
  const answering = snapshot.servers.filter(({ observation }) => observation === 'answered').length
  const { up, failable, healthy, faults } = judgeCondition(snapshot, memory)
  const primaryDown = primary === undefined || primary.stateName === 'failed'
  return {
    isDown: !up,
    isMasterDown: primaryDown,
    isClusterDown: answering === 0,
    isAllDbUp: answering === snapshot.servers.length,
    isFailable: failable,
    isHealthy: healthy,
    healthFaults: faults,
    isProvision: provisioned,
    isNotMonitoring: config.monitoringPause === true,
    isCapturing: Object.keys(memory.captures ?? {}).length > 0,
    activePassiveStatus: active ? 'A' : 'S',
    monitorSpin: `${ticks} `,
    stateMachine: {
      discovered: memory.discovered,
      inFailover: snapshot.operation?.kind === 'failover' || snapshot.operation?.kind === 'switchover',
      inSchemaMonitor: false,
    },
  }
}

function needs({ snapshot, needs: byMember = {} }: ViewInput) {
  const databases = new Set(snapshot.servers.map(({ id }) => id))
  const any = (need: 'restart' | 'reprov' | 'config-change', ofDatabases: boolean) =>
    Object.entries(byMember).some(([id, list]) => databases.has(id) === ofDatabases && list.includes(need))
  const [databasesRestart, proxiesRestart] = [any('restart', true), any('restart', false)]
  const databasesReprov = any('reprov', true)
  return {
    isNeedDatabasesRestart: databasesRestart,
    isNeedDatabasesRollingRestart: databasesRestart,
    isNeedDatabasesReprov: databasesReprov,
    isNeedDatabasesRollingReprov: databasesReprov,
    isNeedDatabasesConfigChange: any('config-change', true),
    isNeedProxyRestart: proxiesRestart,
    isNeedProxiesRestart: proxiesRestart,
    isNeedProxiesReprov: any('reprov', false),
    isNeedProxiesConfigChange: any('config-change', false),
  }
}

function running({ snapshot: { operation }, lastOperation, roll }: ViewInput) {
  const rolls = (kind: RollKind): boolean => isRolling(roll) && roll.kind === kind
  const waits = (kind: string): number => (operation?.kind === kind ? 1 : 0)
  return {
    waitingFailover: waits('failover'),
    waitingSwitchover: waits('switchover'),
    waitingRejoin: waits('rejoin'),
    inRollingRestart: rolls('restart'),
    inRollingReprov: rolls('reprov'),
    inRollingOptimize: rolls('optimize'),
    operation: operation ?? null,
    lastOperation: lastOperation ?? null,
  }
}

const figures = (input: ViewInput) => ({
  uptime: percent(input.sla.upMs, input.sla),
  uptimeFailable: percent(input.sla.failableMs, input.sla),
  uptimeSemisync: percent(input.sla.syncMs, input.sla),
  slaHistory: (input.slaHistory ?? []).map(renderAvailability),
  apiUsers: Object.fromEntries((input.users ?? []).map((user) => [user.user, user])),
  workLoad: workLoad(input),
  traffic: input.traffic ?? { on: false, written: 0, failed: 0 },
  log: renderLogBuffer(input.log),
  diffVariables: differences(input),
})

const differences = ({ snapshot: { servers, primary }, config }: ViewInput) =>
  config.monitoringVariableDiff === false ? [] : renderVariableDiffs(compareVariables(servers, primary), servers)

function workLoad({ snapshot, queryRates = {}, lastReads }: ViewInput) {
  const primary = findServer(snapshot, snapshot.primary)?.slow
  const read = [snapshot.primary, ...snapshot.servers.map(({ id }) => id)].map((id) => lastReads?.get(id ?? '')?.tables)
  const tables = read.find((sizes) => sizes !== undefined)
  const [threads = 0, idle = 0] = ['threadpool_threads', 'threadpool_idle_threads'].map((name) =>
    Number(namedText(primary?.status, name) ?? 0),
  )
  const pool = Number(namedText(primary?.variables, 'thread_pool_size') ?? 0)
  const connections = snapshot.servers.map(({ slow }) => Number(namedText(slow?.status, 'threads_connected') ?? 0))
  return {
    dbTableSize: tables?.data ?? 0,
    dbIndexSize: tables?.index ?? 0,
    connections: connections.reduce((sum, count) => sum + count, 0),
    qps: Math.round(Object.values(queryRates).reduce((sum, rate) => sum + rate, 0)),
    cpuThreadPool: pool > 0 ? Math.round(((threads - idle) / pool) * 100) : 0,
    cpuUserStats: 0,
    BusyTime: namedText(primary?.status, 'busy_time') ?? '',
  }
}

/** Whole seconds throughout: existing clients decode no cluster with a text here. Shares are of `lasttime - firsttime`. */
const renderAvailability = (period: Availability) => ({
  firsttime: Math.floor(period.since / 1000),
  lasttime: Math.floor(period.at / 1000),
  uptime: Math.floor(period.upMs / 1000),
  uptimeFailable: Math.floor(period.failableMs / 1000),
  uptimeSemisync: Math.floor(period.syncMs / 1000),
})

/** Five decimals; a full hundred only when nothing was missed. */
function percent(partMs: number, { since, at }: Availability): string {
  if (at <= since || partMs >= at - since) return '100.00000'
  return Math.min(99.99999, (partMs / (at - since)) * 100).toFixed(5)
}

const textOf = (value: unknown): string => (typeof value === 'string' ? value : '')

/** A list setting, whether it comes as a list or as text with commas. */
const words = (value: unknown): readonly unknown[] =>
  Array.isArray(value)
    ? value
    : textOf(value)
        .split(',')
        .map((word) => word.trim())
        .filter((word) => word !== '')
