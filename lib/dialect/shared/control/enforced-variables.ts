// Settings that the manager can enforce on running servers, and the system variable of each per flavour.
import type { ServerIdentity } from '../../../model/server/server.js'

/** One enforceable setting. `…-applier`: how replicated changes are applied. */
export type EnforcedSetting =
  | 'sync-binlog'
  | 'sync-innodb'
  | 'row-events'
  | 'annotated-events'
  | 'compressed-binlog'
  | 'logged-slow-applier'
  | 'binlog-checksums'
  | 'strict-gtid'
  | 'strict-applier'
  | 'idempotent-applier'
  | 'parallel-applier'

export interface EnforcedVariable {
  /** Its names by version; the one that the server has is used. */
  readonly names: readonly string[]
  readonly value: string
  /** It can be set only while the server does not replicate. */
  readonly stopped?: true
}

const both = (name: string, value: string) => {
  const variable: EnforcedVariable = { names: [name], value }
  return { mariadb: variable, mysql: variable }
}

/** `parallel-applier` takes the requested value. MySQL has no GTID strict mode variable: it is always strict. */
const variables: Readonly<Record<EnforcedSetting, Partial<Record<'mariadb' | 'mysql', EnforcedVariable>>>> = {
  'sync-binlog': both('sync_binlog', '1'),
  'sync-innodb': both('innodb_flush_log_at_trx_commit', '1'),
  'row-events': both('binlog_format', 'ROW'),
  'annotated-events': {
    mariadb: { names: ['binlog_annotate_row_events'], value: 'ON' },
    mysql: { names: ['binlog_rows_query_log_events'], value: 'ON' },
  },
  'compressed-binlog': {
    mariadb: { names: ['log_bin_compress'], value: 'ON' },
    mysql: { names: ['binlog_transaction_compression'], value: 'ON' },
  },
  'logged-slow-applier': {
    mariadb: { names: ['log_slow_slave_statements'], value: 'ON' },
    mysql: { names: ['log_slow_replica_statements', 'log_slow_slave_statements'], value: 'ON' },
  },
  'binlog-checksums': both('binlog_checksum', 'CRC32'),
  'strict-gtid': { mariadb: { names: ['gtid_strict_mode'], value: 'ON' } },
  'strict-applier': execMode('STRICT'),
  'idempotent-applier': execMode('IDEMPOTENT'),
  'parallel-applier': { mariadb: { names: ['slave_parallel_mode'], value: '', stopped: true } },
}

function execMode(value: string) {
  return {
    mariadb: { names: ['slave_exec_mode'], value },
    mysql: { names: ['replica_exec_mode', 'slave_exec_mode'], value },
  }
}

/** The variable of a setting on this server; undefined where the flavour has none or needs none. */
export const enforcedVariable = ({ flavour }: ServerIdentity, setting: EnforcedSetting): EnforcedVariable | undefined =>
  variables[setting][flavour === 'mariadb' ? 'mariadb' : 'mysql']
