// Signs of tags on a running server: one row per sign. The first part is the contract's table, row by row.
import type { ServerConfiguration } from '../../model/server/configuration.js'

/** Data that signs are read from. */
export type Shown = Pick<ServerConfiguration, 'variables' | 'plugins'>

export interface Sign {
  readonly tag: string
  /** The variable or plugin that is checked, under any of its names by version. */
  readonly subject: { readonly kind: 'variable' | 'plugin'; readonly names: readonly string[] }
  /** The words of the condition: `=OFF`, `not 1`, `installed`. */
  readonly condition: string
  /** One server is enough: the checked value differs by role. Other signs count on the primary. */
  readonly anywhere: boolean
  readonly judge: (value: string, server: Shown) => boolean
}

type Condition = Pick<Sign, 'condition' | 'judge'>

const same = (one: string, other: string): boolean => one.toUpperCase() === other.toUpperCase()

const is = (wanted: string): Condition => ({ condition: `=${wanted}`, judge: (value) => same(value, wanted) })
const isNot = (wanted: string): Condition => ({ condition: `not ${wanted}`, judge: (value) => !same(value, wanted) })
/** One word of a list. */
const holds = (word: string): Condition => ({
  condition: `=${word}`,
  judge: (value) => value.split(',').some((each) => same(each, word)),
})
const on: Condition = { condition: '=ON', judge: (value) => ['ON', '1', 'YES'].includes(value.toUpperCase()) }
const off: Condition = { condition: '=OFF', judge: (value) => ['OFF', '0', 'NO'].includes(value.toUpperCase()) }
const present: Condition = { condition: 'present', judge: () => true }
const empty: Condition = { condition: 'empty', judge: (value) => value === '' }

const variable = (tag: string, names: string | readonly string[], { condition, judge }: Condition): Sign => ({
  ...{ tag, condition, judge },
  ...{ subject: { kind: 'variable', names: [names].flat() }, anywhere: false },
})

const onAnyServer = (sign: Sign): Sign => ({ ...sign, anywhere: true })

const plugin = (tag: string, name: string): Sign => ({
  tag,
  subject: { kind: 'plugin', names: [name] },
  condition: 'installed',
  judge: (status) => status === 'ACTIVE',
  anywhere: false,
})

const isolation = ['tx_isolation', 'transaction_isolation']

/** The table of the contract, in its order. */
export const contractSigns: readonly Sign[] = [
  variable('nodoublewrite', 'innodb_doublewrite', off),
  variable('nodurable', 'innodb_flush_log_at_trx_commit', isNot('1')),
  // O_DIRECT_NO_FSYNC also bypasses the system cache.
  variable('noodirect', 'innodb_flush_method', {
    condition: 'not O_DIRECT',
    judge: (value) => value !== '' && !value.toUpperCase().startsWith('O_DIRECT'),
  }),
  variable('compressbinlog', ['log_bin_compress', 'binlog_transaction_compression'], on),
  variable('autodefrag', 'innodb_defragment', on),
  variable('compresstable', 'innodb_compression_default', on),
  variable('noquerycache', 'query_cache_size', is('0')),
  variable('slow', 'slow_query_log', on),
  variable('general', 'general_log', on),
  variable('pfs', 'performance_schema', on),
  variable('logtotable', 'log_output', is('TABLE')),
  variable('ssl', 'have_ssl', is('YES')),
  onAnyServer(variable('readonly', 'read_only', on)),
  variable('resolvdns', 'skip_name_resolve', off),
  variable('localinfile', 'local_infile', on),
  variable('nobinlog', 'log_bin', off),
  variable('nologslaveupdates', ['log_slave_updates', 'log_replica_updates'], off),
  // The manager enables the source side where it promotes: only one server of a cluster shows it.
  onAnyServer(variable('semisync', ['rpl_semi_sync_master_enabled', 'rpl_semi_sync_source_enabled'], on)),
  variable('gtidstrict', 'gtid_strict_mode', on),
  variable('readcommitted', isolation, is('READ-COMMITTED')),
  variable('lowercasetable', 'lower_case_table_names', is('1')),
  variable('eits', ['use_stat_tables', 'user_stat_tables'], is('PREFERABLY_FOR_QUERIES')),
  variable('statement', 'binlog_format', is('STATEMENT')),
  variable('row', 'binlog_format', is('ROW')),
  variable('hashjoin', 'join_cache_level', is('8')),
  variable('mrrjoin', 'join_cache_level', is('6')),
  variable('nestedjoin', 'join_cache_level', is('2')),
  variable('sqlmodeoracle', 'sql_mode', holds('ORACLE')),
  variable('sqlmodeunstrict', 'sql_mode', empty),
  plugin('blackhole', 'BLACKHOLE'),
  plugin('userstats', 'QUERY_RESPONSE_TIME'),
  plugin('sqlerror', 'SQL_ERROR_LOG'),
  plugin('metadatalocks', 'METADATA_LOCK_INFO'),
  plugin('audit', 'SERVER_AUDIT'),
  plugin('connect', 'CONNECT'),
  plugin('spider', 'SPIDER'),
  plugin('mroonga', 'MROONGA'),
  variable('tokudb', 'tokudb_cache_size', present),
  variable('myrocks', 'rocksdb_block_cache_size', present),
  variable('s3', 's3_pagecache_buffer_size', present),
  plugin('pwdcheckcracklib', 'CRACKLIB_PASSWORD_CHECK'),
  plugin('pwdchecksimple', 'SIMPLE_PASSWORD_CHECK'),
  // The plugin is built into every MariaDB; it is in use only where it replicates.
  {
    ...plugin('wsrep', 'WSREP'),
    condition: 'active',
    judge: (status, { variables }) => status === 'ACTIVE' && on.judge(variables.wsrep_on ?? '', noneShown),
  },
]

