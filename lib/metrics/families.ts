// The metric table: every family of a cluster with its type and help text. Families of the process itself are defined
// in process.ts; those named after status and server variables follow the rule at the end.
import { replicaMetrics } from '../model/wire.js'

export type FamilyType = 'counter' | 'gauge' | 'histogram' | 'untyped'

export interface FamilyRow {
  readonly type: FamilyType
  readonly help: string
}

export const families = {
  manager_cluster_up: { type: 'gauge', help: 'Whether the cluster has a writable primary that answers.' },
  manager_cluster_failable: {
    type: 'gauge',
    help: 'Whether the cluster is up, no error is open, and a replica may be read from.',
  },
  manager_cluster_healthy: {
    type: 'gauge',
    help: 'Whether the cluster is up, every other server is a valid replica, and no error is open.',
  },
  manager_cluster_observed: {
    type: 'gauge',
    help: 'Whether the manager only observes the cluster (monitoring-observe).',
  },
  manager_cluster_findings: { type: 'gauge', help: 'Open findings by severity.' },
  manager_finding: { type: 'gauge', help: 'A finding that is open, by code and, where it concerns one, server; 1.' },
  manager_operation_running: { type: 'gauge', help: 'Whether an operation of the cluster is running, by kind.' },
  manager_semisync_lossless: {
    type: 'gauge',
    help: 'Whether a commit is acknowledged only after a replica has received it.',
  },
  manager_failover_total: { type: 'counter', help: 'Failovers since the start of the cluster actor, by outcome.' },
  manager_failover_duration_seconds: { type: 'histogram', help: 'First to last step of failovers that succeeded.' },
  manager_switchover_total: { type: 'counter', help: 'Switchovers since the start of the cluster actor, by outcome.' },
  manager_switchover_duration_seconds: { type: 'histogram', help: 'First to last step of switchovers that succeeded.' },
  manager_decision_seconds: { type: 'histogram', help: 'From the arrival of a reading to the verdict.' },
  manager_probe_seconds: { type: 'histogram', help: 'Round trip of fast probes that were answered.' },
  manager_server_up: { type: 'gauge', help: 'Whether the latest probe of the server was answered.' },
  manager_server_primary: { type: 'gauge', help: 'Whether the server is the primary of its cluster.' },
  manager_server_read_only: { type: 'gauge', help: 'Whether the server refuses writes of ordinary accounts.' },
  manager_server_maintenance: { type: 'gauge', help: 'Whether the server is excluded from decisions on request.' },
  manager_server_failures: { type: 'gauge', help: 'Probes in a row that were not answered.' },
  manager_server_disk_used_ratio: {
    type: 'gauge',
    help: 'Used share of the fullest file system of its data and logs (monitoring-disk-usage).',
  },
  manager_replica_running: { type: 'gauge', help: 'Whether both replication threads of the replica run.' },
  manager_replica_lag_seconds: { type: 'gauge', help: 'How far the replica is behind its source.' },
  manager_proxy_up: { type: 'gauge', help: 'Whether the latest probe of the proxy was answered.' },
  manager_proxy_backend_connections: { type: 'gauge', help: 'Connections of the proxy to the server, by group.' },
  manager_proxy_backend_in_bytes_total: { type: 'counter', help: 'Bytes from clients to the server, by group.' },
  manager_proxy_backend_out_bytes_total: { type: 'counter', help: 'Bytes from the server to clients, by group.' },
  [replicaMetrics.lagSeconds]: {
    type: 'gauge',
    help: 'How far the replica is behind its source, as reported by the replica.',
  },
  [replicaMetrics.executedPosition]: { type: 'gauge', help: "Position in the source's binary log that was applied." },
  [replicaMetrics.readPosition]: { type: 'gauge', help: "Position in the source's binary log that was received." },
  [replicaMetrics.sqlRunning]: { type: 'gauge', help: 'Whether the thread that applies events runs.' },
  [replicaMetrics.ioRunning]: { type: 'gauge', help: 'Whether the thread that receives events runs and is connected.' },
  [replicaMetrics.lastErrorNumber]: {
    type: 'gauge',
    help: 'Number of the last error while applying events; 0 for none.',
  },
} as const satisfies Record<string, FamilyRow>

export type FamilyName = keyof typeof families

const rows: ReadonlyMap<string, FamilyRow> = new Map(Object.entries(families))

export const STATUS_PREFIX = 'mysql_global_status_'
export const VARIABLE_PREFIX = 'mysql_global_variables_'

/** Type and help of any family in a frame. Servers do not report which of their figures are counters. */
export function describeFamily(name: string): FamilyRow {
  const row = rows.get(name)
  if (row) return row
  if (name.startsWith(STATUS_PREFIX))
    return { type: 'untyped', help: `${name.slice(STATUS_PREFIX.length)} of SHOW GLOBAL STATUS.` }
  return { type: 'untyped', help: `${name.slice(VARIABLE_PREFIX.length)} of SHOW GLOBAL VARIABLES.` }
}
