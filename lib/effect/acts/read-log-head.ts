// What a server shows of a binary log that was deleted before: its history now, and the one that its oldest log begins with.
import { listServerFiles, readPrevious } from '../../backup/storing/log-source.js'
import { fail, ok, type Result } from '../../base/result.js'
import { SECOND } from '../../base/time.js'
import type { SqlSession } from '../../connect/sql/session.js'
import type { LogHead } from '../../decide/situation/history/deleted-log.js'
import type { Statement } from '../../dialect/index.js'
import { textIn } from '../../dialect/statement/rows.js'
import { withSession } from '../kit/own-session.js'
import type { EffectServer } from '../kit/server.js'

const READ_MS = 5 * SECOND

export function readLogHead(server: EffectServer): Promise<Result<LogHead>> {
  const { dialect } = server
  return withSession(server, async (session) => {
    const oldest = dialect.identity.flavour === 'mariadb' ? await readFirst(session) : await readPurged(session)
    if (!oldest.ok) return oldest
    const history = await textOf(session, dialect.binlogHistory(), 'history')
    return history.ok ? ok({ history: history.value, oldest: oldest.value }) : history
  })
}

async function readFirst(session: SqlSession): Promise<Result<string>> {
  const files = await listServerFiles(session)
  if (!files.ok) return files
  const [first] = files.value
  return first ? readPrevious(session, first.name) : fail('wrong-state', 'it has no binary log')
}

/** MySQL begins one more log when its history is set: the first one names nothing. */
const readPurged = (session: SqlSession): Promise<Result<string>> =>
  textOf(session, { sql: 'SELECT @@GLOBAL.gtid_purged AS purged', values: [] }, 'purged')

async function textOf(session: SqlSession, { sql, values }: Statement, column: string): Promise<Result<string>> {
  const read = await session.run(sql, values, READ_MS)
  return read.ok ? ok(textIn(read.value[0]?.[0] ?? {}, column).replace(/\s/g, '')) : read
}
