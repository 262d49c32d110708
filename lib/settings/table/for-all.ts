// Which settings of clusters may be set at run time for all of them, beneath what a cluster has of its own.
import { type SettingName, settingNames, settingRow } from './index.js'

/** What a cluster is, and who its users are: of each cluster alone. */
const ofOneCluster: ReadonlySet<SettingName> = new Set(
  settingNames.filter((name) => name === 'db-servers-hosts' || name.startsWith('api-credentials')),
)

/** Not what names a program, a file or a key of the manager's machine: for all clusters, configuration files alone give that. */
export function isForAll(name: SettingName): boolean {
  const { scope, machine } = settingRow(name)
  return scope === 'cluster' && !ofOneCluster.has(name) && (machine === undefined || machine === 'account')
}
