// Changes of the running configuration: set, switch, add and remove. Pure: a new configuration comes back.
import { fail, ok, type Result } from '../../base/result.js'
import { suggest } from '../../base/suggest.js'
import { checkConfiguration, sharedHosts } from '../configuration/check.js'
import {
  type Configuration,
  effectiveValue,
  emptyScope,
  givenValue,
  type Scope,
  scopeOf,
  settle,
  withCluster,
} from '../configuration/configuration.js'
import { type Fault, renderFault } from '../configuration/fault.js'
import type { Layer } from '../configuration/layer.js'
import { type SettingView, viewSetting } from '../configuration/view.js'
import { clusterNameRule, isClusterName } from '../kit/cluster-name.js'
import type { SettingValue } from '../kit/row.js'
import { savedFile } from '../load/saved.js'
import { findSetting, knownSpellings, type SettingName, settingRow } from '../table/index.js'
import { findRecognised } from '../table/recognised.js'
import { sameValue } from '../table/settings.js'

export interface SettingChange {
  /** A cluster, or '' for the server. */
  readonly scope: string
  /** The setting, in any spelling. */
  readonly name: string
  readonly value: unknown
  /**
   * The fingerprint of what file, environment or flag give, a secret that is rotated: the new one is kept over restarts
   * and holds as long as they give that one.
   */
  readonly replaces?: string
}

export interface Changed {
  readonly configuration: Configuration
  /** The setting as it was. */
  readonly before: SettingView
  readonly view: SettingView
  /** The scope to give to `saveChanges`; absent when the change lasts until restart. */
  readonly save?: string
}

/** `unknown-cluster`, `unknown-setting`, `setting-without-effect`, `wrong-scope` or `wrong-value`; the message says what is allowed. */
export function changeSetting(
  configuration: Configuration,
  { scope, name, value, replaces }: SettingChange,
): Result<Changed> {
  const found = findChangeable(configuration, scope, name)
  if (!found.ok) return found
  const { setting, own } = found.value
  const parsed = settingRow(setting).shape.parse(value)
  if (!parsed.ok) return fail('wrong-value', `${setting}: ${parsed.failure.message}`)

  const isKept = !found.value.immutable || replaces !== undefined
  const keeps = isKept && configuration.server.settings['monitoring-save-config']
  const replaced = replaces === undefined ? own.replaced : new Map(own.replaced).set(setting, replaces)
  const next = keeps
    ? keep(configuration, scope, { setting, own: { ...own, replaced }, value: parsed.value })
    : overlay(configuration, scope, { setting, own, value: parsed.value })
  const [breach] = newFaults(configuration, next, scope)
  if (breach) return fail('wrong-value', renderFault({ ...breach, origin: { kind: 'runtime' } }))
  return ok({
    configuration: next,
    before: viewSetting(configuration, scope, setting),
    view: viewSetting(next, scope, setting),
    ...(keeps ? { save: scope } : {}),
  })
}

/** Takes back what was changed at run time: what file, environment, flag or default give holds again. */
export function clearSetting(
  configuration: Configuration,
  { scope, name }: Omit<SettingChange, 'value'>,
): Result<Changed> {
  const found = findChangeable(configuration, scope, name)
  if (!found.ok) return found
  const { setting, own } = found.value
  const left = {
    ...own,
    saved: dropped(own.saved, setting),
    runtime: dropped(own.runtime, setting),
    replaced: dropped(own.replaced, setting),
  }
  const next = withScope(configuration, scope, left)
  const [breach] = newFaults(configuration, next, scope)
  if (breach) return fail('wrong-value', `without its change: ${renderFault(breach)}`)
  const saves = own.saved.has(setting) && configuration.server.settings['monitoring-save-config']
  return ok({
    configuration: next,
    before: viewSetting(configuration, scope, setting),
    view: viewSetting(next, scope, setting),
    ...(saves ? { save: scope } : {}),
  })
}

/** Names that set another setting to one value, and take it away again. */
const switches: ReadonlyMap<string, readonly [SettingName, string]> = new Map(
  ['serialized', 'minimal', 'conservative', 'optimistic', 'aggressive'].map((mode) => [
    `force-slave-${mode}`,
    ['force-slave-parallel-mode', mode],
  ]),
)

/** Whether it can be switched although no setting has this name. */
export const isSwitchName = (name: string): boolean => switches.has(name.toLowerCase())

export interface SettingSwitch {
  readonly scope: string
  readonly name: string
  /** The state to end in; the other one when absent. */
  readonly on?: boolean
}

/** Flips a boolean, `failover-mode` (on is automatic), or a parallel mode. `wrong-value` for what cannot be flipped. */
export function switchSetting(configuration: Configuration, { scope, name, on }: SettingSwitch): Result<Changed> {
  const [target, choice] = switches.get(name.toLowerCase()) ?? [name]
  const found = findChangeable(configuration, scope, target)
  if (!found.ok) return found
  const { setting, current } = found.value
  const value = on === undefined ? flipped(setting, current, choice) : switched(setting, current, { choice, on })
  return value === undefined
    ? fail('wrong-value', `${setting} is not a switch; set it to a value`)
    : changeSetting(configuration, { scope, name: setting, value })
}

