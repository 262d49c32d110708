// Which server is the primary, by belief, by topology, or by what the replicas of a dead one follow. Never by guess.
import type { Finding } from '../../../model/finding.js'
import type { Memory } from '../../../model/memory.js'
import type { Operation } from '../../../model/operation/operation.js'
import type { ServerId } from '../../../model/server/server.js'
import { findServer, type ServerSnapshot } from '../../../model/snapshot.js'
import { isReachable, isWritable } from '../channel.js'
import { chooseTarget, isGalera } from '../galera.js'
import type { DecideSettings } from '../situation.js'
import { cycleOf, followersOf, reachableFollowersOf } from './sources.js'
import { findSuccessor, isReplaced } from './successor.js'

export interface PrimaryInput {
  /** With their sources resolved. */
  readonly servers: readonly ServerSnapshot[]
  readonly memory: Memory
  readonly settings: DecideSettings
  readonly operation?: Operation
  /** Another manager acts: what it made of the servers counts, not what this one remembers. */
  readonly followsRival?: boolean
}

export interface Discovery {
  readonly primary?: ServerId
  /** It was observed as primary, so it may be remembered; a dead one that only its replicas report is not. */
  readonly seen: boolean
  readonly findings: readonly Finding[]
}

export function discoverPrimary(input: PrimaryInput): Discovery {
  const believed = findServer(input, input.memory.primary)
  if (isGalera(input.servers)) {
    const target = chooseTarget(input.servers, believed)
    return target ? found(target) : reported(believed)
  }
  if (!believed) return discover(input)
  if (input.operation) return found(believed)
  const used = input.followsRival ? usedBesideRival(believed, input) : undefined
  if (used) return found(used)
  return isReachable(believed) ? confirm(believed, input) : replaced(believed, input)
}

/** The believed primary answers: it stays, unless another one has taken over behind the manager's back. */
function confirm(believed: ServerSnapshot, input: PrimaryInput): Discovery {
  const { servers } = input
  const source = findServer({ servers }, believed.sourceId)
  if (cycleOf(servers, believed.id).length > 0) return found(believed)
  if (!source) return found(findSuccessor(believed, input) ?? believed)
  if (!isReachable(source)) return isWritable(believed) ? found(believed) : reported(source)
  return isWritable(source) || !isWritable(believed) ? found(source) : found(believed)
}

/**
 * The only server that takes writes, while the believed one takes none: the other manager may have given it the role again after this
 * one took it away. A replica follows it, or it was the primary before.
 */
function usedBesideRival(
  believed: ServerSnapshot,
  { servers, settings, memory }: PrimaryInput,
): ServerSnapshot | undefined {
  if (settings['replication-active-passive'] || isWritable(believed)) return undefined
  const [used, ...more] = servers.filter((server) => isReachable(server) && isWritable(server) && !server.maintenance)
  if (!used || more.length > 0 || !isRoot(used)) return undefined
  const isKnown = isReachable(believed) && memory.crashes.some(({ oldPrimary }) => oldPrimary === used.id)
  return isKnown || reachableFollowersOf(servers, used.id).length > 0 ? used : undefined
}

/** The believed primary is down: another is taken only when it already does the work, and was not replaced itself. */
function replaced(believed: ServerSnapshot, { servers, memory }: PrimaryInput): Discovery {
  if (reachableFollowersOf(servers, believed.id).length > 0) return reported(believed)
  const working = servers.filter((server) => isRoot(server) && isWritable(server) && !isReplaced(server, memory))
  const [successor, ...more] = working.filter(({ id }) => reachableFollowersOf(servers, id).length > 0)
  return successor && more.length === 0 ? found(successor) : reported(believed)
}

function discover(input: PrimaryInput): Discovery {
  const { servers, settings } = input
  const reachable = servers.filter(isReachable)
  if (servers.length === 1 || settings['replication-active-passive'])
    return found(reachable.find(isWritable) ?? reachable[0])
  if (servers.some(({ observation }) => observation === 'unseen')) return undecided()
  const leading = reachable.filter((server) => isRoot(server) && followersOf(servers, server.id).length > 0)
  const cycle = reachable.find(({ id }) => cycleOf(servers, id).length > 0)
  if (leading.length === 0 && cycle) return writerOf(cycleOf(servers, cycle.id), input)
  if (leading.length > 0) return onlyWriter(leading)
  return deadSource(servers) ?? onlyStandalone(input)
}

/** Of a pair or ring: the writable one; if that is ambiguous, the one preferred by configuration. */
function writerOf(cycle: readonly ServerId[], { servers }: PrimaryInput): Discovery {
  const members = servers.filter((server) => cycle.includes(server.id) && isReachable(server))
  const writers = members.filter(isWritable)
  if (writers.length === 1) return found(writers[0])
  const preferred = (writers.length > 0 ? writers : members).filter(({ rating }) => rating === 'preferred')
  if (preferred.length === 1) return found(preferred[0])
  return undecided({ code: 'WARN0006', detail: members.map(({ name }) => name).join(', ') })
}

function onlyWriter(leading: readonly ServerSnapshot[]): Discovery {
  const writers = leading.filter(isWritable)
  if (leading.length === 1) return found(leading[0])
  if (writers.length === 1) return found(writers[0])
  return undecided(...leading.map(({ id, name }): Finding => ({ code: 'ERR00063', server: id, detail: name })))
}

/** No living server leads, and every replica follows the same dead member: that one is the primary, and it failed. */
function deadSource(servers: readonly ServerSnapshot[]): Discovery | undefined {
  const sources = new Set(servers.filter(isReachable).flatMap(({ sourceId }) => sourceId ?? []))
  const dead = [...sources].filter((id) => !servers.some((server) => server.id === id && isReachable(server)))
  return dead.length === 1 ? reported(findServer({ servers }, dead[0])) : undefined
}

/** No server replicates: the one writable server, provided that all others answer and are read-only. */
function onlyStandalone({ servers }: PrimaryInput): Discovery {
  const writers = servers.filter((server) => isReachable(server) && isWritable(server))
  if (writers.length === 1 && servers.every(isReachable)) return found(writers[0])
  if (writers.length < 2) return undecided()
  return undecided(...writers.map(({ id, name }): Finding => ({ code: 'ERR00063', server: id, detail: name })))
}

const isRoot = (server: ServerSnapshot): boolean => isReachable(server) && server.sourceId === undefined

const found = (server: ServerSnapshot | undefined): Discovery =>
  server ? { primary: server.id, seen: isReachable(server), findings: [] } : undecided()

const reported = (server: ServerSnapshot | undefined): Discovery =>
  server ? { primary: server.id, seen: false, findings: [] } : undecided()

const undecided = (...findings: readonly Finding[]): Discovery => ({ seen: false, findings })
