// Whether a service may be stopped, removed or made now: what would cost data or leave the cluster without a writer is refused.
import { done, fail, type Result } from '../../base/result.js'
import { type ServiceAction, stopsService } from '../../model/operation/services.js'
import type { ServerId } from '../../model/server/server.js'
import { type BareSnapshot, findServer, type ServerSnapshot } from '../../model/snapshot.js'
import { isInService } from '../situation/galera.js'

export interface ServiceRequest {
  readonly action: ServiceAction
  readonly server: ServerId
  /** A person has said that it is meant. */
  readonly force: boolean
}

/** Judges one database; proxies hold no data and are not asked about. */
export function judgeService(snapshot: BareSnapshot, { action, server, force }: ServiceRequest): Result<void> {
  const member = findServer(snapshot, server)
  if (!member) return fail('unknown-server', `${snapshot.cluster} has no server ${server}`)
  const { operation } = snapshot
  if (stopsService[action] && (operation?.kind === 'switchover' || operation?.kind === 'failover'))
    return fail('operation-running', `${operation.id} is running: ${action} ${member.name} when it has ended`)
  if (!stopsService[action] || server !== snapshot.primary || force) return done
  if (snapshot.topology === 'galera') return keepMember(snapshot, member, action)
  return action === 'unprovision' ? keepPrimary(snapshot, member) : keepWriter(snapshot, member, action)
}

/** The data of the primary is what the others follow. */
function keepPrimary({ servers }: BareSnapshot, member: ServerSnapshot): Result<void> {
  const followers = servers.filter(({ sourceId }) => sourceId === member.id).map(({ name }) => name)
  if (followers.length === 0) return done
  return fail(
    'is-primary',
    `${member.name} is the primary and ${followers.join(', ')} follow it: switch over first, or use force=true to remove it with its data`,
  )
}

/** Another member takes the writes at once. */
function keepMember({ servers }: BareSnapshot, member: ServerSnapshot, action: ServiceAction): Result<void> {
  if (servers.some((other) => other.id !== member.id && isInService(other))) return done
  return fail('is-primary', `${member.name} is the last member in service: use force=true to ${action} it`)
}

function keepWriter({ servers }: BareSnapshot, member: ServerSnapshot, action: ServiceAction): Result<void> {
  const others = servers.filter(({ id, observation }) => id !== member.id && observation === 'answered')
  if (others.length === 0) return done
  return fail('is-primary', `${member.name} is the primary: switch over first, or use force=true to ${action} it`)
}
