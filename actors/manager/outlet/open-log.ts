// Opens the manager's log as configured, with its file where one is set.
import { fail, ok, type Result } from '../../../lib/base/result.js'
import { isoTime, now } from '../../../lib/base/time.js'
import { addressText } from '../../../lib/model/server/server.js'
import { splitAddress } from '../../../lib/settings/kit/address.js'
import type { Settings } from '../../../lib/settings/table/index.js'
import { createLog, type ManagerLog, verbosityOf } from './log.js'
import { openLogFile } from './log-file.js'
import { openSyslog, type Syslog } from './syslog.js'

const MEGABYTE = 1_048_576

/** Failures: `file-unwritable`, `wrong-value`. */
export async function openLog(server: Settings): Promise<Result<ManagerLog>> {
  const verbosity = verbosityOf(server)
  const syslog = syslogBy(server)
  if (!syslog.ok) return syslog
  if (server['log-file'] === '') return ok(createLog(verbosity, undefined, syslog.value))
  const file = await openLogFile({
    file: server['log-file'],
    maxBytes: server['log-rotate-max-size'] * MEGABYTE,
    keep: server['log-rotate-max-backup'],
    keepDays: server['log-rotate-max-age'],
    dropped: (lines) => JSON.stringify({ level: 40, time: isoTime(now()), lines, msg: 'lines-dropped' }),
  })
  return file.ok ? ok(createLog(verbosity, file.value, syslog.value)) : file
}

/** Failure: `wrong-value` for an address that is none. */
function syslogBy(server: Settings): Result<Syslog | undefined> {
  if (!server['log-syslog']) return ok(undefined)
  const address = splitAddress(server['log-syslog-address'])
  if (address === undefined)
    return fail('wrong-value', `log-syslog-address ${server['log-syslog-address']} is not host:port`)
  const complain = (problem: string) => process.stderr.write(`syslog ${addressText(address)}: ${problem}\n`)
  return ok(openSyslog(address, complain))
}
