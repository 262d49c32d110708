// Fields of a cluster that clients read beside the essential ones: choices of forms, and what is at rest.
import { findServer } from '../../../../lib/model/snapshot.js'
import type { ViewInput } from '../kit/input.js'

const emptyLog = { buffer: [], len: 0, line: 0 }
const choices = (...names: readonly string[]) => Object.fromEntries(names.map((name) => [name, name]))
const offered = (...names: readonly string[]) => Object.fromEntries(names.map((name) => [name, true]))

const atRest = {
  monitorType: choices('mariadb', 'mysql', 'percona', 'haproxy', 'proxysql', 'maxscale'),
  diskType: choices('volume', 'directory', 'loopback', 'pool'),
  fsType: offered('ext4', 'xfs', 'zfs', 'directory'),
  vmType: offered('docker', 'package'),
  ...{ isAlertDisable: false, isGitPull: false, isGitPush: false, isExportPush: false, isGettingSlowLog: false },
  ...{ isValidBackup: false, canInitNodes: true, canConnectVault: false, isPostgres: false, cleanReplication: false },
  ...{ haveDBTLSOldCert: false, sqlErrorLog: emptyLog, sqlGeneralLog: emptyLog, sstAvailablePorts: {} },
  ...{ SlavesOldestMasterFile: { Prefix: '', Suffix: 0, OldestTimestamp: 0 }, VersionsMap: {}, LastDelayStatPrint: '' },
  ...{ Whitelist: [], Blacklist: [] },
}

export const renderClusterRest = ({ snapshot, config }: ViewInput) => ({
  ...atRest,
  haveDBTLSCert: typeof config.dbServersTlsCaCert === 'string' && config.dbServersTlsCaCert !== '',
  UseWhitelist: config.graphiteWhitelist === true,
  UseBlacklist: config.graphiteBlacklist === true,
  SlavesConnected: findServer(snapshot, snapshot.primary)?.slow?.dumpThreads ?? 0,
})
