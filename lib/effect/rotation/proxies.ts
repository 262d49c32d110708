// Gives proxies the new passwords of a rotation.
import { withDeadline } from '../../base/deadline.js'
import { SECOND } from '../../base/time.js'
import type { ProxyRenewals } from '../../decide/upkeep/rotation.js'
import { changesOf, type LoginChanges } from '../../model/operation/rotation.js'
import type { Proxy as ProxyAdapter, ProxyRenewal } from '../../proxy/kit/index.js'
import { masked } from './accounts.js'

/** Longest time of one proxy. */
const RENEW_MS = 30 * SECOND

export interface ProxyNotice {
  readonly proxies: readonly ProxyAdapter[]
  readonly logins: LoginChanges
  /** Where the proxies log in. */
  readonly servers: ProxyRenewal['servers']
}

/** All proxies at once; one without logins to the servers needs nothing. */
export async function informProxies(
  { proxies, logins, servers }: ProxyNotice,
  signal: AbortSignal,
): Promise<ProxyRenewals> {
  const renewal = { logins: changesOf(logins).map(({ user, to }) => ({ user, password: to })), servers }
  const outcomes = proxies.map(async ({ renewLogin, name }): Promise<ProxyRenewals> => {
    if (!renewLogin) return { took: [], left: [] }
    const result = masked(await withDeadline(signal, RENEW_MS, (limit) => renewLogin(renewal, limit)), logins)
    return result.ok ? { took: [name], left: [] } : { took: [], left: [{ name, reason: result.failure.message }] }
  })
  const all = await Promise.all(outcomes)
  return { took: all.flatMap(({ took }) => took), left: all.flatMap(({ left }) => left) }
}
