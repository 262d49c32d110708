// Which settings of the server belong to one instance where several share the fleet: each other one that is changed at run time holds at all of them.
import { findSetting, type SettingName, settingNames, settingRow } from './index.js'

/** Addresses, ports, files, directories, programs and limits of one machine, and how an instance finds the others. */
const ofInstance: ReadonlySet<SettingName> = new Set<SettingName>([
  ...(['api-server', 'api-port', 'api-bind', 'api-public-url', 'api-https-bind', 'api-oauth-redirect-url'] as const),
  ...(['http-server', 'http-port', 'http-bind-address', 'http-root'] as const),
  ...(['monitoring-ssl-cert', 'monitoring-ssl-key', 'monitoring-address'] as const),
  ...(['monitoring-datadir', 'monitoring-confdir-extra', 'monitoring-key-path', 'monitoring-cluster-files'] as const),
  ...(['include', 'strict', 'monitoring-save-config'] as const),
  ...(['backup-mysqlbinlog-path', 'backup-mysqlclient-path', 'backup-myloader-path'] as const),
  ...(['backup-mysqldump-path', 'backup-mydumper-path', 'scheduler-jobs-limit'] as const),
  'sysbench-binary-path',
  'prov-service-plan-registry',
  ...settingNames.filter((name) => namesMachine(name) || /^(cluster-store|arbitration|log)(-|$)/.test(name)),
])

/** A program, a file or a key of the manager's machine. */
function namesMachine(name: SettingName): boolean {
  const { machine } = settingRow(name)
  return machine !== undefined && machine !== 'account'
}

/**
 * Whether a saved change of this setting of the server, in any spelling, holds at all instances: so do those for all clusters, and
 * what a newer version wrote.
 */
export function isOfFleet(name: string): boolean {
  const setting = findSetting(name)
  return setting === undefined || settingRow(setting).scope === 'cluster' || !ofInstance.has(setting)
}
