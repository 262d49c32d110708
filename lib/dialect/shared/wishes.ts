// What a cluster may want of its running servers, by words of ours, and the variable that grants each on either flavour.
import type { ServerIdentity } from '../../model/server/server.js'

/** One thing wanted of a running server. `applier…`: how replicated changes are applied. */
export type Wish =
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

export interface Grant {
  /** Its names over time; the one that the server has counts. */
  readonly names: readonly string[]
  readonly value: string
  /** It can be set only while the server does not replicate. */
  readonly stopped?: true
}

const both = (name: string, value: string) => {
  const grant: Grant = { names: [name], value }
  return { mariadb: grant, mysql: grant }
}

/** `parallel-applier` is granted by the value that was asked for. MySQL has no strict mode of GTIDs: it is always strict. */
const grants: Readonly<Record<Wish, Partial<Record<'mariadb' | 'mysql', Grant>>>> = {
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

/** What grants a wish on such a server; undefined where nothing does, or need not. */
export const grantOf = ({ flavour }: ServerIdentity, wish: Wish): Grant | undefined =>
  grants[wish][flavour === 'mariadb' ? 'mariadb' : 'mysql']
