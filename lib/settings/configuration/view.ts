// Settings as they are shown: masked, with their origin, and under the JSON keys of the interface.
import os from 'node:os'
import { packageVersion } from '../../base/package-root.js'
import { MASK } from '../../base/secret.js'
import type { SettingValue } from '../kit/row.js'
import type { PlainValue } from '../kit/shape.js'
import { type SettingName, type Settings, settingNames, settingRow } from '../table/index.js'
import { settingJsonKeys } from '../table/json-key.js'
import { recognisedValues } from '../table/recognised.js'
import { defaultSettings } from '../table/settings.js'
import { type Configuration, effectiveValue, givenValue, type Scope, scopeOf } from './configuration.js'
import { type OriginKind, renderOrigin } from './fault.js'

export interface SettingView {
  readonly name: SettingName
  /** Masked when secret; lists as comma-separated text. */
  readonly value: PlainValue
  readonly origin: OriginKind
  /** Given by file, environment or flag: a change lasts until restart. */
  readonly immutable: boolean
  /** The place (file and line, variable or flag) that still gives the secret that was rotated. */
  readonly replaces?: string
  /** The place (file and line, variable or flag) that gives the value after the next start, where the present one is a change. */
  readonly given?: string
  /** A change acts at the next start of the manager only. */
  readonly acts?: 'restart'
  /** Set at run time for all clusters; a value of the cluster's own replaces it. */
  readonly ofAll?: true
}

/**
 * A cluster's settings are all settings; the server's ('') are those of its scope, and those of clusters that are set at run time
 * for all of them. Empty for an unknown cluster.
 */
export const viewSettings = (configuration: Configuration, scope: string): readonly SettingView[] =>
  settingNames
    .filter((name) => (scope === '' ? isOfServer(configuration, name) : configuration.clusters.has(scope)))
    .map((name) => viewSetting(configuration, scope, name))

const isOfServer = ({ server }: Configuration, name: SettingName): boolean =>
  settingRow(name).scope === 'server' || server.saved.has(name) || server.runtime.has(name)

export function viewSetting(configuration: Configuration, scope: string, name: SettingName): SettingView {
  const own = scopeOf(configuration, scope) ?? configuration.server
  const { value, origin, immutable, replaced, ofAll } = effectiveValue(configuration.server, own, name)
  const replaces = replaced ? { replaces: renderOrigin(replaced.origin) } : {}
  const given =
    origin.kind === 'runtime' ? givenValue(configuration.server, ownerOf(configuration, own, name), name) : undefined
  return {
    ...{ name, value: shownValue(name, value), origin: origin.kind, immutable, ...replaces },
    ...(given ? { given: renderOrigin(given.origin) } : {}),
    ...(settingRow(name).apply === 'restart' ? { acts: 'restart' } : {}),
    ...(ofAll ? { ofAll } : {}),
  }
}

/** The scope that decides about a setting. */
const ownerOf = ({ server }: Configuration, own: Scope, name: SettingName): Scope =>
  settingRow(name).scope === 'server' ? server : own

/** The value for the wire and the log. */
export const shownValue = (name: SettingName, value: SettingValue): PlainValue =>
  settingRow(name).secret ? MASK : settingRow(name).shape.plain(value)

/** All settings of a cluster under their JSON keys, secrets masked, with the keys of recognised names. */
export const maskSettings = (settings: Settings): Readonly<Record<string, PlainValue>> => ({
  ...maskedDefaults,
  ...masked(
    settings,
    settingNames.filter((name) => settings[name] !== settingRow(name).default),
  ),
  ...factsBeside(settings['failover-mode']),
})

/** What clients read among the settings: facts of the program, and the former setting `interactive`. */
export const factsBeside = (failoverMode: unknown): Readonly<Record<string, PlainValue>> => ({
  ...{ version: packageVersion, fullVersion: packageVersion, goOS: os.platform(), goArch: os.arch() },
  interactive: failoverMode !== 'automatic',
})

const masked = (settings: Settings, names: readonly SettingName[]): Readonly<Record<string, PlainValue>> =>
  Object.fromEntries(
    names.flatMap((name) => settingJsonKeys(name).map((key) => [key, shownValue(name, settings[name])])),
  )

/** Copies of one object are cheap: nearly every setting of nearly every cluster is at its default. */
const maskedDefaults = { ...recognisedValues('cluster'), ...masked(defaultSettings(), settingNames) }
