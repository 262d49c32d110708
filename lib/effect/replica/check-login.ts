// Before a primary changes: the replication account logs in on the candidate, or no replica could follow it.
import { fail, ok } from '../../base/result.js'
import { openSession } from '../../connect/sql/mysql2-session.js'
import { trySourceLogin } from '../../probe/source-login.js'
import type { Effect } from '../kit/context.js'
import { execute, memberOf } from '../kit/statements.js'

/** A login that fails for another reason than a denial is no reason to stop: the manager may not reach what replicas reach. */
export const checkLogin: Effect<'check-login'> = async ({ server }, run) => {
  const member = memberOf(run, server)
  if (!member.ok) return member
  const { spec, target } = member.value
  const { user, password, tls } = run.context.settings().replication
  if (user === '') return ok('replication-credential names no account')
  const { state, message, repair } = await trySourceLogin({
    target: { ...target, connectTimeoutMs: Math.max(1, Math.min(target.connectTimeoutMs, run.remaining())) },
    login: { user, password, tls },
    open: openSession,
    ask: (statement) => execute(run, { server, statements: [statement], late: true }),
    now: run.context.now,
  })
  if (state === 'accepted') return ok(`${spec.name} accepts the login of ${user}`)
  if (state === 'unknown') return ok(`the login of ${user} on ${spec.name} could not be judged: ${message}`)
  return fail('replication-login', `${message}. On the primary: ${repair} Or correct replication-credential`)
}
