// The samples of one cluster: its servers' status and variables, their replication, and the manager's own figures.
import { isError, judgeCondition } from '../decide/condition.js'
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
import { countObservations, type Histogram } from './histogram.js'
import { instanceName, type Labels, labelText } from './labels.js'
import { familyName } from './names.js'

export interface SampleInput {
  readonly snapshot: Snapshot
  readonly memory: Pick<Memory, 'discovered'>
  readonly figures?: ClusterFigures
  readonly proxies?: readonly ProxyReading[]
}

export interface Sample {
  readonly labels: Labels
  readonly value: number
  /** `_bucket`, `_sum` or `_count` in a histogram. */
  readonly suffix?: string
}

/** Status or variables of a server, not copied: where the value of each family is found among the values of the server. */
export interface ValueColumn {
  readonly places: ReadonlyMap<string, number>
  /** As the server wrote them; not all are numbers. */
  readonly values: readonly string[]
}

export interface ServerColumns {
  readonly instance: string
  /** Labels of its samples in the text format, UTF-8. */
  readonly labels: Uint8Array
  readonly status: ValueColumn
  readonly variables: ValueColumn
}

/** All samples of a cluster at one moment. Small: columns belong to the snapshot that they were collected from. */
export interface ClusterSamples {
  /** The manager's own figures of the cluster, by family; no family is empty. */
  readonly known: ReadonlyMap<string, readonly Sample[]>
  /** Servers that answer. */
  readonly servers: readonly ServerColumns[]
}

/** A server that does not answer has only the manager's samples: no value outlives its source. */
export function collectSamples(input: SampleInput): ClusterSamples {
  const { cluster, servers } = input.snapshot
  const known = new Known()
  const names = instanceNames(servers)
  addCluster(known, input)
  addFindings(known, input.snapshot, names)
  for (const proxy of input.proxies ?? []) addProxy(known, proxy, cluster)
  const columns: ServerColumns[] = []
  for (const server of servers) {
    const labels = { instance: names.get(server) ?? server.name, cluster }
    addServer({ known, server, labels }, input.snapshot)
    if (server.observation !== 'answered') continue
    addReplication({ known, server, labels })
    columns.push({
      instance: labels.instance,
      labels: Buffer.from(labelText(labels)),
      status: columnOf(STATUS_PREFIX, server.slow?.status),
      variables: columnOf(VARIABLE_PREFIX, server.slow?.variables),
    })
  }
  return { known: known.families, servers: columns }
}

/** Samples by family, in the order in which they are added. */
class Known {
  readonly families = new Map<string, Sample[]>()

  add(family: FamilyName, sample: Sample): void {
    const samples = this.families.get(family)
    if (samples) samples.push(sample)
    else this.families.set(family, [sample])
  }
}

type InstanceNames = ReadonlyMap<ServerSnapshot, string>

