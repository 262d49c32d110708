// Whether something that takes a binary log, a source or much time from a database may be done to it now.
import { done, fail, type Result } from '../../base/result.js'
import type { ServerAct } from '../../model/server/server-act.js'
import { type BareSnapshot, findServer, type ServerSnapshot } from '../../model/snapshot.js'

/** Acts that no operation may run beside. */
const alone: ReadonlySet<ServerAct['type']> = new Set(['reset-binlogs', 'forget-source', 'skip-event'])

/** Followers that answer and those that do not, of a server. */
export const followersOf = ({ servers }: BareSnapshot, { id }: Pick<ServerSnapshot, 'id'>): readonly ServerSnapshot[] =>
  servers.filter(({ sourceId }) => sourceId === id)

export function judgeAct(snapshot: BareSnapshot, member: ServerSnapshot, act: ServerAct): Result<void> {
  const { operation } = snapshot
  if (operation && alone.has(act.type))
    return fail('operation-running', `${operation.id} is running: retry when it has ended`)
  if (act.type === 'reset-binlogs' && !act.force) return keepBinlogs(snapshot, member)
  if (act.type === 'forget-source' && !act.force) return keepSource(snapshot, member)
  return done
}

/** Those who follow it read its binary log. */
function keepBinlogs(snapshot: BareSnapshot, member: ServerSnapshot): Result<void> {
  const followers = followersOf(snapshot, member).map(({ name }) => name)
  if (followers.length === 0) return done
  const isPrimary = member.id === snapshot.primary
  return fail(
    isPrimary ? 'is-primary' : 'wrong-state',
    `${member.name} ${isPrimary ? 'is the primary, and ' : ''}has followers: ${followers.join(', ')}. With force=true ` +
      'writes stop until they have applied everything, then they replicate from the new log; a server that does not answer then,  ' +
      'and a restore to a point in time before now, loses the old log',
  )
}

/** A replica without a source serves old data, and is no candidate for a failover. */
function keepSource(snapshot: BareSnapshot, member: ServerSnapshot): Result<void> {
  const runs = member.state?.channels.some(({ io, sql }) => io !== 'stopped' || sql !== 'stopped')
  if (!runs) return done
  const followers = followersOf(snapshot, member).map(({ name }) => name)
  const behind = followers.length === 0 ? '' : `, and ${followers.join(', ')} behind it`
  const source = findServer(snapshot, member.sourceId)?.name ?? 'its source'
  return fail(
    member.id === snapshot.primary ? 'is-primary' : 'wrong-state',
    `${member.name} replicates from ${source}: without it, it${behind} would receive nothing. ` +
      'Stop its replication first, or use force=true',
  )
}

/** Tables of the primary are rebuilt only when that is meant: rolling work leaves them alone, too. */
export function judgeOptimize(
  snapshot: BareSnapshot,
  { server, force }: { readonly server: string; readonly force: boolean },
): Result<void> {
  const member = findServer(snapshot, server)
  if (!member) return fail('unknown-server', `${snapshot.cluster} has no server ${server}`)
  if (server !== snapshot.primary || force) return done
  return fail('is-primary', `${member.name} is the primary: switch over first, or use force=true to rebuild its tables`)
}
