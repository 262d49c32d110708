// Which servers cannot simply follow: what is wrong with each, what only it has, and whose data would replace its own.
import { fail, ok, type Result } from '../../base/result.js'
import type { Crash } from '../../model/operation/crash.js'
import type { ReturnCause } from '../../model/operation/way-back.js'
import { formatSet, type GtidSet, isEmpty, noTransactions, subtract } from '../../model/server/gtid.js'
import { findServer, type ServerSnapshot } from '../../model/snapshot.js'
import { channelOf, isPurged, isReachable, isWritable } from '../situation/channel.js'
import { wouldPassOver } from '../situation/history/ambiguous.js'
import { lostByPrimary } from '../situation/history/history.js'
import { aheadOf, errantOf, errantText, executedByOrigin } from '../situation/history/holdings.js'
import { wasMember } from '../situation/history/membership.js'
import type { Situation } from '../situation/situation.js'
import { seenTogether } from '../situation/snapshot/together.js'
import { followersOf, isBelow, rootOf } from '../situation/topology/sources.js'
import { isReplaced } from '../situation/topology/successor.js'
import { foreignHold } from './foreign-hold.js'

export interface Returning {
  readonly server: ServerSnapshot
  readonly cause: ReturnCause
  readonly reason: string
  /** What only it has. */
  readonly extra: GtidSet
  /** The error at which its applier stopped. */
  readonly halt?: string
  /** Of its end as a primary, when that is recorded. */
  readonly crash?: Crash
}

/** Topologies without one primary that the others are copies of. */
const without: ReadonlySet<string> = new Set(['galera', 'group-replication', 'ring', 'active-passive', 'multi-primary'])

/** Every server that answers, is closed, and cannot become a replica by being repointed. None while nothing may be decided. */
export function listReturning(situation: Situation): readonly Returning[] {
  const { snapshot, settings } = situation
  const primary = findServer(snapshot, snapshot.primary)
  if (!primary || !isReachable(primary) || !isWritable(primary) || without.has(snapshot.topology)) return []
  if (snapshot.operation || !seenTogether(snapshot.servers, settings)) return []
  return snapshot.servers.flatMap((server) => {
    // A copy of the primary would be ahead of it, too, as soon as the other cluster has sent more.
    if (server.maintenance || server.stoppedOnRequest || foreignHold(server, situation)?.isOut) return []
    const found = findReturn(server, primary, situation)
    return found ? [found] : []
  })
}

/** One server, also when nothing is wrong with it (`asked`); failures say why nothing can be known or done. */
export function judgeReturning(situation: Situation, id: string): Result<Returning> {
  const { snapshot } = situation
  const server = findServer(snapshot, id)
  const primary = findServer(snapshot, snapshot.primary)
  if (!server) return fail('unknown-server', `${snapshot.cluster} has no server ${id}`)
  if (!primary) return fail('no-primary', 'The cluster has no primary.')
  if (server.id === primary.id)
    return fail('is-primary', `${server.name} is the primary: other servers replicate its data`)
  if (situation.memory.newServers?.[id])
    return fail('wrong-state', `${server.name} holds the data of an earlier point: attach it, or remove it`)
  if (without.has(snapshot.topology))
    return fail('wrong-state', `${server.name} is in a topology (${snapshot.topology}) whose members fill themselves`)
  if (!isReachable(server) || !server.state)
    return fail('wrong-state', `${server.name} does not answer: what it holds is not known`)
  if (!isReachable(primary) || !isWritable(primary))
    return fail('wrong-state', `the primary ${primary.name} does not take writes: there is nothing to return to`)
  const followers = followersOf(snapshot.servers, server.id).map(({ name }) => name)
  if (followers.length > 0)
    return fail(
      'wrong-state',
      `${followers.join(', ')} replicate from ${server.name}: repoint them to the primary, or bring them back, first`,
    )
  const found = findReturn(server, primary, situation)
  const { sql, sqlError } = channelOf(server, situation.settings) ?? {}
  const halt = sql === 'stopped' && sqlError?.code ? `error ${sqlError.code}: ${sqlError.message}` : undefined
  return ok(
    found ?? {
      server,
      cause: 'asked',
      reason: 'it is asked for',
      ...(halt === undefined ? {} : { halt }),
      extra: errantOf(server, primary, situation.memory),
      ...crashOf(server, situation),
    },
  )
}