const noneShown: Shown = { variables: {}, plugins: [] }

/** Further signs: tags of the rules that are visible on a server started with them. */
export const furtherSigns: readonly Sign[] = [
  onAnyServer(variable('semisync', ['rpl_semi_sync_slave_enabled', 'rpl_semi_sync_replica_enabled'], on)),
  variable('threadpool', 'thread_handling', is('pool-of-threads')),
  plugin('diskmonitor', 'DISKS'),
  variable('noaio', 'innodb_use_native_aio', off),
  variable('nosyncbinlog', 'sync_binlog', is('0')),
  variable('minimal', 'binlog_row_image', is('MINIMAL')),
  variable('aggressive', 'slave_parallel_mode', is('aggressive')),
  variable('optimistic', 'slave_parallel_mode', is('optimistic')),
  variable('serialize', 'slave_parallel_mode', is('none')),
  variable('lossyconv', ['slave_type_conversions', 'replica_type_conversions'], holds('ALL_LOSSY')),
  variable('idempotent', ['slave_exec_mode', 'replica_exec_mode'], is('IDEMPOTENT')),
  variable('readdirty', isolation, is('READ-UNCOMMITTED')),
  variable('readserialized', isolation, is('SERIALIZABLE')),
  variable('bm4ci', 'collation_server', is('utf8mb4_unicode_ci')),
  variable('nodeadlockdetect', 'innodb_deadlock_detect', off),
  variable('noautocommit', 'autocommit', off),
  variable('forcepk', ['innodb_force_primary_key', 'sql_require_primary_key'], on),
  plugin('ed25519', 'ED25519'),
  plugin('oqgraph', 'OQGRAPH'),
]

export const signs: readonly Sign[] = [...contractSigns, ...furtherSigns]

/** How the contract writes a row: `INNODB_DOUBLEWRITE=OFF`, `plugin SPIDER installed`. */
export function signText({ subject: { kind, names }, condition }: Sign): string {
  const name = (names[0] ?? '').toUpperCase()
  if (kind === 'plugin') return `plugin ${name} ${condition}`
  return condition.startsWith('=') ? `${name}${condition}` : `${name} ${condition}`
}

/** Evidence of the sign on a server, `name = value`; undefined without it. */
export function evidenceOf({ subject: { kind, names }, judge }: Sign, server: Shown): string | undefined {
  if (kind === 'plugin') {
    const found = server.plugins.find(({ name }) => names.some((each) => same(each, name)))
    return found && judge(found.status, server) ? `plugin ${found.name} is ${found.status}` : undefined
  }
  const name = names.find((each) => server.variables[each] !== undefined)
  const value = name === undefined ? undefined : server.variables[name]
  if (name === undefined || value === undefined || !judge(value, server)) return undefined
  return `${name} = ${value === '' ? "''" : value}`
}
