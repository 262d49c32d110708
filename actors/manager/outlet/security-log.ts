// Logins, refusals and changes: the lines of the log that an auditor reads, in a separate file.
import path from 'node:path'
import { modeOf } from '../../../lib/base/files/modes.js'
import { type LogCode, logCodes, type WriteLog } from '../../../lib/base/log-codes.js'
import { isoTime, now } from '../../../lib/base/time.js'
import type { Settings } from '../../../lib/settings/index.js'
import { LogFile } from './log-file.js'

/** Codes whose lines are kept there. Their fields name users, addresses, clusters and results, never a secret. */
const audited = (Object.keys(logCodes) as LogCode[]).filter((code) => logCodes[code].audit)

export interface SecurityLog {
  readonly write: WriteLog
  /** How often each code occurred since the start, including those that were not logged because there were too many. */
  readonly counts: ReadonlyMap<LogCode, number>
  /** Resolves when the file holds every line. */
  close(): Promise<void>
}

/** Forwards to `log`, and writes what concerns security to `<monitoring-datadir>/security.log` too, rotated like the log file. */
export function createSecurityLog(server: Settings, log: WriteLog): SecurityLog {
  const file = new LogFile({
    file: path.join(server['monitoring-datadir'], 'security.log'),
    maxBytes: server['log-rotate-max-size'] * 1_048_576,
    keep: server['log-rotate-max-backup'],
    keepDays: server['log-rotate-max-age'],
    mode: modeOf('audit'),
    dropped: (lines) => render('warn', 'lines-dropped', { lines }),
  })
  const counts = new Map(audited.map((code) => [code, 0]))
  return {
    counts,
    write: (level, code, fields = {}) => {
      log(level, code, fields)
      const count = counts.get(code)
      if (count === undefined) return
      counts.set(code, count + 1 + Number(fields.unlogged ?? 0))
      file.write(`${render(level, code, fields)}\n`)
    },
    close: () => file.close(),
  }
}

const render: (...line: Required<Parameters<WriteLog>>) => string = (level, event, fields) =>
  JSON.stringify({ time: isoTime(now()), level, event, ...fields })
