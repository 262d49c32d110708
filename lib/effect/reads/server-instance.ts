// Which server answers at an address: to find one server behind two spellings.
import { ok, type Result } from '../../base/result.js'
import { SECOND } from '../../base/time.js'
import type { SqlTarget } from '../../connect/sql/session.js'
import { identify, parseIdentity } from '../../dialect/index.js'
import type { ServerInstance } from '../../model/server/instance.js'
import { withSession } from '../kit/own-session.js'

const READ_MS = 3 * SECOND

/** Undefined for one that does not say it. Failures are those of the login and of the read. */
export function readInstance(target: SqlTarget): Promise<Result<ServerInstance | undefined>> {
  return withSession({ target }, async (session) => {
    const answer = await session.run(identify.sql, identify.values, READ_MS)
    return answer.ok ? ok(parseIdentity(answer.value).identity.instance) : answer
  })
}
