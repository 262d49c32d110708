// Status and variables of servers that are exported by default: what dashboards and alerts query, and what people ask in a trouble.

const words = (...lists: readonly string[]): readonly string[] => lists.flatMap((list) => list.split(' '))

/** `innodb` and `row_lock_time` give `innodb_row_lock_time`. */
const under = (prefix: string, list: string): readonly string[] => list.split(' ').map((name) => `${prefix}_${name}`)

/** Of SHOW GLOBAL STATUS, in lower case. Names that a flavour does not have cost nothing. */
export const usualStatus: ReadonlySet<string> = new Set([
  ...words(
    'aborted_clients aborted_connects access_denied_errors bytes_received bytes_sent connections uptime',
    'connection_errors_internal connection_errors_max_connections created_tmp_disk_tables created_tmp_files',
    'created_tmp_tables max_used_connections memory_used open_files open_tables open_table_definitions opened_files',
    'opened_tables opened_table_definitions prepared_stmt_count queries questions slow_queries table_locks_immediate',
    'table_locks_waited table_open_cache_hits table_open_cache_misses table_open_cache_overflows threads_cached',
    'threads_connected threads_created threads_running transactions_multi_engine',
  ),
  ...under('binlog', 'bytes_written cache_disk_use cache_use commits group_commits'),
  ...under(
    'com',
    'alter_table begin commit create_table delete delete_multi drop_table insert insert_select replace replace_select rollback select set_option show_status show_variables stmt_close stmt_execute stmt_prepare truncate update update_multi',
  ),
  ...under(
    'handler',
    'commit delete icp_attempts icp_match prepare read_first read_key read_last read_next read_prev read_rnd read_rnd_next rollback tmp_update tmp_write update write',
  ),
  ...under(
    'innodb_buffer_pool',
    'bytes_data bytes_dirty pages_data pages_dirty pages_flushed pages_free pages_misc pages_total read_ahead read_ahead_evicted read_requests reads wait_free write_requests',
  ),
  ...under(
    'innodb',
    'checkpoint_age checkpoint_max_age data_fsyncs data_pending_fsyncs data_pending_reads data_pending_writes data_read data_reads data_writes data_written dblwr_pages_written deadlocks history_list_length log_waits log_write_requests log_writes lsn_current lsn_flushed lsn_last_checkpoint num_open_files os_log_written page_size pages_created pages_read pages_written',
  ),
  ...under('innodb', 'row_lock_current_waits row_lock_time row_lock_time_avg row_lock_time_max row_lock_waits'),
  ...under(
    'innodb',
    'rows_deleted rows_inserted rows_read rows_updated redo_log_logical_size redo_log_capacity_resized',
  ),
  ...under('qcache', 'free_memory hits inserts lowmem_prunes not_cached queries_in_cache'),
  ...under('select', 'full_join full_range_join range range_check scan'),
  ...under('sort', 'merge_passes range rows scan'),
  ...under('threadpool', 'idle_threads threads'),
  ...under(
    'wsrep',
    'cluster_conf_id cluster_size cert_deps_distance flow_control_paused flow_control_recv flow_control_sent last_committed local_bf_aborts local_cert_failures local_recv_queue local_recv_queue_avg local_send_queue local_send_queue_avg local_state received_bytes replicated_bytes',
  ),
  ...['master', 'source'].flatMap((side) =>
    under(`rpl_semi_sync_${side}`, 'clients no_times no_tx tx_avg_wait_time tx_waits wait_sessions yes_tx'),
  ),
  ...['slave_open_temp_tables', 'slave_retried_transactions', 'slave_running'],
])

/** Of SHOW GLOBAL VARIABLES, in lower case. */
export const usualVariables: ReadonlySet<string> = new Set([
  ...words(
    'binlog_cache_size binlog_expire_logs_seconds interactive_timeout join_buffer_size key_buffer_size long_query_time',
    'max_allowed_packet max_binlog_size max_connections max_heap_table_size max_prepared_stmt_count max_statement_time',
    'open_files_limit port query_cache_size read_buffer_size relay_log_space_limit server_id sort_buffer_size sync_binlog',
    'table_definition_cache table_open_cache thread_cache_size thread_pool_size thread_stack tmp_table_size wait_timeout',
    'gtid_domain_id replica_parallel_workers',
  ),
  ...under(
    'innodb',
    'buffer_pool_size flush_log_at_trx_commit io_capacity io_capacity_max lock_wait_timeout log_buffer_size log_file_size log_files_in_group open_files page_size redo_log_capacity',
  ),
  ...['slave_parallel_threads', 'slave_parallel_workers', 'wsrep_slave_threads'],
  ...['rpl_semi_sync_master_timeout', 'rpl_semi_sync_source_timeout'],
])
