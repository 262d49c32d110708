// The sessions that the account of the manager may have on a server, and how many its work needs at once.
import type { ServerSnapshot } from '../../model/snapshot.js'

/**
 * Sessions on one server. Each is probed in one and acted on in another; a switchover freezes the old primary in a third. Reads, dumps
 * and a second manager have more: accounts.md asks for ten.
 */
const needed = { failover: 2, switchover: 3 } as const

/** Why the account has too few sessions there for it; undefined where it has enough, or no limit is known. */
export function tooFewSessions({ slow }: ServerSnapshot, work: keyof typeof needed): string | undefined {
  const limit = slow?.sessionLimit
  if (limit === undefined || limit >= needed[work]) return undefined
  const account = slow?.grants?.own.account || 'the account of the manager'
  return `lets ${account} have ${limit === 1 ? 'one session' : `${limit} sessions`} at once (max_user_connections), and a ${work} needs ${needed[work]}`
}
