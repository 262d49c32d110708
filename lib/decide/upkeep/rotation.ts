// New passwords without a break: when a rotation may begin, and what its next step is. Both passwords are good until
// everything uses the new one, so it may be cut short anywhere, and may wait for a server as long as it must.
import { done, fail, type Result } from '../../base/result.js'
import {
  activateRole,
  grantStatements,
  holds,
  type Privilege,
  parseGrants,
  privilegeOf,
  rotationPrivileges,
} from '../../dialect/index.js'
import { isRotating, type LoginChanges, type Rotation, reversed } from '../../model/operation/rotation.js'
import type { Channel, HeldPrivileges } from '../../model/server/reading.js'
import { isSameAddress, type ServerId, type ServerIdentity } from '../../model/server/server.js'
import { clusterChannels, mainChannel, type ServerSnapshot, type Snapshot } from '../../model/snapshot.js'
import { isReachable } from '../situation/channel.js'

/** `adopt`: the owner of the settings acts; `next`: only the record changes. */
export type RotationStep =
  | { readonly type: 'wait'; readonly waitsFor: string }
  | { readonly type: 'admit' | 'narrow'; readonly servers: readonly ServerId[]; readonly leftOut?: string }
  | { readonly type: 'adopt' }
  /** Proxies that did not take the new passwords yet do. */
  | { readonly type: 'inform' }
  | { readonly type: 'renew'; readonly server: ServerId; readonly channels: readonly string[]; readonly start: boolean }
  | { readonly type: 'next'; readonly rotation: Rotation }

/**
 * Failures: `operation-running`, `no-primary`, `wrong-state` (a server does not answer, or a replica does not replicate:
 * it could not be verified that it continues).
 */
export function judgeRotation(snapshot: Snapshot, replicationUser: string): Result<void> {
  if (snapshot.operation) return fail('operation-running', `${snapshot.operation.id} is running.`)
  const down = snapshot.servers.filter((server) => !isReachable(server))
  if (down.length > 0)
    return fail('wrong-state', `${names(down)} does not answer: the passwords could not be set there.`)
  if (snapshot.primary === undefined) return fail('no-primary', 'The accounts are changed on the primary.')
  const broken = snapshot.servers.filter((server) => !runs(ownChannels(snapshot, server, replicationUser)))
  if (broken.length > 0) return fail('wrong-state', `${names(broken)} does not replicate.`)
  return done
}

/** What a new session on a server may do: lines of `SHOW GRANTS`. */
export interface SessionGrants {
  readonly identity: Pick<ServerIdentity, 'flavour' | 'version'>
  readonly lines: readonly string[]
  /** The same with one of its roles active, where none is. */
  readonly roles: readonly { readonly role: string; readonly lines: readonly string[] }[]
}

/**
 * `wrong-state` with the statement to run where the account of the manager is without what a rotation needs: it would
 * begin, fail at its first statement, and wait. A role counts where it is active in a new session, which is what acts.
 */
export function judgeRotationGrants({ identity, lines, roles }: SessionGrants): Result<void> {
  const held = parseGrants(lines)
  const needed = rotationPrivileges.flatMap((row) => privilegeOf(row, identity) ?? [])
  const isMissing = (privileges: HeldPrivileges) => (privilege: Privilege) =>
    !holds(privileges, privilege, identity.version)
  const missing = needed.filter(isMissing(held))
  if (missing.length === 0) return done
  const refused = 'the account of the manager may not change accounts'
  const able = roles.find((role) => !needed.some(isMissing(parseGrants(role.lines))))
  if (!able) {
    const grants = grantStatements(missing, held.account).join(' ')
    return fail('wrong-state', `${refused}; run on the primary: ${grants}`)
  }
  return fail(
    'wrong-state',
    `${refused}: its role ${able.role} permits it, but is not active when it logs in; run on the primary: ${activateRole(able.role, held.account, identity)}`,
  )
}

export function nextStep(rotation: Rotation, snapshot: Snapshot, replicationUser: string): RotationStep {
  if (!isRotating(rotation)) return wait('')
  if (rotation.phase === 'adopting') return { type: 'adopt' }
  if (snapshot.operation) return wait(`${snapshot.operation.id} is running`)
  if (rotation.phase === 'renewing') return nextRenewal(rotation, snapshot, replicationUser)
  if (rotation.phase === 'informing') return { type: 'inform' }
  const down = snapshot.servers.filter((server) => !isReachable(server))
  const { primary } = snapshot
  // One that was cancelled does not wait for replicas: they get the change of accounts with the primary's log.
  const mayLeaveOut = rotation.cancelledBy !== undefined && down.every(({ id }) => id !== primary)
  if (down.length > 0 && !mayLeaveOut) return wait(`${names(down)} does not answer`)
  if (primary === undefined) return wait('the cluster has no primary')
  // What the primary logs, the others replicate: it is first.
  const others = snapshot.servers.filter((server) => server.id !== primary && isReachable(server)).map(({ id }) => id)
  const leftOut = down.length > 0 ? { leftOut: names(down) } : {}
  return { type: rotation.phase === 'admitting' ? 'admit' : 'narrow', servers: [primary, ...others], ...leftOut }
}

export interface Cancelled {
  readonly rotation: Rotation
  readonly logins: LoginChanges
}

/**
 * What becomes of a rotation that is cancelled. As long as nothing uses the new passwords (`adopted`: the settings give
 * them) it goes back. After that it ends where it is: both are good until the next rotation, or, when the old ones began
 * to go already, it ends without the servers that are down.
 */
