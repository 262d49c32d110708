// The JSON keys of a setting: lower camel case of its name, with the exceptions that its row names.
import { type SettingName, settingRow } from './index.js'

/** The key a setting has in JSON: `failover-mode` → `failoverMode`. */
export const settingJsonKey = (name: SettingName): string => settingRow(name).json ?? camelCase(name)

/** All keys to emit: the key itself, then those that existing clients read, misspelt ones among them. */
export const settingJsonKeys = (name: SettingName): readonly string[] => [
  ...new Set([settingJsonKey(name), ...settingRow(name).jsonWas]),
]

const camelCase = (name: string): string => name.replace(/-([a-z0-9])/g, (_, letter: string) => letter.toUpperCase())
