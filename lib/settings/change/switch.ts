// Switching a setting: flips a boolean, or one of the names that set another setting.
import { fail, type Result } from '../../base/result.js'
import type { Configuration } from '../configuration/configuration.js'
import type { SettingValue } from '../kit/row.js'
import type { SettingName } from '../table/index.js'
import { type Changed, changeSetting } from './change.js'
import { findChangeable } from './find.js'

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
