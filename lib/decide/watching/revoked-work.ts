// The finding of work that ended with the permission of its user.
import { DAY } from '../../base/time.js'
import type { Finding } from '../../model/finding.js'
import type { RevokedWork } from '../../model/memory.js'

/** For a day. */
export function judgeRevoked(revoked: readonly RevokedWork[] = [], now: number): readonly Finding[] {
  const recent = revoked.filter(({ at }) => now - at < DAY)
  if (recent.length === 0) return []
  return [{ code: 'WARN0392', detail: `${recent.map(({ work, reason }) => `${work}: ${reason}`).join('; ')}.` }]
}