function findReturn(server: ServerSnapshot, primary: ServerSnapshot, situation: Situation): Returning | undefined {
  const { snapshot, settings, memory } = situation
  if (server.id === primary.id || !isReachable(server) || !server.state || isWritable(server)) return undefined
  if (!wasMember(situation, server) && !isEmpty(executedByOrigin(server))) return undefined
  if (followersOf(snapshot.servers, server.id).length > 0) return undefined
  const channel = channelOf(server, settings)
  const known = { server, ...crashOf(server, situation) }
  const leftBehind = leftBehindWith(server, primary, situation)
  if (leftBehind)
    return {
      ...known,
      cause: 'diverged',
      extra: leftBehind,
      reason: `it replicates from a former primary and has transactions that the primary is missing: ${errantText(leftBehind, server)}`,
    }
  if (server.ambiguous)
    return {
      ...known,
      cause: 'incomplete',
      extra: errantOf(server, primary, memory),
      reason: `it passed over transactions of the primary, whose GTIDs name others on it: ${formatSet(server.ambiguous)}`,
    }
  if (channel) {
    if (!isPurged(channel)) return undefined
    const extra = errantOf(server, primary, memory)
    return { ...known, cause: isEmpty(extra) ? 'purged' : 'diverged', extra, reason: channel.ioError.message }
  }
  if (server.state.channels.length > 0 || memory.returns?.[server.id]?.filled) return undefined
  if (isEmpty(executedByOrigin(server)))
    return isEmpty(executedByOrigin(primary))
      ? undefined
      : { ...known, cause: 'empty', extra: noTransactions, reason: 'it holds no transactions' }
  const extra = aheadOf(server, primary, { settings, memory })
  if (!isEmpty(extra))
    return {
      ...known,
      cause: 'diverged',
      extra,
      reason: `it has transactions that the primary is missing: ${errantText(extra, server)}`,
    }
  const other = wouldPassOver(server, primary.id, memory)
  // What the primary lost is decided first: this server may be the one that has it.
  if (!isEmpty(other) && isEmpty(lostByPrimary(situation, primary)))
    return {
      ...known,
      cause: 'incomplete',
      extra: noTransactions,
      reason: `the primary wrote other transactions under its GTIDs: ${formatSet(other)}`,
    }
  if (known.crash && settings['autorejoin-force-restore'])
    return { ...known, cause: 'asked', extra: noTransactions, reason: 'autorejoin-force-restore is on' }
  if (server.missingOwn)
    return {
      ...known,
      cause: 'incomplete',
      extra: noTransactions,
      reason: `it lost transactions of its own: ${formatSet(server.missingOwn)}`,
    }
  return undefined
}

/**
 * What a replica has that the primary is missing, where its source lost the role, as when both died at once: it can neither stay nor be
 * repointed, and that source cannot return before it. What it only received is left out where its source executed it.
 */
function leftBehindWith(
  server: ServerSnapshot,
  primary: ServerSnapshot,
  { snapshot: { servers }, settings, memory }: Situation,
): GtidSet | undefined {
  const source = findServer({ servers }, server.sourceId)
  if (!source || source.id === primary.id || isBelow(servers, source.id, primary.id)) return undefined
  const root = rootOf(servers, source)
  if (!root || !isReplaced(root, memory)) return undefined
  const ahead = aheadOf(server, primary, { settings, memory })
  const received = subtract(executedByOrigin(source), executedByOrigin(server))
  const extra = subtract(ahead, received)
  return isEmpty(extra) ? undefined : extra
}

function crashOf({ id }: ServerSnapshot, { memory }: Situation): { readonly crash?: Crash } {
  const crash = memory.crashes.find(({ oldPrimary }) => oldPrimary === id)
  return crash ? { crash } : {}
}

/** Whose data are copied: a healthy replica that logs what it applies, the ignored one first, else the primary. */
export function chooseSource(
  { snapshot, settings }: Situation,
  server: ServerSnapshot,
  only?: 'primary',
): ServerSnapshot | undefined {
  const primary = findServer(snapshot, snapshot.primary)
  const theirs = server.state?.identity.flavour
  const donors = snapshot.servers.filter((each) => {
    const channel = channelOf(each, settings)
    return (
      each.id !== server.id &&
      each.id !== primary?.id &&
      isReachable(each) &&
      !each.maintenance &&
      each.delaySeconds === 0 &&
      each.state?.binlog === true &&
      each.state.logReplicaUpdates &&
      each.state.identity.flavour === theirs &&
      channel?.io === 'running' &&
      channel.sql === 'running' &&
      !each.missingOwn &&
      !each.ambiguous &&
      !each.stateName.endsWith('-late')
    )
  })
  const donor = donors.find(({ rating }) => rating === 'ignored') ?? donors[0]
  if (only !== 'primary' && donor) return donor
  return primary && isReachable(primary) && primary.state?.identity.flavour === theirs ? primary : undefined
}
