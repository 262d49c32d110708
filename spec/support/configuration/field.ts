// Option files as they are found in the field: what a cluster that is adopted was started with. MariaDB reads all of them.

const groups: readonly (readonly [name: string, lines: string])[] = [
  ['nothing set at all', ''],
  [
    'a distribution package',
    'bind-address=127.0.0.1; expire_logs_days=10; character-set-server=utf8mb4; collation-server=utf8mb4_general_ci; key_buffer_size=128M; max_allowed_packet=1G; thread_stack=192K; thread_cache_size=8; max_connections=100; query_cache_size=16M',
  ],
  [
    'an older distribution package',
    'key_buffer_size=16M; max_allowed_packet=16M; thread_stack=192K; thread_cache_size=8; query_cache_limit=1M; query_cache_size=16M; expire_logs_days=10; max_binlog_size=100M; character-set-server=utf8; collation-server=utf8_general_ci',
  ],
  [
    'a rented virtual machine of 512 MB',
    'innodb_buffer_pool_size=24M; innodb_log_buffer_size=2M; key_buffer_size=1M; max_connections=30; table_open_cache=200; tmp_table_size=4M; max_heap_table_size=4M; performance_schema=OFF; query_cache_size=0; query_cache_type=0',
  ],
  [
    'a rented virtual machine of 1 GB',
    'innodb_buffer_pool_size=64M; innodb_flush_log_at_trx_commit=2; sync_binlog=0; max_connections=60; tmp_table_size=16M; max_heap_table_size=16M; slow_query_log=ON; long_query_time=1',
  ],
  [
    'tuned transactions',
    'innodb_buffer_pool_size=96M; innodb_log_file_size=32M; innodb_flush_log_at_trx_commit=1; sync_binlog=1; innodb_flush_method=O_DIRECT; innodb_io_capacity=2000; innodb_io_capacity_max=4000; innodb_read_io_threads=8; innodb_write_io_threads=8; thread_handling=pool-of-threads; max_connections=500; innodb_lock_wait_timeout=20',
  ],
  [
    'tuned transactions, throughput before safety',
    'innodb_flush_log_at_trx_commit=0; sync_binlog=1000; innodb_doublewrite=0; innodb_flush_neighbors=0; innodb_adaptive_hash_index=OFF; innodb_autoinc_lock_mode=2; max_connections=2000; back_log=500; innodb_change_buffering=none',
  ],
  [
    'one that groups commits',
    'innodb_flush_log_at_trx_commit=3; sync_binlog=100; binlog_commit_wait_count=10; binlog_commit_wait_usec=5000; innodb_use_native_aio=0',
  ],
  [
    'reports',
    'tmp_table_size=64M; max_heap_table_size=64M; join_buffer_size=8M; sort_buffer_size=8M; read_rnd_buffer_size=4M; optimizer_switch=mrr=on,mrr_cost_based=off,optimize_join_buffer_size=on; join_cache_level=8; group_concat_max_len=1048576; max_statement_time=600',
  ],
  [
    'mrr and statistics',
    'join_cache_level=6; use_stat_tables=preferably; optimizer_use_condition_selectivity=4; histogram_size=255; optimizer_search_depth=10',
  ],
  [
    'a web shop',
    'sql_mode=NO_ENGINE_SUBSTITUTION; innodb_strict_mode=OFF; max_allowed_packet=64M; wait_timeout=600; interactive_timeout=600; innodb_buffer_pool_size=48M; query_cache_type=1; query_cache_size=32M; query_cache_limit=2M; optimizer_switch=rowid_filter=off',
  ],
  [
    'a content management system',
    'sql_mode=; character-set-server=utf8mb4; collation-server=utf8mb4_unicode_ci; max_allowed_packet=256M; innodb_file_per_table=1; table_definition_cache=4000; table_open_cache=4000',
  ],
  [
    'latin1 from long ago',
    'character-set-server=latin1; collation-server=latin1_swedish_ci; sql_mode=STRICT_TRANS_TABLES; lower_case_table_names=0; innodb_file_per_table=0; old_mode=',
  ],
  [
    'utf8mb3',
    'character-set-server=utf8mb3; collation-server=utf8mb3_general_ci; old_mode=UTF8_IS_UTF8MB3; init_connect=SET NAMES utf8',
  ],
  [
    'binary collation',
    'character-set-server=utf8mb4; collation-server=utf8mb4_bin; explicit_defaults_for_timestamp=OFF; sql_mode=ANSI_QUOTES,STRICT_ALL_TABLES',
  ],
  [
    'names in lower case',
    'lower_case_table_names=1; sql_mode=STRICT_TRANS_TABLES,NO_ZERO_DATE; default_week_format=1; event_scheduler=ON',
  ],
  [
    'dialect of another vendor',
    'sql_mode=ORACLE; autocommit=1; transaction-isolation=READ-COMMITTED; innodb_print_all_deadlocks=ON',
  ],
  [
    'serializable',
    'transaction-isolation=SERIALIZABLE; innodb_rollback_on_timeout=ON; innodb_deadlock_detect=OFF; completion_type=0',
  ],
  [
    'read committed, mixed events',
    'transaction-isolation=READ-COMMITTED; binlog_format=MIXED; binlog_row_image=MINIMAL; binlog_cache_size=1M; binlog_stmt_cache_size=1M',
  ],
  [
    'statements, without strict GTID',
    'binlog_format=STATEMENT; gtid_strict_mode=OFF; log_bin_trust_function_creators=1; binlog_checksum=NONE; slave_type_conversions=ALL_NON_LOSSY',
  ],
  [
    'a parallel replica',
    'slave_parallel_threads=8; slave_parallel_mode=optimistic; slave_domain_parallel_threads=2; slave_compressed_protocol=ON; slave_net_timeout=30; relay_log_recovery=ON; read_only=ON; log_slow_slave_statements=ON',
  ],
  [
    'a conservative replica',
    'slave_parallel_mode=conservative; slave_parallel_threads=4; slave_exec_mode=IDEMPOTENT; slave_transaction_retries=20; read_only=ON; sync_master_info=1; sync_relay_log=1; sync_relay_log_info=1',
  ],
  [
    'semi-synchronous',
    'rpl_semi_sync_master_enabled=ON; rpl_semi_sync_slave_enabled=ON; rpl_semi_sync_master_timeout=5000; rpl_semi_sync_master_wait_point=AFTER_SYNC; sync_binlog=1; innodb_flush_log_at_trx_commit=1',
  ],
  [
    'its own identity',
    'server-id=1001; gtid_domain_id=7; report_host=db-a.example; auto_increment_increment=2; auto_increment_offset=2',
  ],
  [
    'prepared for Galera',
    'binlog_format=ROW; default_storage_engine=InnoDB; innodb_autoinc_lock_mode=2; innodb_flush_log_at_trx_commit=0; wsrep_on=OFF; wsrep_slave_threads=4; wsrep_cluster_name=shop',
  ],
  [
    'compressed',
    'log_bin_compress=ON; innodb_compression_default=ON; innodb_compression_algorithm=zlib; innodb_compression_level=3; innodb_defragment=ON; slave_compressed_protocol=1',
  ],
  [
    'everything logged',
    'general_log=ON; slow_query_log=ON; long_query_time=0; log_queries_not_using_indexes=ON; log_output=TABLE; log_warnings=4; log_slow_verbosity=query_plan,explain; min_examined_row_limit=100',
  ],
  [
    'watched',
    'performance_schema=ON; performance_schema_max_table_instances=500; userstat=ON; plugin-load-add=query_response_time; plugin-load-add=metadata_lock_info; plugin-load-add=server_audit; server_audit_logging=OFF',
  ],
  [
    'other engines',
    'plugin-load-add=ha_blackhole; plugin-load-add=ha_connect; plugin-load-add=ha_spider; aria_pagecache_buffer_size=8M; aria_checkpoint_interval=60; myisam_sort_buffer_size=4M; concurrent_insert=2; default_storage_engine=Aria',
  ],
  [
    'without a binary log',
    'skip-log-bin; log_slave_updates=OFF; innodb_flush_log_at_trx_commit=2; local_infile=OFF; skip_external_locking=ON; max_user_connections=20; ft_min_word_len=3; tls_version=TLSv1.2,TLSv1.3',
  ],
]

/** Options of a server by the name of the installation, as arguments. */
export const fieldConfigurations: readonly { readonly name: string; readonly args: readonly string[] }[] = groups.map(
  ([name, lines]) => ({
    name,
    args: lines
      .split(';')
      .map((line) => line.trim())
      .filter((line) => line !== '')
      .map((line) => `--${line}`),
  }),
)
