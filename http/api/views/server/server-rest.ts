// Fields of a server that clients read beside the essential ones: derived where something is known, at rest where not.
import path from 'node:path'
import { isoTime } from '../../../../lib/base/time.js'
import { sumDelays } from '../../../../lib/decide/watching/delays.js'
import type { DelayHour } from '../../../../lib/model/server/delay-hour.js'
import { type Named, textOf } from '../../../../lib/model/server/named.js'
import type { GaleraState } from '../../../../lib/model/server/reading.js'
import { clusterChannels, type ServerSnapshot, type Snapshot } from '../../../../lib/model/snapshot.js'
import { NO_TIME } from '../kit/no-time.js'

/** What says "none of this": no backup, no capture, no recovery, no tunnel. */
export const atRestInServers = {
  ...{ domain: '', agent: '', tunnelPort: '', sstPort: '', slaposDatadir: '', preferedBackup: false },
  ...{ isFull: false, isCompute: false, isMaxscale: false, isConfigGen: false, isReseeding: '' },
  ...{ isGroupReplicationMaster: false, isGroupReplicationSlave: false },
  ...{ failoverIoGtid: [], failoverMasterLogFile: '', failoverMasterLogPos: '', failoverSemiSyncSlaveStatus: false },
  ...{ binaryLogPurgeBefore: 0, binaryLogOldestTimestamp: 0, maxSlowQueryTimestamp: 0 },
  workLoad: {},
  ...{ jobResults: {}, eventStatus: [] },
  ...{ proxysqlHostgroup: '', maxscaleServerName: '', maxscaleServerStatus: '', maxscaleVersion: 0 },
  ...{ maxscaleHaveGtid: false, HaveSshError: false, IsInPFSQueryCapture: false },
  ...{ InPurgingBinaryLog: false, IsBackingUpBinaryLog: false, IsRefreshingBinlog: false },
  ...{ IsRefreshingBinlogMeta: false, IsLoadingJobList: false, NeedRefreshJobs: false },
  ...{ PointInTimeMeta: { IsInPITR: false, UseBinlog: false, Backup: 0, RestoreTime: 0 } },
  ...{ tlsConfigUsed: '', user: '', postgressDB: '', process: null },
}

export const renderServerRest = (server: ServerSnapshot, { cluster, servers }: Snapshot) => {
  const { id, name, host, slow, state } = server
  const variable = (named: string): string => textOf(slow?.variables, named) ?? ''
  return {
    ...atRestInServers,
    ip: /^[\d.]+$|:/.test(host) ? host : '',
    serviceName: name,
    sourceClusterName: cluster,
    hashUUID: hashOf(state?.uuid ?? ''),
    DBDataDir: variable('datadir'),
    BinaryLogDir: variable('log_bin_basename') === '' ? '' : path.dirname(variable('log_bin_basename')),
    haveInnodbChecksum: !['', 'none', 'off'].includes(variable('innodb_checksum_algorithm').toLowerCase()),
    isWsrepSync: isPlaced(server, 'synced'),
    isWsrepDonor: isPlaced(server, 'donor'),
    isWsrepPrimary: isInPrimaryPart(server),
    havePFSSlowQueryLog: variable('performance_schema') === 'ON' && slow?.statementHistory === true,
    engineInnodb: engineFigures(slow?.status),
    delayStat: renderDelays(server.delays),
    HaveHealthyReplica: servers.some((other) => other.sourceId === id && isRunning(other)),
  }
}

/** Statistics of the running hour, of the hours before it, and of both; nothing is counted unless `delay-stat-capture` is on. */
function renderDelays(hours: readonly DelayHour[] = []) {
  const [latest] = hours.slice(-1)
  const counted = (some: readonly DelayHour[]) => {
    const { sum, delayed, failed, samples } = sumDelays(some)
    return { delay: sum, delayCount: delayed, slaveErrCount: failed, counter: samples }
  }
  return {
    current: counted(hours.slice(-1)),
    rotated: counted(hours.slice(0, -1)),
    total: counted(hours),
    currentDT: latest ? isoTime(latest.hour) : NO_TIME,
    delayHistory: hours
      .slice(0, -1)
      .map((hour) => ({ ...counted([hour]), dt: isoTime(hour.hour), longest: hour.longest })),
  }
}

/** What a member last said of itself says nothing once it does not answer. */
const isPlaced = ({ observation, state }: ServerSnapshot, place: GaleraState['state']): boolean =>
  observation === 'answered' && state?.galera?.state === place

/** It is in the part of a Galera cluster that takes writes. */
export const isInPrimaryPart = ({ observation, state }: ServerSnapshot): boolean =>
  observation === 'answered' && state?.galera?.part.toUpperCase() === 'PRIMARY'

const isRunning = (server: ServerSnapshot): boolean =>
  server.observation === 'answered' &&
  clusterChannels(server).every(({ io, sql }) => io === 'running' && sql === 'running')

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
