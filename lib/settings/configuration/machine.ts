// Which programs, files and keys of the manager's machine a change at run time may name.
import path from 'node:path'
import { done, fail, type Result } from '../../base/result.js'
import type { SettingValue } from '../kit/row.js'
import { type SettingName, settingRow } from '../table/index.js'
import { sameValue } from '../table/settings.js'
import { givenValue, type Scope } from './configuration.js'

/** A value that is set at run time, or was saved when it was set. */
export interface RunTimeValue {
  /** A cluster, or '' for the server. */
  readonly scope: string
  readonly setting: SettingName
  readonly value: SettingValue
}

/** Below the folder of `monitoring-cluster-files`: files that every cluster may name. */
export const SHARED_FILES = 'shared'

/**
 * `wrong-value` for a path that the scope may not name; the message says where files may lie. The value that file,
 * environment, flag or default give, and none at all, may always be set.
 */
export function permitPath(server: Scope, own: Scope, { scope, setting, value }: RunTimeValue): Result<void> {
  const { machine, default: builtIn } = settingRow(setting)
  if (machine === undefined || machine === 'account') return done
  if (sameValue(setting, value, givenValue(server, own, setting)?.value ?? builtIn)) return done
  if (machine === 'key')
    return fail('wrong-value', `${setting} is set in the configuration files only: it names a file of the manager`)
  if (scope === '' || value === '') return done
  const folder = server.settings['monitoring-cluster-files']
  if (folder === '') return fail('wrong-value', `${setting}: ${CLOSED}`)
  const places = [path.join(folder, scope), path.join(folder, SHARED_FILES)]
  return typeof value === 'string' && places.some((place) => isBelow(value, place))
    ? done
    : fail('wrong-value', `${setting}: at run time, allowed: a file below ${places.join(' or ')}`)
}

const CLOSED =
  'it names a file of the manager’s machine and is set in the configuration files only; monitoring-cluster-files, there, names a folder of files that clusters may use'

/** An absolute path without detours: links below the folder are those of who may write there. */
const isBelow = (file: string, folder: string): boolean =>
  path.isAbsolute(file) && path.normalize(file) === file && file.startsWith(folder + path.sep)