/** The name of each server in the metrics: its own host name; with the port where several of a cluster share a host. */
export function instanceNames(servers: readonly ServerSnapshot[]): InstanceNames {
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

function addCluster(known: Known, { snapshot, memory, figures }: SampleInput): void {
  const labels = { cluster: snapshot.cluster }
  const put = (family: FamilyName, value: number | boolean, more: Labels = {}) =>
    known.add(family, { labels: { ...labels, ...more }, value: Number(value) })
  const primary = findServer(snapshot, snapshot.primary)
  const errors = snapshot.findings.filter(isError).length
  const { up, failable, healthy } = judgeCondition(snapshot, memory)
  put('manager_cluster_up', up)
  put('manager_cluster_failable', failable)
  put('manager_cluster_healthy', healthy)
  put(
    'manager_cluster_observed',
    snapshot.findings.some(({ code }) => code === 'WARN0350'),
  )
  put('manager_cluster_findings', errors, { severity: 'error' })
  put('manager_cluster_findings', snapshot.findings.length - errors, { severity: 'warning' })
  for (const kind of ['failover', 'switchover', 'rejoin', 'repair'] as const)
    put('manager_operation_running', snapshot.operation?.kind === kind, { kind })
  put('manager_semisync_lossless', isLossless(primary))
  if (!figures) return
  for (const [outcome, count] of Object.entries(figures.failovers)) put('manager_failover_total', count, { outcome })
  for (const [outcome, count] of Object.entries(figures.switchovers))
    put('manager_switchover_total', count, { outcome })
  addHistogram(known, { family: 'manager_failover_duration_seconds', histogram: figures.failoverSeconds, labels })
  addHistogram(known, { family: 'manager_switchover_duration_seconds', histogram: figures.switchoverSeconds, labels })
  addHistogram(known, { family: 'manager_decision_seconds', histogram: figures.decisionSeconds, labels })
  addHistogram(known, { family: 'manager_probe_seconds', histogram: figures.probeSeconds, labels })
}

/** One sample for each code and server, also where the code covers several things. */
function addFindings(known: Known, { cluster, findings, servers }: Snapshot, names: InstanceNames): void {
  for (const finding of new Map(findings.map((one) => [findingKey(one), one])).values()) {
    const { code, server } = finding
    const about = servers.find(({ id }) => id === server)
    const where = about ? { server: names.get(about) ?? about.name } : {}
    known.add('manager_finding', {
      labels: { code, severity: registry[code].severity, ...where, cluster },
      value: 1,
    })
  }
}

function addProxy(known: Known, { name, kind, alive, backends }: ProxyReading, cluster: string): void {
  const put = (family: FamilyName, labels: Labels, value: number) => known.add(family, { labels, value })
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

/** The primary waits for an acknowledgement before others see the commit, and a replica is connected to give it. */
export function isLossless(primary: ServerSnapshot | undefined): boolean {
  if (primary?.observation !== 'answered' || !primary.state) return false
  const { sourceActive, waitPoint, clients } = primary.state.semiSync
  return sourceActive && waitPoint === 'after-sync' && clients > 0
}

interface KnownServer {
  readonly known: Known
  readonly server: ServerSnapshot
  readonly labels: Labels
}

function addServer({ known, server, labels }: KnownServer, snapshot: Snapshot): void {
  const put = (family: FamilyName, value: number | boolean) => known.add(family, { labels, value: Number(value) })
  const answered = server.observation === 'answered'
  put('manager_server_up', answered)
  put('manager_server_primary', server.id === snapshot.primary)
  put('manager_server_maintenance', server.maintenance)
  put('manager_server_failures', server.failures)
  const used = diskUsedRatio(server)
  if (answered && used !== undefined) put('manager_server_disk_used_ratio', used)
  if (answered && server.state) put('manager_server_read_only', server.state.readOnly)
}

/** Of the fullest file system of its data and logs; undefined where they are not read. */
export function diskUsedRatio({ volumes = [] }: Pick<ServerSnapshot, 'volumes'>): number | undefined {
  const used = volumes
    .filter(({ kind }) => kind !== 'temporary')
    .map(({ fileSystem: { usedBytes, availableBytes } }) => usedBytes / (usedBytes + availableBytes))
    .filter(Number.isFinite)
  return used.length === 0 ? undefined : Math.max(...used)
}

function addReplication({ known, server, labels }: KnownServer): void {
  const channel = mainChannel(server)
  if (!channel) return
  for (const [family, value] of replicationSamples(channel))
    if (value !== undefined) known.add(family, { labels, value: Number(value) })
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

/** The positions of the families in each list of names: computed once for each list, and servers share lists. */
const places = { [STATUS_PREFIX]: new WeakMap<object, Places>(), [VARIABLE_PREFIX]: new WeakMap<object, Places>() }
type Places = ReadonlyMap<string, number>

function columnOf(prefix: keyof typeof places, named: Named = nothingNamed): ValueColumn {
  const { names, values } = named
  const found = places[prefix].get(names) ?? placesOf(prefix, named)
  places[prefix].set(names, found)
  return { places: found, values }
}

/** `validate_password.length` gives way to `validate_password_length` where a server has both. */
function placesOf(prefix: string, named: Named): Places {
  const found = new Map<string, number>()
  for (const [index, name] of named.names.entries()) {
    const family = familyName(prefix, name)
    if (family === undefined) continue
    const plain = family.slice(prefix.length)
    if (plain === name || textOf(named, plain) === undefined) found.set(family, index)
  }
  return found
}

interface NamedHistogram {
  readonly family: FamilyName
  readonly histogram: Histogram
  readonly labels: Labels
}

function addHistogram(known: Known, { family, histogram, labels }: NamedHistogram): void {
  let below = 0
  for (const [index, count] of histogram.counts.entries()) {
    below += count
    const bound = histogram.bounds[index]
    const le = bound === undefined ? '+Inf' : `${bound}`
    known.add(family, { labels: { ...labels, le }, value: below, suffix: '_bucket' })
  }
  known.add(family, { labels, value: histogram.sum, suffix: '_sum' })
  known.add(family, { labels, value: countObservations(histogram), suffix: '_count' })
}
