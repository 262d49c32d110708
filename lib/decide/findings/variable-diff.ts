// Variables in which the replicas of a cluster differ from its primary, those left out that differ by their nature.
import { withoutAliases } from '../../dialect/index.js'
import { differingNames, textOf } from '../../model/server/named.js'
import type { ServerId } from '../../model/server/server.js'
import type { ServerSnapshot } from '../../model/snapshot.js'

export interface VariableDiff {
  /** In lower case. */
  readonly name: string
  /** The primary first, then every replica that differs. */
  readonly values: readonly { readonly server: ServerId; readonly value: string }[]
}

/** By name; none without a primary, and none of servers before their first slow probe. */
export function compareVariables(
  servers: readonly Pick<ServerSnapshot, 'id' | 'slow'>[],
  primary: ServerId | undefined,
): readonly VariableDiff[] {
  const source = servers.find(({ id }) => id === primary)
  if (source === undefined) return []
  const others = servers
    .filter(({ id }) => id !== primary)
    .map((server) => ({ server, names: new Set(differingVariables(source, server)) }))
  const named = [...new Set(others.flatMap(({ names }) => [...names]))].sort()
  return named.map((name) => ({
    name,
    values: [source, ...others.filter(({ names }) => names.has(name)).map(({ server }) => server)].map(
      ({ id, slow }) => ({ server: id, value: textOf(slow?.variables, name) ?? '' }),
    ),
  }))
}

/** The names of the variables in which a replica differs from its primary; none before the first slow probe of both. */
export function differingVariables(source: Slow, other: Slow): readonly string[] {
  const [own, others] = [source.slow?.variables, other.slow?.variables]
  return own && others ? withoutAliases(differingNames(own, others).filter((name) => !isOwn(name))) : []
}

type Slow = Pick<ServerSnapshot, 'slow'>

/** What differs by nature: its identity, where its files lie, its role, its positions, the state of a session. */
const own: readonly RegExp[] = [
  /^(server_id|server_uid|server_uuid|hostname|pid_file|socket|port|extra_port|admin_port|admin_address|bind_address)$/,
  /^(report_host|report_port|report_user|report_password|mysqlx_port|mysqlx_socket|license|protocol_version)$/,
  /^(version|version_.*|innodb_version|system_.*|license|wsrep_.*|gtid_.*|last_gtid|rpl_semi_sync_.*)$/,
  /^(read_only|super_read_only|event_scheduler|\w+_(exec|parallel)_mode|init_file|in_transaction|in_predicate_.*|identity|insert_id)$/,
  /^(last_insert_id|timestamp|rand_seed\d|pseudo_.*|error_count|warning_count|external_user|proxy_user|skip_replication)$/,
  /^(statement_id|tx_.*_name|ft_.*_file|unique_checks_.*|auto_generate_certs|innodb_buffer_pool_load_.*|innodb_buffer_pool_dump_now)$/,
  /(_file|_dir|_dirs|_index|_basename|_path|_directory|_logname|_files_path|_filename)$|^(datadir|basedir|tmpdir|log_bin|log_error|relay_log|plugin_dir|.*_tmpdir|.*_home_dir|ssl_.*)$/,
]

const isOwn = (name: string): boolean => own.some((pattern) => pattern.test(name))
