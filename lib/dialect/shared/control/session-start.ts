// What a session of the manager sets for itself: servers give each new session their own defaults, and some of them would cut,
// shorten or refuse what the manager does. One table, from which the first statement of every session is made.

interface SessionValue {
  readonly name: string
  /** The flavour that has it; absent: both. */
  readonly only?: 'mariadb' | 'mysql'
  /** As in a SET. */
  readonly value: string
  /** What another default would do. */
  readonly why: string
}

/** Names that need a privilege are not among them: `binlog_format`, `enforce_storage_engine`, `sql_require_primary_key`. */
export const sessionValues: readonly SessionValue[] = [
  { name: 'sql_mode', value: "''", why: 'changes quoting and the grammar (ANSI_QUOTES, NO_BACKSLASH_ESCAPES, ORACLE)' },
  { name: 'autocommit', value: '1', why: 'a statement would begin a transaction that never ends' },
  { name: 'time_zone', value: "'SYSTEM'", why: 'times would differ from those of the system tables' },
  { name: 'completion_type', value: '0', why: 'a COMMIT would end the session or begin another transaction' },
  { name: 'sql_select_limit', value: '18446744073709551615', why: 'lists would be cut without an error' },
  { name: 'sql_big_selects', value: '1', why: 'max_join_size would refuse probes (1104)' },
  {
    name: 'max_statement_time',
    only: 'mariadb',
    value: '0',
    why: 'would cut a freeze (1969); the manager has deadlines',
  },
  { name: 'max_execution_time', only: 'mysql', value: '0', why: 'would cut reads (3024); the manager has deadlines' },
  { name: 'lock_wait_timeout', value: '86400', why: 'a freeze would end before its own time (1205)' },
  { name: 'innodb_lock_wait_timeout', value: '50', why: 'a write would end at the first lock of a client (1205)' },
  {
    name: 'wait_timeout',
    value: '28800',
    why: 'a session that is kept for later would be closed, with the locks it holds',
  },
  { name: 'net_read_timeout', value: '30', why: 'a statement that arrives slowly would end the session' },
  { name: 'net_write_timeout', value: '60', why: 'a long answer on a slow line would be cut' },
  { name: 'idle_transaction_timeout', only: 'mariadb', value: '0', why: 'a transaction would end between statements' },
  { name: 'idle_write_transaction_timeout', only: 'mariadb', value: '0', why: 'the same' },
  { name: 'idle_readonly_transaction_timeout', only: 'mariadb', value: '0', why: 'the same, of a consistent read' },
  { name: 'wsrep_sync_wait', only: 'mariadb', value: '0', why: 'a probe would wait for a member that is behind' },
  { name: 'character_set_client', value: 'utf8mb4', why: 'names would be read in another character set' },
  { name: 'character_set_results', value: 'utf8mb4', why: 'answers would come in another character set' },
  { name: 'collation_connection', value: 'utf8mb4_unicode_ci', why: 'texts would compare by another collation' },
  { name: 'sql_safe_updates', value: '0', why: 'a write without a key would be refused (1175)' },
  { name: 'unique_checks', value: '1', why: 'a write could store a duplicate key' },
  { name: 'foreign_key_checks', value: '1', why: 'a write could store a row without its parent' },
  { name: 'sql_auto_is_null', value: '0', why: 'IS NULL would find the last inserted row' },
  { name: 'sql_quote_show_create', value: '1', why: 'SHOW CREATE would print names that cannot be used again' },
  { name: 'group_concat_max_len', value: '1048576', why: 'joined lists would be cut with a warning only' },
  { name: 'max_sort_length', value: '1024', why: 'long values would be in no order' },
  { name: 'div_precision_increment', value: '4', why: 'quotients would lose their fraction' },
  { name: 'default_storage_engine', value: "'InnoDB'", why: 'a table would be created without transactions' },
  {
    name: 'alter_algorithm',
    only: 'mariadb',
    value: "'DEFAULT'",
    why: 'changes and rebuilds of tables would be refused',
  },
  { name: 'max_recursive_iterations', only: 'mariadb', value: '1000', why: 'recursive reads would be cut' },
  { name: 'tmp_disk_table_size', only: 'mariadb', value: '18446744073709551615', why: 'lists would be refused (1114)' },
  {
    name: 'max_session_mem_used',
    only: 'mariadb',
    value: '9223372036854775807',
    why: 'statements would be refused (1290)',
  },
]

/**
 * For the server of this version text, without names that it was found not to know. Isolation and access mode have a statement: their
 * variables changed names. Run it before anything else of a session.
 */
export function sessionStart(versionText: string, without: ReadonlySet<string> = new Set()): string {
  const flavour = /mariadb/i.test(versionText) ? 'mariadb' : 'mysql'
  const set = sessionValues
    .filter(({ name, only = flavour }) => only === flavour && !without.has(name))
    .map(({ name, value }) => `${name}=${value}`)
  return `SET SESSION ${set.join(', ')};SET SESSION TRANSACTION ISOLATION LEVEL REPEATABLE READ, READ WRITE`
}

/** The name in an error 1193 (unknown system variable) of the statement above, in whatever language. */
export const unknownVariable = (message: string): string | undefined =>
  sessionValues.find(({ name }) => message.includes('error 1193: ') && message.includes(`'${name}'`))?.name
