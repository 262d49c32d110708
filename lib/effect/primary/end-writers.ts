// Ends the sessions of a frozen server that would write although it stays read-only when the freeze ends.
import { SECOND, sleep } from '../../base/time.js'
import type { Statement } from '../../dialect/index.js'
import type { Run } from '../kit/context.js'
import { onReserved, type Reserved } from '../kit/reserved.js'
import { memberOf } from '../kit/statements.js'

/** Who waits for the lock is ended and may come back to wait again: so many rounds, then the freeze ends anyway. */
const ROUNDS = 5
const ROUND_MS = 5

/** What a session's state reads while it waits for a global read lock: MariaDB 10.4+, others, at commit. */
const waits = ['Waiting for backup lock', 'Waiting for global read lock', 'Waiting for commit lock']

/**
 * A waiting statement of a user whom read-only does not stop goes through as soon as the lock is gone; one of any other
 * user is refused, so that its session loses nothing by ending. Where read-only has a stronger form (super_read_only)
 * neither can write, and no session is ended. Answers how many were ended.
 */
export async function endWriters(run: Run, reserved: Reserved): Promise<number> {
  const member = memberOf(run, reserved.server)
  if (!member.ok || member.value.dialect.capabilities.superReadOnly) return 0
  let ended = 0
  for (let round = 0; round < ROUNDS && run.remaining() > SECOND; round++) {
    const found = await onReserved(run, reserved, [candidates(run.context.sessions.own(reserved.server))])
    const ids = found.ok ? (found.value[0] ?? []).map(({ id }) => Number(id)) : []
    if (ids.length === 0) return ended
    for (const id of ids) await onReserved(run, reserved, [member.value.dialect.killSession(id)])
    ended += ids.length
    await sleep(ROUND_MS)
  }
  return ended
}

/** Waiting sessions, and sleeping ones of privileged users, but the manager's `own`: a dump that reads is left alone. */
const candidates = (own: readonly number[]): Statement => ({
  sql: `SELECT p.ID AS id FROM information_schema.PROCESSLIST p
WHERE p.ID <> CONNECTION_ID() AND p.ID NOT IN (?) AND p.USER <> 'system user' AND (p.STATE IN (?) OR (
  p.COMMAND = 'Sleep' AND p.USER IN (
    SELECT SUBSTRING_INDEX(SUBSTRING(GRANTEE, 2), '''@', 1) FROM information_schema.USER_PRIVILEGES
    WHERE PRIVILEGE_TYPE IN ('SUPER', 'READ_ONLY ADMIN', 'READ ONLY ADMIN'))))`,
  values: [[0, ...own], waits],
})
