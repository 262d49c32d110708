// Sessions of a server whose disk is full: tables of sessions need space there, SHOW PROCESSLIST does not.
import { ok, type Result } from '../../base/result.js'
import { isDiskFull, parseSessions, type SessionRow, sessionList } from '../../dialect/index.js'
import type { Run } from '../kit/context.js'
import { type Execution, execute } from '../kit/statements.js'

type On = Pick<Execution, 'server' | 'session' | 'late'>

/** Sessions of clients, without the manager's own. */
export async function listSessions(run: Run, on: On): Promise<Result<readonly SessionRow[]>> {
  const answer = await execute(run, { ...on, statements: [sessionList] })
  if (!answer.ok) return answer
  const own = new Set([...run.context.sessions.own(on.server), on.session?.threadId])
  return ok(parseSessions(answer.value[0] ?? []).filter(({ id }) => !own.has(id)))
}

/**
 * none: no write waits for space. log: a commit that writes the binary log does, since other commits wait behind it. space: a write
 * does, or `refused` shows that a statement found none.
 */
export async function judgeSpace(run: Run, on: On, refused?: Result<unknown>): Promise<'none' | 'space' | 'log'> {
  const sessions = await listSessions(run, on)
  const waits = sessions.ok && sessions.value.some(({ waitsForSpace }) => waitsForSpace)
  if (waits && sessions.value.some(({ commits }) => commits)) return 'log'
  return waits || (refused && !refused.ok && isDiskFull(refused.failure.message)) ? 'space' : 'none'
}
