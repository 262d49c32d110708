// Every setting: the groups joined, and the way from any spelling of a name to its row.
import type { SettingRow } from '../kit.js'
import { alertSettings } from './alert.js'
import { apiSettings } from './api.js'
import { binlogSettings } from './binlog.js'
import { checkSettings } from './checks.js'
import { databaseSettings } from './databases.js'
import { enforceSettings } from './enforce.js'
import { evidenceSettings } from './evidence.js'
import { failoverSettings } from './failover.js'
import { graphiteSettings } from './graphite.js'
import { haproxySettings } from './haproxy.js'
import { logSettings } from './log.js'
import { loginSettings } from './login.js'
import { maxscaleSettings } from './maxscale.js'
import { monitoringSettings } from './monitoring.js'
import { onpremiseSettings } from './onpremise.js'
import { orchestratorSettings } from './orchestrator.js'
import { otherProxySettings } from './other-proxies.js'
import { processSettings } from './process.js'
import { provisionSettings } from './provision.js'
import { provisionProxySettings } from './provision-proxy.js'
import { proxySettings } from './proxies.js'
import { proxysqlSettings } from './proxysql.js'
import { rejoinSettings } from './rejoin.js'
import { replicationSettings } from './replication.js'
import { schedulerSettings } from './scheduler.js'
import { switchoverSettings } from './switchover.js'
import { unitSettings } from './unit.js'
import { vaultSettings } from './vault.js'
import { watchSettings } from './watch.js'

/** The groups in the order of the document: title → rows. */
export const settingGroups = {
  api: apiSettings,
  login: loginSettings,
  process: processSettings,
  monitoring: monitoringSettings,
  watch: watchSettings,
  databases: databaseSettings,
  replication: replicationSettings,
  failover: failoverSettings,
  evidence: evidenceSettings,
  switchover: switchoverSettings,
  rejoin: rejoinSettings,
  checks: checkSettings,
  enforce: enforceSettings,
  binlog: binlogSettings,
  proxies: proxySettings,
  haproxy: haproxySettings,
  proxysql: proxysqlSettings,
  maxscale: maxscaleSettings,
  'other-proxies': otherProxySettings,
  scheduler: schedulerSettings,
  provision: provisionSettings,
  unit: unitSettings,
  orchestrator: orchestratorSettings,
  onpremise: onpremiseSettings,
  'provision-proxy': provisionProxySettings,
  alert: alertSettings,
  log: logSettings,
  graphite: graphiteSettings,
  vault: vaultSettings,
} as const

export const settingsTable = {
  ...apiSettings,
  ...loginSettings,
  ...processSettings,
  ...monitoringSettings,
  ...watchSettings,
  ...databaseSettings,
  ...replicationSettings,
  ...failoverSettings,
  ...evidenceSettings,
  ...switchoverSettings,
  ...rejoinSettings,
  ...checkSettings,
  ...enforceSettings,
  ...binlogSettings,
  ...proxySettings,
  ...haproxySettings,
  ...proxysqlSettings,
  ...maxscaleSettings,
  ...otherProxySettings,
  ...schedulerSettings,
  ...provisionSettings,
  ...unitSettings,
  ...orchestratorSettings,
  ...onpremiseSettings,
  ...provisionProxySettings,
  ...alertSettings,
  ...logSettings,
  ...graphiteSettings,
  ...vaultSettings,
}

export type SettingName = keyof typeof settingsTable

type ValueOf<Row> = Row extends SettingRow<infer T> ? T : never

/** The value of every setting, typed by its row. Holds secrets, so it crosses no thread: see `exportSettings`. */
export type Settings = { readonly [Name in SettingName]: ValueOf<(typeof settingsTable)[Name]> }

/** All names, in the order of the document. */
export const settingNames = Object.keys(settingsTable) as readonly SettingName[]

/** The row of a setting, its value seen as any setting's value. */
export const settingRow = (name: SettingName): SettingRow => settingsTable[name] as SettingRow<unknown> as SettingRow

const spellings: ReadonlyMap<string, SettingName> = new Map(
  settingNames.flatMap((name) => [name, ...settingRow(name).was].map((spelling) => [spelling, name] as const)),
)

/** Every name that is understood: present names and other spellings. */
export const knownSpellings: readonly string[] = [...spellings.keys()]

/** The present name for a name in any spelling and case. */
export const findSetting = (spelling: string): SettingName | undefined =>
  spellings.get(spelling) ?? spellings.get(spelling.toLowerCase())
