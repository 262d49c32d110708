// Opens and closes servers for writes: the fence, the point of no return, and plain read-only.
import { counted } from '../../base/counted.js'
import { fail, ok } from '../../base/result.js'
import type { Effect } from '../kit/context.js'
import { execute, lockSeconds, memberOf, nameOf } from '../kit/statements.js'
import { endUnfinished } from './end-unfinished.js'

/**
 * Read-only, wherever it can still be reached, and no write in progress is reported as committed. Nothing listens:
 * nothing to fence. A server that hangs keeps the statement in its socket and executes it first thing when it wakes
 * up; the failure says that it has not answered.
 */
export const fence: Effect<'fence'> = async ({ server }, run) => {
  const member = memberOf(run, server)
  if (!member.ok) return member
  const { spec, dialect } = member.value
  run.notes.frozen.delete(server)
  const closing = execute(run, { server, statements: dialect.setReadOnly(true, lockSeconds(run)), late: true })
  const [answer, ended] = await Promise.all([closing, endUnfinished(run, server, closing)])
  if (answer.ok) return ok(`${spec.name} is read-only${ended > 0 ? `; ${counted(ended, 'write')} got no answer` : ''}`)
  return answer.failure.code === 'sql-refused'
    ? ok(`${spec.name} is down (connection refused); fencing not needed`)
    : answer
}

/**
 * Not cut short by the end of the operation: what follows must know whether the server takes writes. A freeze whose
 * session was lost on the way no longer protects the old primary, so the new one is not opened.
 */
export const makeWritable: Effect<'make-writable'> = async ({ server }, run) => {
  const member = memberOf(run, server)
  if (!member.ok) return member
  const { spec, dialect } = member.value
  const lost = [...run.notes.frozen].find((id) => id !== server && !run.context.sessions.reserved(id)?.open)
  if (lost !== undefined) return fail('step-failed', `the session that froze ${nameOf(run, lost)} was lost`)
  const answer = await execute(run, { server, statements: dialect.setReadOnly(false), uninterrupted: true })
  return answer.ok ? ok(`${spec.name} is writable`) : answer
}

export const makeReadOnly: Effect<'make-read-only'> = async ({ server }, run) => {
  const member = memberOf(run, server)
  if (!member.ok) return member
  const { spec, dialect } = member.value
  if (spec.readOnlyIgnored) return ok(`the read-only state of ${spec.name} is left to its owner`)
  const answer = await execute(run, { server, statements: dialect.setReadOnly(true, lockSeconds(run)) })
  return answer.ok ? ok(`${spec.name} is read-only`) : answer
}
