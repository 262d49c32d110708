// Reads the tables of ProxySQL's admin interface: every value is text.
// https://proxysql.com/documentation/main-runtime/
import { SECOND } from '../../base/time.js'
import type { Row } from '../../connect/sql/session.js'
import type { ProxyProcess, QueryRule } from '../kit/index.js'

/** States of a row of `mysql_servers`; SHUNNED is ProxySQL's own verdict on one that is ONLINE. */
export type ServerStatus = 'ONLINE' | 'SHUNNED' | 'OFFLINE_SOFT' | 'OFFLINE_HARD'

/** A row of `mysql_servers` or `runtime_mysql_servers`, the columns that the manager reads. */
export interface ServerRow {
  readonly group: number
  readonly host: string
  readonly port: number
  readonly status: ServerStatus
  readonly weight: number
  readonly compression: number
  readonly maxConnections: number
  /** Seconds; 0: not checked. */
  readonly maxLag: number
  readonly tls: number
  readonly comment: string
}

/** What is configured, what is in force, and what a restart loads. */
export type ServerTable = 'mysql_servers' | 'runtime_mysql_servers' | 'disk.mysql_servers'

export const selectServers = (table: ServerTable): string =>
  'SELECT hostgroup_id, hostname, port, status, weight, compression, max_connections, max_replication_lag, ' +
  `use_ssl, comment FROM ${table} ORDER BY hostgroup_id, hostname, port`

export const parseServer = (row: Row): ServerRow => ({
  group: Number(row.hostgroup_id),
  host: text(row.hostname),
  port: Number(row.port),
  status: statusOf(text(row.status)),
  weight: Number(row.weight),
  compression: Number(row.compression),
  maxConnections: Number(row.max_connections),
  maxLag: Number(row.max_replication_lag),
  tls: Number(row.use_ssl),
  comment: text(row.comment),
})

/** The reason of SHUNNED may be more exact (`SHUNNED_REPLICATION_LAG`). */
function statusOf(word: string): ServerStatus {
  const upper = word.toUpperCase()
  if (upper.startsWith('SHUNNED')) return 'SHUNNED'
  return upper === 'OFFLINE_SOFT' || upper === 'OFFLINE_HARD' ? upper : 'ONLINE'
}

/** A row of `mysql_users` or `runtime_mysql_users`, the columns that the manager reads. */
export interface UserRow {
  readonly name: string
  /** In clear text, or as the databases store it. */
  readonly password: string
  readonly active: boolean
  /** 1: its clients must use TLS. */
  readonly tls: number
  /** The group of statements that no rule routes. */
  readonly group: number
  /** For its clients; at run time the row for the databases is another one. */
  readonly frontend: boolean
  readonly comment: string
}

export const selectUsers = (table: 'mysql_users' | 'runtime_mysql_users'): string =>
  `SELECT username, password, active, use_ssl, default_hostgroup, frontend, comment FROM ${table} ORDER BY username`

export const parseUser = (row: Row): UserRow => ({
  ...{ name: text(row.username), password: text(row.password), active: text(row.active) === '1' },
  ...{ tls: Number(row.use_ssl), group: Number(row.default_hostgroup) },
  ...{ frontend: text(row.frontend) === '1', comment: text(row.comment) },
})

/** What ProxySQL counts per group and server. */
export interface PoolRow {
  readonly group: number
  readonly host: string
  readonly port: number
  /** As reported, `SHUNNED_REPLICATION_LAG` among others. */
  readonly status: string
  readonly used: number
  readonly bytesSent: number
  readonly bytesReceived: number
  readonly latencyUs: number
}

export const selectPool =
  'SELECT hostgroup, srv_host, srv_port, status, ConnUsed, Bytes_data_sent, Bytes_data_recv, Latency_us ' +
  'FROM stats_mysql_connection_pool ORDER BY hostgroup, srv_host, srv_port'

export const parsePool = (row: Row): PoolRow => ({
  group: Number(row.hostgroup),
  host: text(row.srv_host),
  port: Number(row.srv_port),
  status: text(row.status),
  used: Number(row.ConnUsed),
  bytesSent: Number(row.Bytes_data_sent),
  bytesReceived: Number(row.Bytes_data_recv),
  latencyUs: Number(row.Latency_us),
})

export const selectRules =
  'SELECT rule_id, active, username, schemaname, digest, match_digest, match_pattern, destination_hostgroup, ' +
  'mirror_hostgroup, multiplex FROM runtime_mysql_query_rules ORDER BY rule_id'

export function parseRule(row: Row): QueryRule {
  const texts = {
    ...{ user: row.username, schema: row.schemaname, digest: row.digest },
    ...{ matchDigest: row.match_digest, matchPattern: row.match_pattern },
  }
  const numbers = {
    ...{ hostgroup: row.destination_hostgroup, mirrorHostgroup: row.mirror_hostgroup, multiplex: row.multiplex },
  }
  return {
    id: Number(row.rule_id),
    active: text(row.active) === '1',
    ...mapPresent(texts, text),
    ...mapPresent(numbers, Number),
  }
}

/** NULL means that a rule does not match on it. */
const mapPresent = <K extends string, T>(row: Readonly<Record<K, unknown>>, as: (value: unknown) => T) =>
  Object.fromEntries(
    Object.entries(row).flatMap(([name, value]) => (value === null || value === undefined ? [] : [[name, as(value)]])),
  ) as { [name in K]?: T }

/** A rule of `mysql_query_rules` or its runtime table, if it splits reads from writes. */
export interface SplitRule {
  readonly id: number
  readonly active: boolean
  /** For any user and schema; a rule that is reached through others is not. */
  readonly isForAll: boolean
  /** Of the digest. */
  readonly pattern: string
  readonly group: number
  /** No rule after it is evaluated. */
  readonly applies: boolean
  readonly comment: string
}

export const selectSplitRules = (table: 'mysql_query_rules' | 'runtime_mysql_query_rules'): string =>
  'SELECT rule_id, active, username, schemaname, flagIN, match_digest, destination_hostgroup, apply, comment ' +
  `FROM ${table} ORDER BY rule_id`

export const parseSplitRule = (row: Row): SplitRule => ({
  ...{ id: Number(row.rule_id), active: text(row.active) === '1', applies: text(row.apply) === '1' },
  isForAll: text(row.username) === '' && text(row.schemaname) === '' && Number(row.flagIN) === 0,
  ...{ pattern: text(row.match_digest), comment: text(row.comment) },
  group: row.destination_hostgroup === null ? -1 : Number(row.destination_hostgroup),
})

export const selectVersion = "SELECT variable_value FROM global_variables WHERE variable_name='admin-version'"

export const parseVersion = (rows: readonly Row[]): string => text(rows[0]?.variable_value)

/** https://proxysql.com/documentation/stats-statistics/#stats_mysql_global */
export const selectUptime =
  "SELECT Variable_Name, Variable_Value FROM stats_mysql_global WHERE Variable_Name='ProxySQL_Uptime'"

/** Whole seconds there. */
export function parseProcess([row]: readonly Row[]): ProxyProcess {
  const seconds = Number(row?.Variable_Value ?? Number.NaN)
  return Number.isNaN(seconds) ? {} : { upMs: seconds * SECOND }
}

const text = (value: unknown): string => (value === null || value === undefined ? '' : String(value))
