// The series that the manager keeps itself, one row each: its name as everywhere else in the metrics, its source, its unit.
import { STATUS_PREFIX } from '../families.js'

export type SeriesUnit =
  | 'count'
  | 'per-second'
  | 'bytes'
  | 'bytes-per-second'
  | 'microseconds-per-second'
  | 'seconds'
  | 'ratio'
  | 'flag'

export interface SeriesColumn {
  readonly name: string
  readonly unit: SeriesUnit
  /** What several readings become in one point: of a flag the worst counts, and of what must not be missed the highest. */
  readonly thin: 'mean' | 'max' | 'min'
  /** Of SHOW GLOBAL STATUS, in lower case; absent: of the manager's own knowledge. */
  readonly status?: string
  /** The status is a counter: the series is its growth a second. */
  readonly isRate?: true
}

const counter = (status: string, unit: SeriesUnit = 'per-second'): SeriesColumn => ({
  ...{ name: `${STATUS_PREFIX}${status}`, unit, thin: 'mean', status, isRate: true },
})

const gauge = (status: string, unit: SeriesUnit = 'count'): SeriesColumn => ({
  ...{ name: `${STATUS_PREFIX}${status}`, unit, thin: 'mean', status },
})

/** Of sessions and waits the highest counts: a peak must not vanish in the mean of a minute. */
const peak = (status: string): SeriesColumn => ({ ...gauge(status), thin: 'max' })

const own = (name: string, unit: SeriesUnit, thin: SeriesColumn['thin']): SeriesColumn => ({ name, unit, thin })

/** Read with every fast probe. */
export const probeColumns = [
  own('manager_server_up', 'flag', 'min'),
  own('manager_replica_lag_seconds', 'seconds', 'max'),
] as const

/** Read with every slow probe. */
export const statusColumns: readonly SeriesColumn[] = [
  counter('queries'),
  ...['questions', 'com_select', 'com_insert', 'com_update', 'com_delete', 'slow_queries'].map((name) => counter(name)),
  ...[peak('threads_connected'), peak('threads_running'), counter('aborted_connects')],
  ...[counter('bytes_received', 'bytes-per-second'), counter('bytes_sent', 'bytes-per-second')],
  ...[counter('innodb_buffer_pool_read_requests'), counter('innodb_buffer_pool_reads')],
  gauge('innodb_buffer_pool_bytes_dirty', 'bytes'),
  // MariaDB; MySQL has the size of the log that is not checkpointed.
  ...[gauge('innodb_checkpoint_age', 'bytes'), gauge('innodb_redo_log_logical_size', 'bytes')],
  counter('innodb_os_log_written', 'bytes-per-second'),
  ...[gauge('innodb_history_list_length'), peak('innodb_row_lock_current_waits'), counter('innodb_row_lock_waits')],
  ...['master', 'source'].flatMap((side) => [
    peak(`rpl_semi_sync_${side}_wait_sessions`),
    counter(`rpl_semi_sync_${side}_tx_wait_time`, 'microseconds-per-second'),
  ]),
  own('manager_server_disk_used_ratio', 'ratio', 'max'),
]

/** All of a server, in the order in which they are stored. */
export const serverColumns: readonly SeriesColumn[] = [...probeColumns, ...statusColumns]

/** All of a cluster as a whole. */
export const clusterColumns: readonly SeriesColumn[] = [
  own('manager_cluster_up', 'flag', 'min'),
  own('manager_cluster_failable', 'flag', 'min'),
  own('manager_cluster_healthy', 'flag', 'min'),
  own('manager_semisync_lossless', 'flag', 'min'),
  own('manager_operation_running', 'flag', 'max'),
  own('manager_cluster_findings', 'count', 'max'),
]

export const seriesNames: readonly string[] = [...clusterColumns, ...serverColumns].map(({ name }) => name)
