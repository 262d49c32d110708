// Before a primary changes: the candidate's binary logs still have what the old primary would ask it for, or that could not follow.
import { transactions } from '../../base/counted.js'
import { fail, ok } from '../../base/result.js'
import { countTransactions, isEmpty, parseGtidSet, parsePosition, subtract } from '../../model/server/gtid.js'
import { readLogHead } from '../acts/read-log-head.js'
import type { Effect } from '../kit/context.js'
import { memberOf, nameOf, readServer } from '../kit/statements.js'

/** Failures: `no-candidate`, and what reading the two comes to: logs that cannot be read are no yes. */
export const checkLogs: Effect<'check-logs'> = async ({ server, source }, run) => {
  const member = memberOf(run, server)
  if (!member.ok) return member
  const head = await readLogHead(member.value)
  if (!head.ok) return head
  const old = await readServer(run, source)
  if (!old.ok) return old
  const { spec, dialect } = member.value
  const deleted = (dialect.identity.flavour === 'mariadb' ? parsePosition : parseGtidSet)(head.value.oldest)
  const lost = subtract(deleted, old.value.gtid.executed)
  if (isEmpty(lost)) return ok(`${nameOf(run, source)} can follow ${spec.name}: no binary log that it needs is deleted`)
  return fail(
    'no-candidate',
    `${spec.name} has deleted binary logs with ${transactions(countTransactions(lost))} that ${nameOf(run, source)} never had, of ${Object.keys(lost).join(', ')}: no other server could follow it (error 1236). Give the role to another server`,
  )
}
