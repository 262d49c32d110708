// The samples of one cluster: its servers' status and variables, their replication, and what the manager knows of them.

import { findingKey } from '../model/finding.js'
import { findings as registry } from '../model/findings.js'
import type { Memory } from '../model/memory.js'
import { type Named, nothingNamed, textOf } from '../model/server/named.js'
import type { Channel } from '../model/server/reading.js'
import { findServer, mainChannel, type ServerSnapshot, type Snapshot } from '../model/snapshot.js'
import { replicaMetrics } from '../model/wire.js'
import type { ProxyReading } from '../proxy/kit/index.js'
import { type FamilyName, STATUS_PREFIX, VARIABLE_PREFIX } from './families.js'
import type { ClusterFigures } from './figures.js'
import { type FrameWriter, openFrame } from './frame-writer.js'
import { countObservations, type Histogram } from './histogram.js'
import { instanceName, isNumeric, type Labels } from './labels.js'
import { familyName } from './names.js'

export interface SampleInput {
  readonly snapshot: Snapshot
  readonly memory: Pick<Memory, 'discovered'>
  readonly figures?: ClusterFigures
  readonly proxies?: readonly ProxyReading[]
}

/** The cluster's frame. A server that does not answer has only the manager's samples: no value outlives its source. */
export function renderSamples(input: SampleInput): Buffer {
  const frame = openFrame()
  const names = instanceNames(input.snapshot.servers)
  addCluster(frame, input)
  addFindings(frame, input.snapshot, names)
  for (const proxy of input.proxies ?? []) addProxy(frame, proxy, input.snapshot.cluster)
  for (const server of input.snapshot.servers) {
    const labels = { instance: names.get(server) ?? server.name, cluster: input.snapshot.cluster }
    addServer({ frame, server, labels }, input.snapshot)
    if (server.observation !== 'answered') continue
    addReplication({ frame, server, labels })
    addNamed(frame, { prefix: STATUS_PREFIX, named: server.slow?.status, labels })
    addNamed(frame, { prefix: VARIABLE_PREFIX, named: server.slow?.variables, labels })
  }
  return frame.encode()
}

type InstanceNames = ReadonlyMap<ServerSnapshot, string>

/** What each server is called: its own host name; with the port where several of a cluster share a host. */
function instanceNames(servers: readonly ServerSnapshot[]): InstanceNames {
  const hostOf = (server: ServerSnapshot): string =>
    instanceName(textOf(server.slow?.variables, 'hostname') || server.host)
  const hosts = servers.map(hostOf)
  const shared = (host: string): boolean => hosts.indexOf(host) !== hosts.lastIndexOf(host)
  return new Map(
    servers.map((server) => {
      const host = hostOf(server)
      return [server, shared(host) ? `${host}:${server.port}` : host]
    }),
  )
}

function addCluster(frame: FrameWriter, { snapshot, memory, figures }: SampleInput): void {
  const labels = { cluster: snapshot.cluster }
  const put = (family: FamilyName, value: number | boolean, more: Labels = {}) =>
    frame.add(family, { labels: { ...labels, ...more }, value: Number(value) })
  const primary = findServer(snapshot, snapshot.primary)
  const errors = snapshot.findings.filter(({ code }) => registry[code].severity === 'error').length
  put('manager_cluster_up', primary?.observation === 'answered' && primary.state?.readOnly === false)
  put('manager_cluster_failable', memory.discovered && errors === 0)
  put('manager_cluster_findings', errors, { severity: 'error' })
  put('manager_cluster_findings', snapshot.findings.length - errors, { severity: 'warning' })
  for (const kind of ['failover', 'switchover', 'rejoin', 'repair'] as const)
    put('manager_operation_running', snapshot.operation?.kind === kind, { kind })
  put('manager_semisync_lossless', isLossless(primary))
  if (!figures) return
  for (const [outcome, count] of Object.entries(figures.failovers)) put('manager_failover_total', count, { outcome })
  for (const [outcome, count] of Object.entries(figures.switchovers))
    put('manager_switchover_total', count, { outcome })
  addHistogram(frame, { family: 'manager_failover_duration_seconds', histogram: figures.failoverSeconds, labels })
  addHistogram(frame, { family: 'manager_switchover_duration_seconds', histogram: figures.switchoverSeconds, labels })
  addHistogram(frame, { family: 'manager_decision_seconds', histogram: figures.decisionSeconds, labels })
  addHistogram(frame, { family: 'manager_probe_seconds', histogram: figures.probeSeconds, labels })
}

