// Whether a new session of the manager's account may change accounts: one that is kept has the roles of its login.
import { ok, type Result } from '../../base/result.js'
import { SECOND } from '../../base/time.js'
import type { SqlSession } from '../../connect/sql/session.js'
import { judgeRotationGrants, type SessionGrants } from '../../decide/upkeep/rotation.js'
import { grantedRoles, grantLines, ownGrants, type Rows } from '../../dialect/index.js'
import type { EffectServer } from '../kit/server.js'

const STATEMENT_MS = 10 * SECOND

/**
 * Asks the session, which must be one that nothing else uses: its roles may be changed. Failure `wrong-state`, with the
 * statement to run; else those of the server.
 */
export async function ensureMayRotate(session: SqlSession, { dialect }: EffectServer): Promise<Result<void>> {
  const ask = async (sql: string): Promise<Result<Rows>> => {
    const answer = await session.run(sql, [], STATEMENT_MS)
    return answer.ok ? ok(answer.value[0] ?? []) : answer
  }
  const read = await ask(ownGrants.sql)
  if (!read.ok) return read
  const grants = { identity: dialect.identity, lines: grantLines(read.value), roles: [] }
  const judged = judgeRotationGrants(grants)
  if (judged.ok) return judged
  const active = await ask('SELECT CURRENT_ROLE() AS role')
  // NULL on MariaDB, NONE on MySQL.
  if (!active.ok || ![null, 'NONE'].includes((active.value[0]?.role ?? null) as string | null)) return judged
  const roles: SessionGrants['roles'][number][] = []
  for (const role of grantedRoles(grants.lines)) {
    const set = await ask(`SET ROLE ${role}`)
    const held = set.ok ? await ask(ownGrants.sql) : set
    if (held.ok) roles.push({ role, lines: grantLines(held.value) })
  }
  return judgeRotationGrants({ ...grants, roles })
}
