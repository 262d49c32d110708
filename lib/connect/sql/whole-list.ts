// Before something is decided by a list of information_schema: an account sees the part of it on which it has privileges.
import { done, fail, type Result } from '../../base/result.js'
import { SECOND } from '../../base/time.js'
import { grantLines, type HiddenList, hiddenFrom, ownGrants } from '../../dialect/index.js'
import type { SqlSession } from './session.js'

/** Refuses (`wrong-state`, with the GRANT) what would be done by a list of which the account may see a part only: what it does not see is not "none". */
export async function ensureWholeList(session: SqlSession, list: HiddenList): Promise<Result<void>> {
  const grants = await session.run(ownGrants.sql, ownGrants.values, 30 * SECOND)
  if (!grants.ok) return grants
  const hidden = hiddenFrom(list, grantLines(grants.value[0] ?? []))
  return hidden === undefined ? done : fail('wrong-state', hidden)
}
