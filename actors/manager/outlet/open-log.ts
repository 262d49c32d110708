// Opens the manager's log as configured, with its file where one is set.
import { ok, type Result } from '../../../lib/base/result.js'
import { isoTime, now } from '../../../lib/base/time.js'
import type { Settings } from '../../../lib/settings/table/index.js'
import { createLog, type ManagerLog, verbosityOf } from './log.js'
import { openLogFile } from './log-file.js'

const MEGABYTE = 1_048_576

/** Failure: `file-unwritable`. */
export async function openLog(server: Settings): Promise<Result<ManagerLog>> {
  const verbosity = verbosityOf(server)
  if (server['log-file'] === '') return ok(createLog(verbosity))
  const file = await openLogFile({
    file: server['log-file'],
    maxBytes: server['log-rotate-max-size'] * MEGABYTE,
    keep: server['log-rotate-max-backup'],
    keepDays: server['log-rotate-max-age'],
    dropped: (lines) => JSON.stringify({ level: 40, time: isoTime(now()), lines, msg: 'lines-dropped' }),
  })
  return file.ok ? ok(createLog(verbosity, file.value)) : file
}
