// The reserved session of a frozen server: opened with a lifetime, and used for everything done under the freeze.
import type { Result } from '../../base/result.js'
import type { SqlSession } from '../../connect/sql/session.js'
import type { Statement } from '../../dialect/index.js'
import type { ServerId } from '../../model/server/server.js'
import type { Run } from './context.js'
import { execute, type ResultSets } from './statements.js'

/** When the manager's host is lost without a word, the server ends the session, and with it the freeze, seconds. */
const ABANDONED_AFTER = 120

export interface Reserved {
  readonly server: ServerId
  readonly session: SqlSession
}

/** The server's reserved session, opened when there is none. */
export async function reserve(run: Run, server: ServerId): Promise<Result<SqlSession>> {
  const held = run.context.sessions.reserved(server)
  const session = await run.context.sessions.reserve(server, run.remaining())
  if (!session.ok || session.value === held) return session
  const lifetime = [{ sql: `SET SESSION wait_timeout=${ABANDONED_AFTER}`, values: [] }]
  const bounded = await onReserved(run, { server, session: session.value }, lifetime)
  return bounded.ok ? session : bounded
}

export const onReserved = (
  run: Run,
  { server, session }: Reserved,
  statements: readonly Statement[],
): Promise<Result<ResultSets>> => execute(run, { server, session, statements })