export function cancelRotation(
  { rotation, logins }: Cancelled,
  { user, revoked, adopted }: { readonly user: string; readonly revoked?: string; readonly adopted: boolean },
): Cancelled {
  const { waitsFor: _, ...rest } = rotation
  const cancelled: Rotation = { ...rest, cancelledBy: user, ...(revoked === undefined ? {} : { revoked }) }
  const isEarly = rotation.phase === 'admitting' || (rotation.phase === 'adopting' && !adopted)
  if (isEarly) return { rotation: { ...cancelled, phase: 'narrowing', back: true }, logins: reversed(logins) }
  return { rotation: cancelled, logins }
}

/** One replica after the other; which one has its turn is written down before anything is done to it. */
function nextRenewal(rotation: Rotation, snapshot: Snapshot, replicationUser: string): RotationStep {
  const { turn, ...rest } = rotation
  const current = turn && snapshot.servers.find(({ id }) => id === turn.server)
  if (turn && !current) return { type: 'next', rotation: rest }
  if (turn && current) {
    if (!isReachable(current))
      return rotation.cancelledBy === undefined
        ? wait(`${current.name} does not answer`)
        : { type: 'next', rotation: leftWithBoth(rotation, `${current.name} may still log in to the source`) }
    const channels = ownChannels(snapshot, current, replicationUser).map(({ name }) => name)
    // It lost its source meanwhile: it takes the primary's role perhaps.
    if (channels.length === 0) return { type: 'next', rotation: renewed(rotation, current.id) }
    return { type: 'renew', server: current.id, channels, start: turn.start }
  }
  const left = snapshot.servers.filter(({ id }) => !rotation.renewed.includes(id))
  const down = left.filter((server) => !isReachable(server))
  const [server] = left.filter(isReachable)
  if (rotation.cancelledBy !== undefined && left.length > 0)
    return { type: 'next', rotation: leftWithBoth(rotation, `${names(left)} may still log in to the source`) }
  if (!server)
    return down.length > 0
      ? wait(`${names(down)} does not answer`)
      : { type: 'next', rotation: { ...rest, phase: 'informing' } }
  const channels = ownChannels(snapshot, server, replicationUser)
  if (channels.length === 0) return { type: 'next', rotation: renewed(rotation, server.id) }
  if (!runs(channels) && !channels.every(isStopped))
    return wait(`${server.name} has only one of its replication threads running`)
  return { type: 'next', rotation: { ...rest, turn: { server: server.id, start: runs(channels) } } }
}

/** It ends on request while some still use the old passwords. */
function leftWithBoth({ turn: _, ...rotation }: Rotation, left: string): Rotation {
  const message = `cancelled by ${rotation.cancelledBy}: accounts accept the old and the new passwords, and ${left} with the old one; the next rotation removes the old ones`
  return { ...rotation, phase: 'stopped', message }
}

/** How a rotation begins: `settles` where accounts have no room for another password yet. */
export function beginRotation(
  { settles }: { readonly settles: boolean },
  begun: Pick<Rotation, 'id' | 'owner' | 'startedAt' | 'users'>,
): Rotation {
  return settles
    ? { ...begun, phase: 'renewing', renewed: [], settling: true }
    : { ...begun, phase: 'admitting', renewed: [] }
}

/** Whether it ended with two passwords on some accounts. */
export const leftSecond = (rotation: Rotation | undefined): boolean =>
  rotation !== undefined && !isRotating(rotation) && (rotation.phase === 'stopped' || rotation.message !== undefined)

export function renewed({ turn: _, ...rotation }: Rotation, server: ServerId): Rotation {
  return { ...rotation, renewed: [...rotation.renewed.filter((id) => id !== server), server] }
}

/** Only the passwords in force are good by now: the new ones have their turn. */
export function settled({ settling: _, informed: __, ...rotation }: Rotation): Rotation {
  return { ...rotation, phase: 'admitting', renewed: [] }
}

/**
 * After the proxies were configured. Those that did not accept the new password are waited for; the others are not configured
 * again: MaxScale would restart its monitoring. A cancelled rotation ends with both passwords valid.
 */
export function informed(rotation: Rotation, { took, left }: ProxyRenewals): Rotation {
  const all = [...new Set([...(rotation.informed ?? []), ...took])]
  const next = all.length === 0 ? rotation : { ...rotation, informed: all }
  if (left.length === 0) return { ...next, phase: 'narrowing' }
  if (rotation.cancelledBy === undefined)
    return { ...next, waitsFor: left.map(({ name, reason }) => `${name}: ${reason}`).join('; ') }
  return leftWithBoth(next, `${left.map(({ name }) => name).join(', ')} may still log in to the servers`)
}

/** By the names of proxies: who took the new passwords, and who did not. */
export interface ProxyRenewals {
  readonly took: readonly string[]
  readonly left: readonly { readonly name: string; readonly reason: string }[]
}

/** Channels that log in to a member with the account that rotates; others belong to another cluster. */
function ownChannels({ servers }: Snapshot, server: ServerSnapshot, user: string): readonly Channel[] {
  const others = servers.filter(({ id }) => id !== server.id)
  // Replicas may reach a member at another address: that channel was recognised.
  const recognised = server.sourceId === undefined ? undefined : mainChannel(server)
  const isMember = (channel: Channel) =>
    channel === recognised || others.some((other) => isSameAddress(other, channel.source))
  return clusterChannels(server).filter((channel) => channel.source.user === user && isMember(channel))
}

const runs = (channels: readonly Channel[]): boolean =>
  channels.every(({ io, sql }) => io !== 'stopped' && sql === 'running')

const isStopped = ({ io, sql }: Channel): boolean => io === 'stopped' && sql === 'stopped'

const wait = (waitsFor: string): RotationStep => ({ type: 'wait', waitsFor })

const names = (servers: readonly ServerSnapshot[]): string => servers.map(({ name }) => name).join(', ')
