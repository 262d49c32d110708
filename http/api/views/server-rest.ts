// Fields of a server that clients read beside the essential ones: derived where something is known, at rest where not.
import path from 'node:path'
import { textOf } from '../../../lib/model/named.js'
import type { ServerSnapshot, Snapshot } from '../../../lib/model/snapshot.js'

/** What says "none of this": no backup, no capture, no recovery, no tunnel. */
const atRest = {
  ...{ domain: '', agent: '', tunnelPort: '', sstPort: '', slaposDatadir: '', preferedBackup: false },
  ...{ isFull: false, isCompute: false, isMaxscale: false, isConfigGen: false, isReseeding: '' },
  ...{ isGroupReplicationMaster: false, isGroupReplicationSlave: false },
  ...{ failoverIoGtid: [], failoverMasterLogFile: '', failoverMasterLogPos: '', failoverSemiSyncSlaveStatus: false },
  ...{
    binaryLogFilePrevious: '',
    binaryLogFilesCount: 0,
    binaryLogFiles: {},
    binaryLogPurgeBefore: 0,
    relayLogSize: 0,
  },
  ...{ maxSlowQueryTimestamp: 0, havePFSSlowQueryLog: false },
  ...{ workLoad: {}, delayStat: { current: {}, currentDT: '', delayHistory: [], rotated: false, total: {} } },
  ...{ lastBackupMeta: { logical: null, physical: null }, jobResults: {}, eventStatus: [], engineInnodb: {} },
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
    HaveHealthyReplica: servers.some((other) => other.sourceId === id && isRunning(other)),
  }
}

const isRunning = ({ state, observation }: ServerSnapshot): boolean =>
  observation === 'answered' && (state?.channels.every(({ io, sql }) => io === 'running' && sql === 'running') ?? false)

/** A number that stands for the text: equal texts, equal numbers. */
function hashOf(text: string): number {
  let hash = 0
  for (const letter of text) hash = (Math.imul(hash, 31) + letter.charCodeAt(0)) >>> 0
  return hash
}