/** One sample for each code and server, also where the code stands for several things. */
function addFindings(frame: FrameWriter, { cluster, findings, servers }: Snapshot, names: InstanceNames): void {
  for (const finding of new Map(findings.map((one) => [findingKey(one), one])).values()) {
    const { code, server } = finding
    const about = servers.find(({ id }) => id === server)
    const where = about ? { server: names.get(about) ?? about.name } : {}
    frame.add('manager_finding', {
      labels: { code, severity: registry[code].severity, ...where, cluster },
      value: 1,
    })
  }
}

function addProxy(frame: FrameWriter, { name, kind, alive, backends }: ProxyReading, cluster: string): void {
  const put = (family: FamilyName, labels: Labels, value: number) => frame.add(family, { labels, value })
  const proxy = { proxy: name, kind }
  put('manager_proxy_up', { ...proxy, cluster }, Number(alive))
  if (!alive) return
  for (const { host, port, group, connections, bytesIn, bytesOut } of backends) {
    const labels = { ...proxy, backend: `${host}:${port}`, group, cluster }
    put('manager_proxy_backend_connections', labels, connections)
    put('manager_proxy_backend_in_bytes_total', labels, bytesIn)
    put('manager_proxy_backend_out_bytes_total', labels, bytesOut)
  }
}

/** The primary waits for an acknowledgement before others see the commit, and one is there to give it. */
function isLossless(primary: ServerSnapshot | undefined): boolean {
  if (primary?.observation !== 'answered' || !primary.state) return false
  const { sourceActive, waitPoint, clients } = primary.state.semiSync
  return sourceActive && waitPoint === 'after-sync' && clients > 0
}

interface ServerFrame {
  readonly frame: FrameWriter
  readonly server: ServerSnapshot
  readonly labels: Labels
}

function addServer({ frame, server, labels }: ServerFrame, snapshot: Snapshot): void {
  const put = (family: FamilyName, value: number | boolean) => frame.add(family, { labels, value: Number(value) })
  const answered = server.observation === 'answered'
  put('manager_server_up', answered)
  put('manager_server_primary', server.id === snapshot.primary)
  put('manager_server_maintenance', server.maintenance)
  put('manager_server_failures', server.failures)
  if (answered && server.state) put('manager_server_read_only', server.state.readOnly)
}

function addReplication({ frame, server, labels }: ServerFrame): void {
  const channel = mainChannel(server.state)
  if (!channel) return
  for (const [family, value] of replicationSamples(channel))
    if (value !== undefined) frame.add(family, { labels, value: Number(value) })
}

const replicationSamples = (channel: Channel): readonly (readonly [FamilyName, number | boolean | undefined])[] => [
  ['manager_replica_running', channel.io === 'running' && channel.sql === 'running'],
  ['manager_replica_lag_seconds', channel.lagSeconds],
  [replicaMetrics.lagSeconds, channel.lagSeconds],
  [replicaMetrics.executedPosition, channel.executedFile === '' ? undefined : channel.executedPosition],
  [replicaMetrics.readPosition, channel.readFile === '' ? undefined : channel.readPosition],
  [replicaMetrics.sqlRunning, channel.sql === 'running'],
  [replicaMetrics.ioRunning, channel.io === 'running'],
  [replicaMetrics.lastErrorNumber, channel.sqlError.code],
]

interface NamedSamples {
  readonly prefix: string
  readonly named: Named | undefined
  readonly labels: Labels
}

function addNamed(frame: FrameWriter, { prefix, named = nothingNamed, labels }: NamedSamples): void {
  for (const [index, name] of named.names.entries()) {
    const value = named.values[index] ?? ''
    const family = isNumeric(value) ? familyName(prefix, name) : undefined
    if (family === undefined || isTaken(family.slice(prefix.length), name, named)) continue
    frame.add(family, { labels, value })
  }
}

/** `validate_password.length` gives way to `validate_password_length` where a server has both. */
const isTaken = (own: string, name: string, named: Named): boolean => own !== name && textOf(named, own) !== undefined

interface NamedHistogram {
  readonly family: FamilyName
  readonly histogram: Histogram
  readonly labels: Labels
}

function addHistogram(frame: FrameWriter, { family, histogram, labels }: NamedHistogram): void {
  let below = 0
  for (const [index, count] of histogram.counts.entries()) {
    below += count
    const bound = histogram.bounds[index]
    const le = bound === undefined ? '+Inf' : `${bound}`
    frame.add(family, { labels: { ...labels, le }, value: below, suffix: '_bucket' })
  }
  frame.add(family, { labels, value: histogram.sum, suffix: '_sum' })
  frame.add(family, { labels, value: countObservations(histogram), suffix: '_count' })
}
