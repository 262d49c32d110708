// A session for one server: who answers is asked before anything else, since an address may lead elsewhere than a moment ago.
import { done, fail, type Result } from '../../base/result.js'
import { now } from '../../base/time.js'
import { parseIdentity, type Rows } from '../../dialect/index.js'
import { instanceText, isExpected, type SeenInstance } from '../../model/server/instance.js'

/** Results of `identify`. */
const IDENTIFYING = 3

/**
 * By an answer that ends with that to `identify`: done when it is the expected server, or one that was started since that was seen (a restart, or a
 * replacement that the caller waits for). Else `sql-rejected`.
 */
export function judgeExpected(answer: readonly Rows[], expected: SeenInstance): Result<void> {
  const { identity, uptimeSeconds } = parseIdentity(answer.slice(-IDENTIFYING))
  const { instance } = identity
  if (isExpected(expected, { instance, uptimeSeconds }, now())) return done
  return fail(
    'sql-rejected',
    `another server answers than the one that was seen here: ${instanceText(instance)} instead of ${instanceText(expected.instance)}; nothing was done to it`,
  )
}
