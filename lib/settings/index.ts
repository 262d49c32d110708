// The face of the settings room.

export { type Changed, changeSetting, clearSetting, type SettingChange } from './change/change.js'
export { addCluster, removeCluster } from './change/clusters.js'
export { refuseName } from './change/find.js'
export { type SettingSwitch, switchSetting } from './change/switch.js'
export { accessLists } from './configuration/access-lists.js'
export { type Configuration, changedSettings, type Scope, scopeOf } from './configuration/configuration.js'
export { type Fault, renderFault } from './configuration/fault.js'
export { publicUrl } from './configuration/public-url.js'
export { isAddress, isAllowed, isGiven, mailSettings } from './configuration/recipients.js'
export { maskSettings, type SettingView, viewSettings } from './configuration/view.js'
export { type HostAndPort, splitAddress } from './kit/address.js'
export { clusterNamePattern, clusterNameRule, isClusterName } from './kit/cluster-name.js'
export { searchPath } from './load/files.js'
export { type Loaded, type LoadInput, loadConfiguration, recognisedSummary } from './load/load.js'
export {
  type ConfigurationRemarks,
  type ConfigurationReport,
  explainRecognised,
  remarkLines,
  remarksOf,
  renderReport,
  reportConfiguration,
} from './load/report.js'
export { saveChanges, setAsideSaved } from './load/saved.js'
export { type Credentials, credentials } from './secret/credentials.js'
export { decryptSecret, encryptSecret, generateKeyFile, isEncrypted, readKeyFile } from './secret/secrets.js'
export { type DescribedSetting, describeSettings } from './table/describe.js'
export { findSetting, type SettingName, type Settings, settingNames, settingRow, settingsTable } from './table/index.js'
export { settingJsonKey, settingJsonKeys } from './table/json-key.js'
export { printSettings } from './table/print.js'
export { orchestrators } from './table/provision/orchestrator.js'
export { findRecognised, recognisedNames, recognisedValues } from './table/recognised.js'
export { defaultSettings, exportSettings, importSettings, sameValue, withSettings } from './table/settings.js'
