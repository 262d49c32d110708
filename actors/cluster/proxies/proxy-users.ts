// Reads who the users of the databases are, for proxies that let them in by the same passwords.
import { fail, ok, type Result } from '../../../lib/base/result.js'
import { SECOND } from '../../../lib/base/time.js'
import { openSession } from '../../../lib/connect/sql/mysql2-session.js'
import { isReachable } from '../../../lib/decide/situation/channel.js'
import { findServer, type ServerSnapshot } from '../../../lib/model/snapshot.js'
import type { ProxyFilling } from '../../../lib/proxy/kit/index.js'
import { credentials } from '../../../lib/settings/secret/credentials.js'
import type { ClusterCore } from '../state/core.js'
import type { ClusterState } from '../state/state.js'
import { dialectOf, targetOf } from '../state/wires.js'
import type { ProxyWatch } from './proxies.js'

const READ_MS = 10 * SECOND

/** While the primary role moves, proxies have something else to do. */
export function fillProxies({ state, proxies }: ClusterCore & { readonly proxies: Pick<ProxyWatch, 'fill'> }): void {
  const { snapshot, operation, ready } = state
  const primary = findServer(snapshot, snapshot.primary)
  if (ready && !operation && primary && isReachable(primary)) void proxies.fill(() => readProxyUsers(state, primary))
}

/** As the primary has them: the others replicate it. Failures name it. */
async function readProxyUsers(
  state: Pick<ClusterState, 'settings' | 'tls'>,
  primary: ServerSnapshot,
): Promise<Result<ProxyFilling>> {
  const dialect = dialectOf(primary)
  if (!dialect) return fail('sql-refused', `${primary.name} did not tell yet what it is`)
  const session = await openSession(targetOf(primary, state))
  if (!session.ok) return fail(session.failure.code, `${primary.name}: ${session.failure.message}`)
  try {
    const { sql, values } = dialect.everyAccount()
    const answer = await session.value.run(sql, values, READ_MS)
    if (!answer.ok) return fail(answer.failure.code, `${primary.name}: ${answer.failure.message}`)
    const { settings } = state
    const own = [settings['db-servers-credential'], settings['replication-credential']]
    return ok({
      accounts: dialect.readAccounts(answer.value[0] ?? []),
      own: own.map((login) => credentials(login).user),
    })
  } finally {
    session.value.close()
  }
}
