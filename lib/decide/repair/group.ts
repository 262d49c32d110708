// Whether servers can be made one Galera cluster by restarts, and in which order: one starts it, the others are filled from it.
import { fail, ok, type Result } from '../../base/result.js'
import { isEmpty } from '../../model/server/gtid.js'
import type { ServerId } from '../../model/server/server.js'
import type { ServerSnapshot } from '../../model/snapshot.js'
import { refuseApart } from '../situation/apart.js'
import { isReachable } from '../situation/channel.js'
import { isMember } from '../situation/galera.js'
import { aheadOf, errantText } from '../situation/history/holdings.js'
import type { Situation } from '../situation/situation.js'
import { inOrder } from './bootstrap.js'

export interface GroupOrder {
  readonly leader: ServerId
  /** It is already a member and keeps running. */
  readonly runs: boolean
  /** Those that are not members yet; what they hold is replaced by what the leader holds. */
  readonly joiners: readonly ServerId[]
}

/**
 * Failures: `operation-running`, `wrong-state` (too few servers, one is down, kept apart or replicates), `vetoed` (one holds
 * transactions that the leader is missing and that would be lost).
 */
export function judgeGroup(situation: Situation): Result<GroupOrder> {
  const { snapshot, settings, memory } = situation
  const { servers, operation } = snapshot
  if (operation) return fail('operation-running', `${operation.id} is running.`)
  const apart = refuseApart(situation)
  if (apart) return apart
  if (servers.length < LEAST)
    return fail('wrong-state', `Galera needs at least ${LEAST} servers: two have no majority when one fails.`)
  const member = servers.find(isMember)
  const [first, ...others] = inOrder(situation)
  const leader = member ?? first
  if (!leader) return fail('wrong-state', 'The cluster has no servers.')
  const joiners = [leader, ...(member ? servers : others)].filter((each) => each.id !== leader.id && !isMember(each))
  // A member that is down belongs to the group by its configuration; what other servers hold is unknown.
  const down = [leader, ...joiners].filter((server) => !isReachable(server))
  if (down.length > 0 && !member) return fail('wrong-state', `${names(down)} does not answer.`)
  const busy = [leader, ...joiners].filter(({ state }) => (state?.channels.length ?? 0) > 0)
  if (busy.length > 0)
    return fail(
      'wrong-state',
      `${names(busy)} replicates: remove its replication first (replication cleanup with force=true).`,
    )
  const extra = joiners
    .map((server) => ({ server, set: aheadOf(server, leader, { settings, memory }) }))
    .filter(({ set }) => !isEmpty(set))
  if (extra.length > 0)
    return fail(
      'vetoed',
      extra
        .map(
          ({ server, set }) =>
            `${server.name} has transactions that ${leader.name} is missing: ${errantText(set, server)}.`,
        )
        .join(' '),
    )
  return ok({ leader: leader.id, runs: member !== undefined, joiners: joiners.map(({ id }) => id) })
}

const LEAST = 3

const names = (servers: readonly ServerSnapshot[]): string => servers.map(({ name }) => name).join(', ')
