// Fields of a cluster that clients read beside the essential ones: choices of forms, and what is at rest.

import { isSplitBrain } from '../../../../lib/decide/condition.js'
import { findServer, type ServerSnapshot } from '../../../../lib/model/snapshot.js'
import { blackoutUntil } from '../../../../lib/notify/alert/rules.js'
import type { ViewInput } from '../kit/input.js'
import { NO_TIME } from '../kit/no-time.js'

const emptyLog = { buffer: [], len: 0, line: 0 }
const choices = (...names: readonly string[]) => Object.fromEntries(names.map((name) => [name, name]))
const offered = (...names: readonly string[]) => Object.fromEntries(names.map((name) => [name, true]))

/** What the manager does not do, or offers as choices: see share/doc/inert-fields.md. */
export const atRestInClusters = {
  ...{ inBinlogBackup: false },
  ...{ logTask: emptyLog, agents: [], jobResults: {} },
  monitorType: choices('mariadb', 'mysql', 'percona', 'haproxy', 'proxysql', 'maxscale'),
  diskType: choices('volume', 'directory', 'loopback', 'pool'),
  fsType: offered('ext4', 'xfs', 'zfs', 'directory'),
  vmType: offered('docker', 'package'),
  ...{ isGitPull: false, isGitPush: false, isExportPush: false, isGettingSlowLog: false },
  ...{ canInitNodes: true, canConnectVault: false, isPostgres: false, cleanReplication: false },
  ...{ haveDBTLSOldCert: false, sqlErrorLog: emptyLog, sqlGeneralLog: emptyLog, sstAvailablePorts: {} },
  ...{ SlavesOldestMasterFile: { Prefix: '', Suffix: 0, OldestTimestamp: NO_TIME }, VersionsMap: {} },
  ...{ LastDelayStatPrint: NO_TIME },
  ...{ Whitelist: [], Blacklist: [] },
}

export const renderClusterRest = ({ snapshot, config, now }: ViewInput) => ({
  ...atRestInClusters,
  ...parted(snapshot),
  isAlertDisable: isBlackout(config, now),
  haveDBTLSCert: typeof config.dbServersTlsCaCert === 'string' && config.dbServersTlsCaCert !== '',
  UseWhitelist: config.graphiteWhitelist === true,
  UseBlacklist: config.graphiteBlacklist === true,
  SlavesConnected: connected(findServer(snapshot, snapshot.primary)),
})

/** Two writers or silent peers; at most half of the servers answer; the arbitrator does not answer. */
function parted({ servers, findings }: ViewInput['snapshot']) {
  const isOpen = (wanted: string): boolean => findings.some(({ code }) => code === wanted)
  const answering = servers.filter(({ observation }) => observation === 'answered').length
  return {
    isLostMajority: servers.length > 0 && answering * 2 <= servers.length,
    isSplitBrain: isSplitBrain(findings),
    isFailedArbitrator: isOpen('ERR00055'),
  }
}

/** The scheduled window without alerts. Silences by hand are in `C/silences`. */
const isBlackout = (config: ViewInput['config'], now: number): boolean =>
  blackoutUntil(
    {
      'monitoring-scheduler': config.monitoringScheduler === true,
      'scheduler-alert-disable': config.schedulerAlertDisable === true,
      'scheduler-alert-disable-cron': String(config.schedulerAlertDisableCron),
      'scheduler-alert-disable-time': Number(config.schedulerAlertDisableTime),
    },
    now,
  ) !== undefined

/** Of a primary that does not answer none is. */
const connected = (primary: ServerSnapshot | undefined): number =>
  primary?.observation === 'answered' ? (primary.slow?.dumpThreads ?? 0) : 0
