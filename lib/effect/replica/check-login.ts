// Before a primary changes: the replication account logs in on the candidate, or no replica could follow it.
import { fail, ok } from '../../base/result.js'
import { openSession } from '../../connect/sql/mysql2-session.js'
import {
  deniedLogin,
  unjudgedLogin,
  unprovenAddress,
  wrongAddress,
} from '../../decide/situation/topology/source-login.js'
import { trySourceLogin } from '../../probe/source-login.js'
import type { Effect } from '../kit/context.js'
import { execute, memberOf } from '../kit/statements.js'

/**
 * A login that fails for another reason than a denial shows nothing: that is no yes, unless the plan takes it for one, a replica that
 * runs shows it, or the account is for other addresses than the manager's only.
 */
export const checkLogin: Effect<'check-login'> = async ({ server, lenient = false, shown }, run) => {
  const member = memberOf(run, server)
  if (!member.ok) return member
  const { spec, target, dialect } = member.value
  const { user, password, tls, hosts = [] } = run.context.settings().replication
  const { instance } = dialect.identity
  if (user === '') return ok('replication-credential names no account')
  const tried = await trySourceLogin({
    target: { ...target, connectTimeoutMs: Math.max(1, Math.min(target.connectTimeoutMs, run.remaining())) },
    ...(instance ? { instance } : {}),
    login: { user, password, tls, hosts },
    open: openSession,
    ask: (statement) => execute(run, { server, statements: [statement], late: true }),
    now: run.context.now,
  })
  const { state, message, unreached, elsewhere, requires, accounts, over } = tried
  if (over?.leads === 'elsewhere') return fail('replication-login', wrongAddress(spec, over))
  const unproven = over?.leads === 'unknown' ? `; ${unprovenAddress(spec, over)}` : ''
  if (state === 'accepted') return ok(`${spec.name} accepts the login of ${user}${unproven}`)
  if (state === 'denied') return fail('replication-login', deniedLogin(tried))
  if (requires && accounts !== undefined && accounts === shown)
    return ok(
      `${spec.name} has the account ${user} with which a replica runs; its login could not be tried: ${message}${unproven}`,
    )
  const open = `the login of ${user} on ${spec.name} could not be judged: ${message}${unproven}`
  if (lenient || elsewhere) return ok(open)
  return fail('replication-login', unreached ? `${open}. Try again` : `${spec.name}: ${unjudgedLogin(tried)}`)
}
