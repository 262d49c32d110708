// The face of the settings room.
export { accessLists } from './access-lists.js'
export { type HostAndPort, splitAddress } from './address.js'
export {
  addCluster,
  type Changed,
  changeSetting,
  clearSetting,
  refuseName,
  removeCluster,
  type SettingChange,
  type SettingSwitch,
  switchSetting,
} from './change.js'
export { clusterNameRule, isClusterName } from './cluster-name.js'
export { type Configuration, changedSettings, type Scope, scopeOf } from './configuration.js'
export { type Credentials, credentials } from './credentials.js'
export { type Fault, renderFault } from './fault.js'
export { searchPath } from './files.js'
export { settingJsonKey, settingJsonKeys } from './json-key.js'
export { type Loaded, type LoadInput, loadConfiguration, recognisedSummary } from './load.js'
export { printSettings } from './print.js'
export { findRecognised, recognisedNames, recognisedValues } from './recognised.js'
export {
  type ConfigurationReport,
  explainRecognised,
  renderReport,
  reportConfiguration,
} from './report.js'
export { saveChanges, setAsideSaved } from './saved.js'
export { decryptSecret, encryptSecret, generateKeyFile, isEncrypted, readKeyFile } from './secrets.js'
export { defaultSettings, exportSettings, importSettings, sameValue, withSettings } from './settings.js'
export { findSetting, type SettingName, type Settings, settingNames, settingRow, settingsTable } from './table/index.js'
export { maskSettings, type SettingView, viewSettings } from './view.js'