/** A new cluster with its first values; give its name to `saveChanges` afterwards. `bad-name`, `cluster-exists`, … */
export function addCluster(
  configuration: Configuration,
  name: string,
  values: Readonly<Record<string, unknown>> = {},
): Result<Configuration> {
  if (!isClusterName(name)) return fail('bad-name', `${name}: allowed: ${clusterNameRule}`)
  if (configuration.clusters.has(name)) return fail('cluster-exists', `cluster ${name} exists already`)
  let next = withCluster(configuration, name, { ...emptyScope, added: true })
  for (const [setting, value] of Object.entries(values)) {
    const changed = changeSetting(next, { scope: name, name: setting, value })
    if (!changed.ok) return changed
    next = changed.value.configuration
  }
  return ok({ ...next, removed: new Set([...next.removed].filter((removed) => removed !== name)) })
}

/** The configuration without a cluster. One that a file declares comes back at the next start. */
export function removeCluster(configuration: Configuration, name: string): Result<Configuration> {
  const scope = configuration.clusters.get(name)
  if (!scope) return fail('unknown-cluster', `no cluster ${name}`)
  const clusters = new Map(configuration.clusters)
  clusters.delete(name)
  return ok({
    ...configuration,
    clusters,
    removed: new Set([...configuration.removed, ...(scope.added ? [] : [name])]),
  })
}

/** `setting-without-effect` for a recognised name, else `unknown-setting` with the nearest name. */
export function refuseName(spelling: string): Result<never> {
  const recognised = findRecognised(spelling)
  if (recognised) return fail('setting-without-effect', `${recognised.name} has no effect here: ${recognised.reason}`)
  const nearest = suggest(spelling, knownSpellings)
  return fail(
    'unknown-setting',
    `${spelling} is not a setting${nearest === undefined ? '' : `; did you mean ${nearest}?`}`,
  )
}

interface Changeable {
  readonly setting: SettingName
  readonly own: Scope
  readonly current: SettingValue
  readonly immutable: boolean
}

function findChangeable(configuration: Configuration, scope: string, spelling: string): Result<Changeable> {
  const own = scopeOf(configuration, scope)
  if (!own) return fail('unknown-cluster', `no cluster ${scope}`)
  const setting = findSetting(spelling)
  if (setting === undefined) return refuseName(spelling)
  const wanted = settingRow(setting).scope
  if ((wanted === 'server') !== (scope === '')) return fail('wrong-scope', `${setting} belongs to the ${wanted}`)
  const { value, immutable } = effectiveValue(configuration.server, own, setting)
  return ok({ setting, own, current: value, immutable })
}

interface NewValue {
  readonly setting: SettingName
  readonly own: Scope
  readonly value: SettingValue
}

/** Into the saved layer. */
function keep(configuration: Configuration, scope: string, { setting, own, value }: NewValue): Configuration {
  const file = savedFile(configuration.server.settings['monitoring-datadir'], scope)
  const saved: Layer = new Map(own.saved).set(setting, { value, origin: { kind: 'saved', file } })
  return withScope(configuration, scope, { ...own, saved, runtime: dropped(own.runtime, setting) })
}

/** Over everything until restart; back to the given value drops the overlay. */
function overlay(configuration: Configuration, scope: string, { setting, own, value }: NewValue): Configuration {
  const given = givenValue(configuration.server, own, setting)
  const same = given !== undefined && sameValue(setting, given.value, value)
  const runtime: Layer = same
    ? dropped(own.runtime, setting)
    : new Map(own.runtime).set(setting, { value, origin: { kind: 'runtime' } })
  return withScope(configuration, scope, { ...own, runtime })
}

const withScope = (configuration: Configuration, name: string, scope: Scope): Configuration =>
  name === '' ? settle({ ...configuration, server: scope }) : withCluster(configuration, name, scope)

const dropped = <T>(layer: ReadonlyMap<SettingName, T>, setting: SettingName): ReadonlyMap<SettingName, T> =>
  new Map([...layer].filter(([name]) => name !== setting))

/** What a change of this scope broke that was whole before. */
function newFaults(before: Configuration, after: Configuration, scope: string): readonly Fault[] {
  const known = new Set(faultsOf(before, after, scope).map(faultKey))
  return faultsOf(after, before, scope).filter((fault) => !known.has(faultKey(fault)))
}

/** A change of one cluster is checked there, and against the others only when it concerns its servers. */
function faultsOf(configuration: Configuration, other: Configuration, scope: string): readonly Fault[] {
  const own = configuration.clusters.get(scope)
  const hosts = 'db-servers-hosts'
  const isLocal = own && sameValue(hosts, own.settings[hosts], other.clusters.get(scope)?.settings[hosts] ?? [])
  return isLocal
    ? checkConfiguration({ ...configuration, clusters: new Map([[scope, own]]) }).faults
    : [...checkConfiguration(configuration).faults, ...sharedHosts(configuration)]
}

const faultKey = ({ section, name, value, problem }: Fault): string => [section, name, value, problem].join('\n')

function flipped(setting: SettingName, current: SettingValue, choice: string | undefined): SettingValue | undefined {
  if (choice !== undefined) return current === choice ? '' : choice
  if (typeof current === 'boolean') return !current
  if (setting === 'failover-mode') return current === 'manual' ? 'automatic' : 'manual'
  return undefined
}

interface Wanted {
  readonly choice: string | undefined
  readonly on: boolean
}

/** The value that leaves the switch on or off. */
function switched(setting: SettingName, current: SettingValue, { choice, on }: Wanted): SettingValue | undefined {
  if (choice !== undefined) return on ? choice : current === choice ? '' : current
  if (typeof current === 'boolean') return on
  if (setting === 'failover-mode') return on ? 'automatic' : 'manual'
  return undefined
}
