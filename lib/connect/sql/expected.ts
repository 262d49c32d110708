// A session for one server: who answers is asked before anything else, since an address may lead elsewhere than a moment ago.
import { done, fail, ok, type Result } from '../../base/result.js'
import { now } from '../../base/time.js'
import { identify, parseIdentity, type Rows } from '../../dialect/index.js'
import { instanceText, isExpected, type SeenInstance } from '../../model/server/instance.js'
import type { SqlSession } from './session.js'

/**
 * The session, when the server on it is the expected one, or was started since that was seen (a restart, or a replacement that the
 * caller waits for). Else it is closed: `sql-rejected`. Failures of the question are those of `run`.
 */
export async function admitExpected(
  session: SqlSession,
  { expected, timeoutMs }: { readonly expected: SeenInstance; readonly timeoutMs: number },
): Promise<Result<SqlSession>> {
  const answer = await session.run(identify.sql, identify.values, Math.max(1, timeoutMs))
  if (!answer.ok) {
    session.close()
    return answer
  }
  const judged = judgeExpected(answer.value, expected)
  if (judged.ok) return ok(session)
  session.close()
  return judged
}

/** By the answer to `identify`. */
export function judgeExpected(answer: readonly Rows[], expected: SeenInstance): Result<void> {
  const { identity, uptimeSeconds } = parseIdentity(answer)
  const { instance } = identity
  if (isExpected(expected, { instance, uptimeSeconds }, now())) return done
  return fail(
    'sql-rejected',
    `another server answers than the one that was seen here: ${instanceText(instance)} instead of ${instanceText(expected.instance)}; nothing was done to it`,
  )
}
