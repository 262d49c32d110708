// The words of the interface (clients, scripts, logs) for the words used inside. The one place outside
// lib/settings/table, lib/dialect and http/api where the wire's vocabulary is spelled.
import type { ProxyStateName } from './server/proxy-state.js'
import type { StateName, Topology } from './snapshot.js'

export const stateTexts: Readonly<Record<StateName, string>> = {
  primary: 'Master',
  replica: 'Slave',
  'replica-error': 'SlaveErr',
  'replica-late': 'SlaveLate',
  relay: 'Relay',
  'relay-error': 'RelayErr',
  'relay-late': 'RelayLate',
  standalone: 'StandAlone',
  synced: 'Wsrep',
  donor: 'WsrepDonor',
  unsynced: 'WsrepUnsync',
  suspect: 'Suspect',
  failed: 'Failed',
  'auth-error': 'ErrorAuth',
  maintenance: 'Maintenance',
}

export const proxyStateTexts: Readonly<Record<ProxyStateName, string>> = {
  ...{ running: 'ProxyRunning', desync: 'ProxyDesync', suspect: 'Suspect', failed: 'Failed' },
}

export const topologyTexts: Readonly<Record<Topology, string>> = {
  'primary-replica': 'master-slave',
  'multi-tier': 'multi-tier-slave',
  'multi-primary': 'multi-master',
  ring: 'multi-master-ring',
  galera: 'multi-master-wsrep',
  'group-replication': 'multi-master-grprep',
  'active-passive': 'active-passive',
  unknown: 'unknown',
}

/** Topologies that servers without replication can be bootstrapped into, the default first. */
export const formedTopologies = [
  'master-slave',
  'multi-tier-slave',
  'multi-master',
  'multi-master-ring',
  'multi-master-wsrep',
] as const

export type FormedTopology = (typeof formedTopologies)[number]

export const isFormedTopology = (name: string): name is FormedTopology =>
  (formedTopologies as readonly string[]).includes(name)

/** Names of the interface that nothing here can form, and why. */
export const unformedTopologies: Readonly<Record<string, string>> = {
  'master-slave-no-gtid':
    'replicas are elected and repointed by GTID, so replication by file and position is not set up',
  'maxscale-binlog': 'this manager does not run a MaxScale binlog server; use intermediate replicas instead',
  'multi-master-grprep': 'members of MySQL group replication join by their own configuration',
}

/** Why a name is refused. */
export const noFormedTopology = (name: string): string => `${name} is not one of ${formedTopologies.join(', ')}.`

/** Metric families of a replica: the names that existing scrapers use. */
export const replicaMetrics = {
  lagSeconds: 'mysql_slave_status_seconds_behind_master',
  executedPosition: 'mysql_slave_status_exec_master_log_pos',
  readPosition: 'mysql_slave_status_read_master_log_pos',
  sqlRunning: 'mysql_slave_status_slave_sql_running',
  ioRunning: 'mysql_slave_status_slave_io_running',
  lastErrorNumber: 'mysql_slave_status_last_errno',
} as const
