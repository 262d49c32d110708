// Fields of a server that clients read beside the essential ones: derived where something is known, at rest where not.
import path from 'node:path'
import { type Named, textOf } from '../../../../lib/model/server/named.js'
import type { ServerSnapshot, Snapshot } from '../../../../lib/model/snapshot.js'

/** What says "none of this": no backup, no capture, no recovery, no tunnel. */
const atRest = {
  ...{ domain: '', agent: '', tunnelPort: '', sstPort: '', slaposDatadir: '', preferedBackup: false },
  ...{ isFull: false, isCompute: false, isMaxscale: false, isConfigGen: false, isReseeding: '' },
  ...{ isGroupReplicationMaster: false, isGroupReplicationSlave: false },
  ...{ failoverIoGtid: [], failoverMasterLogFile: '', failoverMasterLogPos: '', failoverSemiSyncSlaveStatus: false },
  ...{ binaryLogPurgeBefore: 0, maxSlowQueryTimestamp: 0 },
  ...{ workLoad: {}, delayStat: { current: {}, currentDT: '', delayHistory: [], rotated: false, total: {} } },
  ...{ lastBackupMeta: { logical: null, physical: null }, jobResults: {}, eventStatus: [] },
  ...{ proxysqlHostgroup: '', maxscaleServerName: '', maxscaleServerStatus: '', maxscaleVersion: 0 },
  ...{ maxscaleHaveGtid: false, HaveSshError: false, IsInPFSQueryCapture: false },
  ...{ InPurgingBinaryLog: false, IsBackingUpBinaryLog: false, IsRefreshingBinlog: false },
  ...{ IsRefreshingBinlogMeta: false, IsLoadingJobList: false, NeedRefreshJobs: false },
  ...{ PointInTimeMeta: { IsInPITR: false, UseBinlog: false, Backup: 0, RestoreTime: 0 } },
  ...{ tlsConfigUsed: '', user: '', postgressDB: '', process: null, qps: 0 },
}

export const renderServerRest = ({ id, name, host, slow, state }: ServerSnapshot, { cluster, servers }: Snapshot) => {
  const variable = (named: string): string => textOf(slow?.variables, named) ?? ''
  return {
    ...atRest,
    ip: /^[\d.]+$|:/.test(host) ? host : '',
    serviceName: name,
    sourceClusterName: cluster,
    hashUUID: hashOf(state?.uuid ?? ''),
    DBDataDir: variable('datadir'),
    BinaryLogDir: variable('log_bin_basename') === '' ? '' : path.dirname(variable('log_bin_basename')),
    haveInnodbChecksum: !['', 'none', 'off'].includes(variable('innodb_checksum_algorithm').toLowerCase()),
    isWsrepSync: state?.galera?.state === 'synced',
    isWsrepDonor: state?.galera?.state === 'donor',
    isWsrepPrimary: state?.galera?.part.toUpperCase() === 'PRIMARY',
    havePFSSlowQueryLog: variable('performance_schema') === 'ON' && slow?.statementHistory === true,
    engineInnodb: engineFigures(slow?.status),
    HaveHealthyReplica: servers.some((other) => other.sourceId === id && isRunning(other)),
  }
}

const isRunning = ({ state, observation }: ServerSnapshot): boolean =>
  observation === 'answered' && (state?.channels.every(({ io, sql }) => io === 'running' && sql === 'running') ?? false)

/** What is shown of InnoDB, without its beginning `innodb_`: the flavours count some of it each for itself. */
const engineCounters = [
  ...['buffer_pool_pages_data', 'buffer_pool_pages_dirty', 'buffer_pool_pages_free', 'buffer_pool_pages_total'],
  ...['buffer_pool_read_requests', 'buffer_pool_reads', 'buffer_pool_wait_free', 'checkpoint_age', 'deadlocks'],
  ...['data_read', 'data_written', 'data_pending_fsyncs', 'history_list_length', 'log_waits', 'lsn_current'],
  ...['lsn_flushed', 'os_log_written', 'row_lock_current_waits', 'row_lock_time_avg', 'row_lock_waits'],
  ...['rows_deleted', 'rows_inserted', 'rows_read', 'rows_updated'],
].map((name) => `innodb_${name}`)

/** Its counters as `SHOW GLOBAL STATUS` names them. */
const engineFigures = (status: Named | undefined): Readonly<Record<string, string>> =>
  Object.fromEntries(
    engineCounters.flatMap((name) => {
      const value = textOf(status, name)
      return value === undefined ? [] : [[name, value]]
    }),
  )

/** A number derived from the text: equal texts, equal numbers. */
function hashOf(text: string): number {
  let hash = 0
  for (const letter of text) hash = (Math.imul(hash, 31) + letter.charCodeAt(0)) >>> 0
  return hash
}
