// Every setting: the groups joined, and the way from any spelling of a name to its row.
import { editDistance, suggest } from '../../base/suggest.js'
import type { SettingRow } from '../kit/row.js'
import { purgeSettings, restoreSettings, storedBinlogSettings } from './backup/binlogs.js'
import { jobSettings } from './backup/jobs.js'
import { backupMethodSettings } from './backup/methods.js'
import { placeSettings } from './backup/places.js'
import { backupPolicySettings } from './backup/policy.js'
import { storageSettings } from './backup/storage.js'
import { apiSettings } from './daemon/api.js'
import { arbitrationSettings } from './daemon/arbitration.js'
import { clusterStoreSettings } from './daemon/cluster-store.js'
import { graphiteSettings } from './daemon/graphite.js'
import { hostedSettings } from './daemon/hosted.js'
import { logSettings } from './daemon/log.js'
import { logModuleSettings } from './daemon/log-modules.js'
import { loginSettings } from './daemon/login.js'
import { processSettings } from './daemon/process.js'
import { prometheusSettings } from './daemon/prometheus.js'
import { repositorySettings } from './daemon/repository.js'
import { selfServiceSettings } from './daemon/self-service.js'
import { vaultSettings } from './daemon/vault.js'
import { alertSettings } from './monitoring/alert.js'
import { alertChannelSettings } from './monitoring/alert-channels.js'
import { alertRuleSettings } from './monitoring/alert-rules.js'
import { checkSettings } from './monitoring/checks.js'
import { databaseSettings } from './monitoring/databases.js'
import { monitoringSettings } from './monitoring/monitoring.js'
import { schedulerSettings } from './monitoring/scheduler.js'
import { watchSettings } from './monitoring/watch.js'
import { onpremiseSettings } from './provision/onpremise.js'
import { orchestratorSettings } from './provision/orchestrator.js'
import { priceSettings } from './provision/price.js'
import { provisionSettings } from './provision/provision.js'
import { provisionProxySettings } from './provision/provision-proxy.js'
import { unitSettings } from './provision/unit.js'
import { haproxySettings } from './proxy/haproxy.js'
import { maxscaleSettings } from './proxy/maxscale.js'
import { otherProxySettings } from './proxy/other-proxies.js'
import { proxySettings } from './proxy/proxies.js'
import { proxysqlSettings } from './proxy/proxysql.js'
import { binlogSettings } from './replication/binlog.js'
import { delaySettings } from './replication/delays.js'
import { enforceSettings } from './replication/enforce.js'
import { evidenceSettings } from './replication/evidence.js'
import { failoverSettings } from './replication/failover.js'
import { rejoinSettings } from './replication/rejoin.js'
import { replicationSettings } from './replication/replication.js'
import { switchoverSettings } from './replication/switchover.js'
import { benchmarkSettings } from './test/benchmark.js'

/** The groups in the order of the document: title → rows. */
export const settingGroups = {
  api: apiSettings,
  login: loginSettings,
  process: processSettings,
  'cluster store': clusterStoreSettings,
  arbitration: arbitrationSettings,
  repository: repositorySettings,
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
  delays: delaySettings,
  proxies: proxySettings,
  haproxy: haproxySettings,
  proxysql: proxysqlSettings,
  maxscale: maxscaleSettings,
  'other-proxies': otherProxySettings,
  scheduler: schedulerSettings,
  'host jobs': jobSettings,
  'stored binlogs': storedBinlogSettings,
  'purge of binlogs': purgeSettings,
  restore: restoreSettings,
  'backup storage': storageSettings,
  'backup places': placeSettings,
  'backup methods': backupMethodSettings,
  'backup policy': backupPolicySettings,
  provision: provisionSettings,
  unit: unitSettings,
  price: priceSettings,
  orchestrator: orchestratorSettings,
  onpremise: onpremiseSettings,
  'provision-proxy': provisionProxySettings,
  alert: alertSettings,
  'alert-channels': alertChannelSettings,
  'alert-rules': alertRuleSettings,
  hosted: hostedSettings,
  'self-service': selfServiceSettings,
  log: logSettings,
  'log modules': logModuleSettings,
  graphite: graphiteSettings,
  prometheus: prometheusSettings,
  vault: vaultSettings,
  benchmarks: benchmarkSettings,
} as const

export const settingsTable = {
  ...apiSettings,
  ...loginSettings,
  ...processSettings,
  ...clusterStoreSettings,
  ...arbitrationSettings,
  ...repositorySettings,
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
  ...delaySettings,
  ...proxySettings,
  ...haproxySettings,
  ...proxysqlSettings,
  ...maxscaleSettings,
  ...otherProxySettings,
  ...schedulerSettings,
  ...jobSettings,
  ...storedBinlogSettings,
  ...purgeSettings,
  ...restoreSettings,
  ...storageSettings,
  ...placeSettings,
  ...backupMethodSettings,
  ...backupPolicySettings,
  ...provisionSettings,
  ...unitSettings,
  ...priceSettings,
  ...orchestratorSettings,
  ...onpremiseSettings,
  ...provisionProxySettings,
  ...alertSettings,
  ...alertChannelSettings,
  ...alertRuleSettings,
  ...hostedSettings,
  ...selfServiceSettings,
  ...logSettings,
  ...logModuleSettings,
  ...graphiteSettings,
  ...prometheusSettings,
  ...vaultSettings,
  ...benchmarkSettings,
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

const firstWord = (name: string): string => name.toLowerCase().split('-', 1)[0] ?? ''

/**
 * The known spelling that someone may have meant, for a message. Its first word is that of the name, or, where no setting begins
 * with that, one letter away: what belongs to one proxy is not taken for a setting of another one.
 */
export function nearestSpelling(name: string): string | undefined {
  const word = firstWord(name)
  const alike = knownSpellings.filter((known) => firstWord(known) === word)
  return suggest(
    name,
    alike.length > 0 ? alike : knownSpellings.filter((known) => editDistance(word, firstWord(known)) === 1),
  )
}

/** The present name for a name in any spelling and case. */
export const findSetting = (spelling: string): SettingName | undefined =>
  spellings.get(spelling) ?? spellings.get(spelling.toLowerCase())
