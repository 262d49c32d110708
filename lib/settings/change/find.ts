// Which setting of which scope a change is about.
import { fail, ok, type Result } from '../../base/result.js'
import { type Configuration, effectiveValue, type Scope, scopeOf } from '../configuration/configuration.js'
import type { SettingValue } from '../kit/row.js'
import { isForAll } from '../table/for-all.js'
import { findSetting, nearestSpelling, type SettingName, settingRow } from '../table/index.js'
import { findRecognised } from '../table/recognised.js'

/** `setting-without-effect` for a recognised name, else `unknown-setting` with the nearest name. */
export function refuseName(spelling: string): Result<never> {
  const recognised = findRecognised(spelling)
  if (recognised) return fail('setting-without-effect', `${recognised.name} has no effect here: ${recognised.reason}`)
  const nearest = nearestSpelling(spelling)
  return fail(
    'unknown-setting',
    `${spelling} is not a setting${nearest === undefined ? '' : `; did you mean ${nearest}?`}`,
  )
}

export interface Changeable {
  readonly setting: SettingName
  readonly own: Scope
  readonly current: SettingValue
  readonly immutable: boolean
}

/** A setting of this scope in any spelling, for the server also one of clusters that all of them may be given; `unknown-cluster`, `unknown-setting`, `setting-without-effect` or `wrong-scope`. */
export function findChangeable(configuration: Configuration, scope: string, spelling: string): Result<Changeable> {
  const own = scopeOf(configuration, scope)
  if (!own) return fail('unknown-cluster', `no cluster ${scope}`)
  const setting = findSetting(spelling)
  if (setting === undefined) return refuseName(spelling)
  const wanted = settingRow(setting).scope
  if (wanted === 'server' && scope !== '') return fail('wrong-scope', `${setting} belongs to the server`)
  if (wanted === 'cluster' && scope === '' && !isForAll(setting))
    return fail('wrong-scope', `${setting} belongs to each cluster alone: it is not set for all clusters at run time`)
  const { value, immutable } = effectiveValue(configuration.server, own, setting)
  return ok({ setting, own, current: value, immutable })
}
