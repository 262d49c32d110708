// The ways to copy a server: one row each.
import { fail, ok, type Result } from '../../base/result.js'
import type { BackupKind } from '../../model/backup.js'
import type { Flavour } from '../../model/server/version.js'
import type { Settings } from '../../settings/index.js'
import type { Method } from './method.js'
import { mydumperMethod } from './mydumper.js'
import { mysqldumpMethod } from './mysqldump.js'
import { mariabackupMethod, xtrabackupMethod } from './physical.js'
import { scriptMethod } from './script.js'

const logical: Readonly<Record<Settings['backup-logical-type'], Method>> = {
  mysqldump: mysqldumpMethod,
  mydumper: mydumperMethod,
  script: scriptMethod,
}

export type MethodChoice = Pick<Settings, 'backup-logical-type' | 'backup-physical-type'>

/** The method of the settings for a server of this flavour. Failure: `backup-refused` with what to set. */
export function methodOf(kind: BackupKind, settings: MethodChoice, flavour: Flavour): Result<Method> {
  if (kind === 'logical') return ok(logical[settings['backup-logical-type']])
  const type = settings['backup-physical-type']
  // xtrabackup copies no MariaDB since 10.1; on it the name means mariabackup.
  if (flavour === 'mariadb') return ok(mariabackupMethod)
  if (type === 'xtrabackup') return ok(xtrabackupMethod)
  return fail('backup-refused', `backup-physical-type is ${type}, which copies no MySQL: set xtrabackup`)
}
