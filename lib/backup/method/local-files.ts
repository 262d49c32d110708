// Whether the data directory of a server is on this machine, and where: a physical copy reads its files.
import { readFile, readlink, realpath } from 'node:fs/promises'
import path from 'node:path'
import { fail, ok, type Result } from '../../base/result.js'
import { SECOND } from '../../base/time.js'
import { openSession } from '../../connect/sql/mysql2-session.js'
import type { SqlTarget } from '../../connect/sql/session.js'
import { dataFolder } from '../../dialect/shared/backup/backups.js'

/** Failure `backup-refused`: its process does not run here, or its files cannot be read. */
export async function findLocalData(target: SqlTarget): Promise<Result<string>> {
  const opened = await openSession(target)
  if (!opened.ok) return opened
  const read = await opened.value.run(dataFolder.sql, dataFolder.values, 10 * SECOND)
  opened.value.close()
  if (!read.ok) return read
  const { datadir = '', pid_file: pidFile = '' } = read.value[0]?.[0] ?? {}
  const [folder, file] = [String(datadir), String(pidFile)]
  try {
    // A directory of the same name on another host is not enough: the process that it names works in it.
    const pid = (await readFile(path.resolve(folder, file), 'utf8')).trim()
    const [here, there] = await Promise.all([realpath(folder), readlink(`/proc/${pid}/cwd`)])
    if (here === there) return ok(here)
  } catch {
    // its files are not here, or not readable
  }
  return fail('backup-refused', `the data directory ${folder} of ${target.host}:${target.port} is not on this machine`)
}
