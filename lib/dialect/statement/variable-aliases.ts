// Variables that servers show under two names.

/** Keeps one name of a variable that servers show under two names. */
export function withoutAliases(names: readonly string[]): readonly string[] {
  const all = new Set(names)
  return names.filter((name) => !all.has(aliases[name] ?? '') && !newer(name).some((other) => all.has(other)))
}

/** MariaDB's second names. https://mariadb.com/kb/en/server-system-variables/ */
const aliases: Readonly<Record<string, string>> = {
  log_slow_query: 'slow_query_log',
  log_slow_query_time: 'long_query_time',
  log_slow_min_examined_row_limit: 'min_examined_row_limit',
  expire_logs_days: 'binlog_expire_logs_seconds',
  tx_isolation: 'transaction_isolation',
  tx_read_only: 'transaction_read_only',
  storage_engine: 'default_storage_engine',
}

/** Since MySQL 8.0.26 variables of replication have a second name without the old terms. */
const newer = (name: string): readonly string[] =>
  [name.replace('slave', 'replica'), name.replace('master', 'source')].filter((other) => other !== name)
