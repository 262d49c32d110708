// From which transactions on the binary logs of a server have everything.
import { listServerFiles, readPrevious } from '../../backup/storing/log-source.js'
import { fail, type Result } from '../../base/result.js'
import { openSession } from '../../connect/sql/mysql2-session.js'
import type { SqlTarget } from '../../connect/sql/session.js'

/** The transactions that precede its oldest binary log, as the server lists them; a replica behind them cannot follow it. */
export async function readOldest(target: SqlTarget): Promise<Result<string>> {
  const opened = await openSession(target)
  if (!opened.ok) return opened
  try {
    const files = await listServerFiles(opened.value)
    if (!files.ok) return files
    const [first] = files.value
    return first ? await readPrevious(opened.value, first.name) : fail('wrong-state', 'it has no binary log')
  } finally {
    opened.value.close()
  }
}
