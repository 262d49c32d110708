// Reads the users of the databases, for proxies that let them in by the same passwords.
import { fail, ok, type Result } from '../../base/result.js'
import { SECOND } from '../../base/time.js'
import { openSession } from '../../connect/sql/mysql2-session.js'
import type { ProxyFilling } from '../../proxy/kit/index.js'
import type { EffectServer } from '../kit/server.js'

const READ_MS = 10 * SECOND

/** As the primary has them: the others replicate it. `own`: users of the manager and of replication. Failures name it. */
export async function readProxyUsers(
  { spec: { name }, target, dialect }: EffectServer,
  own: readonly string[],
): Promise<Result<ProxyFilling>> {
  const session = await openSession(target)
  if (!session.ok) return fail(session.failure.code, `${name}: ${session.failure.message}`)
  try {
    const { sql, values } = dialect.everyAccount()
    const answer = await session.value.run(sql, values, READ_MS)
    if (!answer.ok) return fail(answer.failure.code, `${name}: ${answer.failure.message}`)
    return ok({ accounts: dialect.readAccounts(answer.value[0] ?? []), own })
  } finally {
    session.value.close()
  }
}
