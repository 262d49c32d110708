// The loaded configuration as a value: layers per scope, and for each setting its value, origin and mutability.
import type { Secret } from '../../base/secret.js'
import type { SettingValue } from '../kit/row.js'
import { type SettingName, type Settings, settingNames, settingRow } from '../table/index.js'
import { defaultSettings, sameValue } from '../table/settings.js'
import type { Origin } from './fault.js'
import type { Entry, Layer } from './layer.js'

/** The server ('' as a name) or one cluster. */
export interface Scope {
  /** From file, environment and flags: saved values do not replace them, run-time changes last until restart. */
  readonly given: Layer
  /** Changed at run time and kept over restarts. */
  readonly saved: Layer
  /** Saved values that were not understood (a key is missing, a newer version wrote them), as JSON: written back, not used. */
  readonly leftOut: ReadonlyMap<string, Secret>
  /**
   * Secrets that were rotated while file, environment or flag gave another: the fingerprint of that one. As long as they
   * give it, the saved value holds in its place.
   */
  readonly replaced: ReadonlyMap<SettingName, string>
  /** Changed at run time until restart. */
  readonly runtime: Layer
  /** What holds: all settings, those of the server included. */
  readonly settings: Settings
  /** The cluster was added at run time: only its saved file declares it. */
  readonly added: boolean
}

/** Immutable; a change makes a new one. Secrets in it cannot be printed. */
export interface Configuration {
  /** The main file; absent when flags and environment gave everything. */
  readonly file?: string
  /** Encrypts secrets that are saved. */
  readonly key: Secret | undefined
  readonly server: Scope
  readonly clusters: ReadonlyMap<string, Scope>
  /** Clusters of the files that were removed at run time: gone until restart. */
  readonly removed: ReadonlySet<string>
}

export interface EffectiveValue extends Entry {
  /** Given by file, environment or flag: a change lasts until restart. */
  readonly immutable: boolean
  /** What file, environment or flag give although it was rotated. */
  readonly replaced?: Entry
  /** A change for all clusters: one of the cluster's own replaces it. */
  readonly ofAll?: true
}

export const emptyScope: Scope = {
  given: new Map(),
  saved: new Map(),
  leftOut: new Map(),
  replaced: new Map(),
  runtime: new Map(),
  settings: defaultSettings(),
  added: false,
}

/** The scope of a name: '' is the server's. */
export const scopeOf = (configuration: Configuration, name: string): Scope | undefined =>
  name === '' ? configuration.server : configuration.clusters.get(name)

/** What holds for one setting and where it comes from. */
export function effectiveValue(server: Scope, own: Scope, name: SettingName): EffectiveValue {
  const row = settingRow(name)
  const scope = row.scope === 'server' ? server : own
  const given = givenValue(server, scope, name)
  const saved = scope.saved.get(name)
  if (given && saved && scope.replaced.has(name)) {
    const origin: Origin = { ...saved.origin, kind: 'rotated' }
    return { ...(scope.runtime.get(name) ?? { value: saved.value, origin }), immutable: false, replaced: given }
  }
  const first = scope.runtime.get(name) ?? scope.given.get(name) ?? (given ? undefined : saved)
  const ofAll = scope === server || first ? undefined : ofAllClusters(server, name)
  const entry = first ?? ofAll ?? given ?? saved ?? server.given.get(name) ?? builtIn(row.default)
  return { ...entry, immutable: given !== undefined, ...(ofAll ? { ofAll: true } : {}) }
}

/** What was set at run time for all clusters; what file, environment or flag give all of them replaces what was saved, as of the server. */
const ofAllClusters = (server: Scope, name: SettingName): Entry | undefined =>
  server.runtime.get(name) ?? (server.given.has(name) ? undefined : server.saved.get(name))

/** The value that saved changes do not replace. The saved file of an added cluster is its section: it beats `[Default]`. */
export function givenValue(server: Scope, scope: Scope, name: SettingName): Entry | undefined {
  const common = server.given.get(name)
  return scope.given.get(name) ?? (scope.added && common?.origin.kind === 'file' ? undefined : common)
}

/** Recomputes the settings of every scope from its layers. */
export function settle(configuration: Configuration): Configuration {
  const server = settleScope(configuration.server, configuration.server)
  const clusters = [...configuration.clusters].map(([name, scope]) => [name, settleScope(server, scope)] as const)
  return { ...configuration, server, clusters: new Map(clusters) }
}

/** Puts one cluster in; the others stay as they are. */
export const withCluster = (configuration: Configuration, name: string, scope: Scope): Configuration => ({
  ...configuration,
  clusters: new Map(configuration.clusters).set(name, settleScope(configuration.server, scope)),
})

/** The settings whose values differ. */
export function changedSettings(before: Settings, after: Settings): readonly SettingName[] {
  if (before === after) return []
  return settingNames.filter((name) => !sameValue(name, before[name], after[name]))
}

function settleScope(server: Scope, own: Scope): Scope {
  const layers = [server.given, server.saved, server.runtime, own.given, own.saved, own.runtime]
  const names = new Set(layers.flatMap((layer) => [...layer.keys()]))
  const values = [...names].map((name) => [name, effectiveValue(server, own, name).value] as const)
  return { ...own, settings: defaultSettings(Object.fromEntries(values)) }
}

const DEFAULT: Origin = { kind: 'default' }

const builtIn = (value: SettingValue): Entry => ({ value, origin: DEFAULT })
