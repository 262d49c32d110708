// What the manager measured of the past, as charts read it: from `series` of the interface.
import { fieldsOf, listOf, numberOf, textOf, wireOf } from '../wire.js'

export type Values = readonly (number | null)[]

export interface SeriesLine {
  readonly name: string
  /** Id; absent: of the cluster as a whole. */
  readonly server?: string
  /** Its name in metrics. */
  readonly instance?: string
  /** One for each moment; null: nobody measured. */
  readonly values: Values
}

export interface SeriesSet {
  /** Milliseconds, at equal distance. */
  readonly times: readonly number[]
  readonly lines: readonly SeriesLine[]
}

/** Without a beginning or a step there are no moments, and no lines. */
export function readSeries(reply: unknown): SeriesSet {
  const { from, to, step, series } = fieldsOf(wireOf<'GET /api/clusters/:cluster/series'>(reply))
  const [begin, end, seconds] = [numberOf(from), numberOf(to), numberOf(step)]
  if (begin === undefined || end === undefined || seconds === undefined || seconds <= 0) return { times: [], lines: [] }
  const stepMs = seconds * 1_000
  const times = Array.from({ length: Math.round((end - begin) / stepMs) }, (_, index) => begin + index * stepMs)
  const lines = listOf(series).flatMap((one): SeriesLine[] => {
    const name = textOf(one.name)
    if (name === undefined) return []
    const given: readonly unknown[] = Array.isArray(one.values) ? one.values : []
    const [server, instance] = [textOf(one.server), textOf(one.instance)]
    const values = times.map((_, index) => numberOf(given[index]) ?? null)
    return [
      { name, ...(server === undefined ? {} : { server }), ...(instance === undefined ? {} : { instance }), values },
    ]
  })
  return { times, lines }
}

/** Names of the series that say how far a replica is behind, how many sessions there are, and the like. */
const status = (name: string): string => `mysql_global_status_${name}`

export const seriesOf = {
  lag: 'manager_replica_lag_seconds',
  diskUsed: 'manager_server_disk_used_ratio',
  /** What clients sent; unlike `queries` not what replication and stored programs run. */
  queries: status('questions'),
  selects: status('com_select'),
  inserts: status('com_insert'),
  updates: status('com_update'),
  deletes: status('com_delete'),
  slowQueries: status('slow_queries'),
  connections: status('threads_connected'),
  running: status('threads_running'),
  aborted: status('aborted_connects'),
  received: status('bytes_received'),
  sent: status('bytes_sent'),
  pageRequests: status('innodb_buffer_pool_read_requests'),
  pageReads: status('innodb_buffer_pool_reads'),
  dirty: status('innodb_buffer_pool_bytes_dirty'),
  /** One of the two, by the software. */
  checkpointAge: status('innodb_checkpoint_age'),
  redoSize: status('innodb_redo_log_logical_size'),
  redoWritten: status('innodb_os_log_written'),
  history: status('innodb_history_list_length'),
  lockWaits: status('innodb_row_lock_current_waits'),
  semiSyncWaiting: status('rpl_semi_sync_master_wait_sessions'),
  semiSyncWaitingNew: status('rpl_semi_sync_source_wait_sessions'),
  semiSyncTime: status('rpl_semi_sync_master_tx_wait_time'),
  semiSyncTimeNew: status('rpl_semi_sync_source_tx_wait_time'),
} as const
