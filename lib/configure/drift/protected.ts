// Variables that no rule sets on a running server: one row per class, and what of it is protected.
import { sameValue } from './values.js'

/** identity: who the server is to replication. The others: what applications and their data rely on. */
export type ProtectedClass = 'identity' | 'durability' | 'sql-mode' | 'character-set' | 'memory'

interface ProtectedRow {
  readonly class: ProtectedClass
  readonly names: RegExp
  /** Protected from a change to a lower rank only; without it, from every change. A value without a rank is protected. */
  readonly rank?: (value: string) => number | undefined
}

const isOn = (value: string): boolean => /^(on|1|yes|true)$/i.test(value)

const factors: Readonly<Record<string, number>> = { '': 1, k: 2 ** 10, m: 2 ** 20, g: 2 ** 30, t: 2 ** 40 }

/** A number, with or without a suffix. */
function numberOf(value: string): number | undefined {
  const [, digits, suffix = ''] = /^(-?\d+(?:\.\d+)?)([kmgt]?)$/i.exec(value.trim()) ?? []
  return digits === undefined ? undefined : Number(digits) * (factors[suffix.toLowerCase()] ?? 1)
}

const ranked =
  (...lowestFirst: readonly RegExp[]) =>
  (value: string): number | undefined => {
    const rank = lowestFirst.findIndex((one) => one.test(value))
    return rank < 0 ? undefined : rank
  }

/** 0 leaves it to the system, 1 writes each time, more writes less often. */
function syncRank(value: string): number | undefined {
  const events = numberOf(value)
  return events === undefined ? undefined : events === 0 ? 0 : 1 / events
}

/** Each a pattern of whole names. */
const names = (...patterns: readonly string[]): RegExp => new RegExp(`^(${patterns.join('|')})$`)

const rows: readonly ProtectedRow[] = [
  {
    class: 'identity',
    names: names(
      'server_id',
      'gtid_domain_id',
      'server_uuid',
      'report_\\w+',
      'wsrep_node_\\w+',
      'auto_increment_(increment|offset)',
    ),
  },
  { class: 'sql-mode', names: names('sql_mode', 'old_mode') },
  {
    class: 'character-set',
    names: names('character_set_\\w+', 'collation_\\w+', 'default_collation_\\w+', 'old_passwords'),
  },
  // https://mariadb.com/kb/en/innodb-system-variables/#innodb_flush_log_at_trx_commit: 1 and 3 flush at each commit.
  {
    class: 'durability',
    names: names('innodb_flush_log_at_trx_commit', 'rocksdb_flush_log_at_trx_commit'),
    rank: ranked(/^0$/, /^2$/, /^[13]$/),
  },
  {
    class: 'durability',
    names: names('sync_binlog', 'sync_master_info', 'sync_relay_log', 'sync_relay_log_info', 'sync_source_info'),
    rank: syncRank,
  },
  {
    class: 'durability',
    names: names(
      'innodb_doublewrite',
      'master_verify_checksum',
      'source_verify_checksum',
      'slave_sql_verify_checksum',
      'replica_sql_verify_checksum',
      'relay_log_recovery',
    ),
    rank: ranked(/^(off|0|no|false)$/i, /^detect_only$/i, /^(on|1|yes|true|detect_and_recover)$/i),
  },
  { class: 'durability', names: names('binlog_checksum'), rank: ranked(/^(none|off|0)$/i, /^(crc32|on|1)$/i) },
  {
    class: 'durability',
    names: names('rpl_semi_sync_\\w+_enabled'),
    rank: (value) => (isOn(value) ? 1 : 0),
  },
  {
    class: 'durability',
    names: names('rpl_semi_sync_\\w+_wait_point'),
    rank: ranked(/^after_commit$/i, /^after_sync$/i),
  },
  { class: 'durability', names: names('rpl_semi_sync_\\w+_timeout'), rank: numberOf },
  {
    class: 'memory',
    names: names(
      '\\w*(buffer|cache|heap|tmp|temp|pool|table|sort|page)\\w*_size',
      'tmp_memory_table_size',
      'thread_stack',
      'net_buffer_length',
      'max_allowed_packet',
      'slave_max_allowed_packet',
      'replica_max_allowed_packet',
      'table_open_cache',
      'table_definition_cache',
      'group_concat_max_len',
      'query_cache_limit',
      'temptable_max_ram',
      'range_optimizer_max_mem_size',
    ),
    rank: numberOf,
  },
]

/** The class that protects a variable from being set on a running server; undefined where a rule may set it. */
export function protectedClass(name: string, running: string, wanted: string): ProtectedClass | undefined {
  const row = rows.find((one) => one.names.test(name))
  if (!row || sameValue(running, wanted)) return undefined
  if (!row.rank) return row.class
  const [from, to] = [row.rank(running), row.rank(wanted)]
  return from !== undefined && to !== undefined && to >= from ? undefined : row.class
}
