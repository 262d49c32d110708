// Changes of one setting of the running configuration. Pure: a new configuration comes back.
import { fail, ok, type Result } from '../../base/result.js'
import { checkConfiguration, sharedHosts } from '../configuration/check.js'
import { type Configuration, givenValue, type Scope, settle, withCluster } from '../configuration/configuration.js'
import { type Fault, renderFault } from '../configuration/fault.js'
import type { Layer } from '../configuration/layer.js'
import { permitPath } from '../configuration/machine.js'
import { permitRecipients } from '../configuration/recipients.js'
import { type SettingView, viewSetting } from '../configuration/view.js'
import type { SettingValue } from '../kit/row.js'
import { savedFile } from '../load/saved.js'
import { type SettingName, settingRow } from '../table/index.js'
import { sameValue } from '../table/settings.js'
import { findChangeable } from './find.js'

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
  const permitted = permitPath(configuration.server, own, { scope, setting, value: parsed.value })
  if (!permitted.ok) return permitted
  const received = permitRecipients(configuration.server, own, { setting, value: parsed.value })
  if (!received.ok) return received

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
