// A plan that is older than its bound: whether the server that it is about to open, or to make a source, may still have the role.
import type { Operation } from '../../model/operation/operation.js'
import type { ServerId } from '../../model/server/server.js'
import { findServer, type ServerSnapshot } from '../../model/snapshot.js'
import { channelOf, isReachable, isWritable } from '../situation/channel.js'
import type { Situation } from '../situation/situation.js'
import { leads } from '../situation/topology/successor.js'
import { describeLostWithPrimary, describeOwnElsewhere } from './election/missing-history.js'

/** What of an operation matters here. */
export type Outdated = Pick<Operation, 'kind' | 'owner' | 'oldPrimary' | 'newPrimary' | 'steps'>

/**
 * Why the plan must not go on: someone moved the role, opened another server, or repointed this one, while the manager
 * was suspended, or the candidate was seen without a part of the history. Undefined when the servers still show what the plan is
 * made for.
 */
export function refuseOutdated(situation: Situation, candidate: ServerId, operation: Outdated): string | undefined {
  const { snapshot, settings } = situation
  const { servers, topology } = snapshot
  const server = findServer(snapshot, candidate)
  if (!server || topology === 'galera' || topology === 'active-passive') return undefined
  const taken = servers.find((other) => other.id !== candidate && isTaken(other, situation, operation))
  if (taken) return `${taken.name} has the role by now: it takes writes or is followed.`
  if (topology === 'multi-primary' || topology === 'ring') return undefined
  const source = findServer(snapshot, server.sourceId)
  if (source && !sourcesOf(candidate, operation).has(source.id)) return `${server.name} follows ${source.name} by now.`
  const receives = channelOf(server, settings)?.io !== 'stopped'
  if (source?.id === operation.oldPrimary && receives && isFrozen(operation) && isReachable(server))
    return `${server.name} receives from ${source?.name ?? 'its source'} again.`
  return candidate === operation.newPrimary ? refuseMissing(server, situation, operation) : undefined
}

/** A person who asked for a failover accepted the loss. */
function refuseMissing(server: ServerSnapshot, situation: Situation, operation: Outdated): string | undefined {
  const { kind, owner, oldPrimary } = operation
  if (isWritable(server) || (kind === 'failover' && owner !== 'manager')) return undefined
  const old = kind === 'switchover' ? findServer(situation.snapshot, oldPrimary) : undefined
  const missing = describeOwnElsewhere(server, situation) ?? (old && describeLostWithPrimary(server, old, situation))
  return missing && `${server.name} ${missing}.`
}

/** It is open and no replica, or, other than the old primary, it is followed. */
function isTaken(server: ServerSnapshot, { snapshot, settings }: Situation, { oldPrimary }: Outdated): boolean {
  if (!isReachable(server) || server.maintenance || server.sourceId !== undefined) return false
  return isWritable(server) || (server.id !== oldPrimary && leads(server, { servers: snapshot.servers, settings }))
}

/** What the plan itself makes it follow. */
const sourcesOf = (server: ServerId, { oldPrimary, newPrimary, steps }: Outdated): ReadonlySet<ServerId | undefined> =>
  new Set([
    oldPrimary,
    newPrimary,
    ...steps.flatMap(({ command }) =>
      command.type === 'repoint' && command.server === server ? [command.source] : [],
    ),
  ])

const isFrozen = ({ kind, steps }: Outdated): boolean =>
  kind === 'failover' &&
  steps.some(({ command, state }) => command.type === 'reprobe' && command.frozen === true && state === 'done')
