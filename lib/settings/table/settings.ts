// The values of all settings as one object: made from defaults, sent to a thread and taken out again.
import type { SettingValue } from '../kit/row.js'
import type { PlainValue } from '../kit/shape.js'
import { findSetting, type SettingName, type Settings, settingNames, settingRow } from './index.js'

const defaults = Object.fromEntries(settingNames.map((name) => [name, settingRow(name).default])) as unknown as Settings

/** Every setting at its default except `overrides`. */
export const defaultSettings = (overrides: Partial<Settings> = {}): Settings => withSettings(defaults, overrides)

/**
 * The settings with some values instead. Only those are the new object's own, the others are inherited from `settings`: a
 * thousand clusters differ in a few of some hundred values. Hence never spread settings, never list their own keys.
 */
export const withSettings = <S extends Partial<Settings>>(settings: S, overrides: Partial<S>): S =>
  Object.assign(Object.create(settings) as S, overrides)

/** What differs from the defaults, as plain values with secrets in clear: for a thread, never for a file or the wire. */
export const exportSettings = (settings: Settings): Readonly<Record<string, PlainValue>> =>
  Object.fromEntries(
    settingNames
      .filter((name) => !sameValue(name, settings[name], settingRow(name).default))
      .map((name) => [name, settingRow(name).shape.plain(settings[name])]),
  )

/** The other end of `exportSettings`: every setting, secrets wrapped. Throws on what `exportSettings` did not make. */
export function importSettings(plain: Readonly<Record<string, unknown>>): Settings {
  const overrides = Object.entries(plain).map(([spelling, value]) => {
    const name = findSetting(spelling)
    const parsed = name && settingRow(name).shape.parse(value)
    if (!parsed?.ok) throw new TypeError(`${spelling} is not as exportSettings made it`)
    return [name, parsed.value]
  })
  return defaultSettings(Object.fromEntries(overrides))
}

/** Whether two values of a setting are the same; secrets are compared by their text. */
export const sameValue = (name: SettingName, left: SettingValue, right: SettingValue): boolean =>
  left === right || settingRow(name).shape.plain(left) === settingRow(name).shape.plain(right)
