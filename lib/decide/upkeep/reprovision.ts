// Whether a replica may be reprovisioned, and from which donor: only when nothing can be lost by it.

import { fail, ok, type Result } from '../../base/result.js'
import { SECOND } from '../../base/time.js'
import { clonesFrom, hasClone } from '../../dialect/mysql/clone.js'
import type { RollKind } from '../../model/operation/roll.js'
import {
  contains,
  countTransactions,
  formatSet,
  type GtidSet,
  isEmpty,
  pick,
  subtract,
  union,
} from '../../model/server/gtid.js'
import type { ServerId } from '../../model/server/server.js'
import { findServer, type ServerSnapshot } from '../../model/snapshot.js'
import { channelOf, isReachable, isWritable } from '../situation/channel.js'
import { lostByPrimary } from '../situation/history/history.js'
import { aheadOf, certainPart, countOf, errantOf, errantText, isOrigin } from '../situation/history/holdings.js'
import type { DecideSettings, Situation } from '../situation/situation.js'
import { followersOf } from '../situation/topology/sources.js'

export interface ReprovisionRequest {
  readonly server: ServerId
  /** A person accepts that the primary is the only other server with the data meanwhile. */
  readonly force: boolean
}

export interface ReprovisionPlan {
  /** Whose data are copied. */
  readonly donor: ServerId
  /** What people should know of that choice. */
  readonly note?: string
}

/** The donor, or why this server must keep the data that it has. Each refusal names the server and the reason. */
export function judgeReprovision(
  situation: Situation,
  { server: id, force }: ReprovisionRequest,
): Result<ReprovisionPlan> {
  const { snapshot, settings } = situation
  const server = findServer(snapshot, id)
  const primary = findServer(snapshot, snapshot.primary)
  if (!server) return fail('unknown-server', `${snapshot.cluster} has no server ${id}`)
  if (!primary) return fail('no-primary', 'The cluster has no primary.')
  if (server.id === primary.id)
    return fail('is-primary', `${server.name} is the primary: other servers replicate its data`)
  if (!isReachable(primary) || !isWritable(primary) || !primary.state)
    return refuse(server, `the primary ${primary.name} is read-only`)
  const alone = isReachable(server) ? heldOnlyBy(server, primary, situation) : {}
  if (!isEmpty(alone)) {
    const certain = certainPart(alone, server)
    return refuse(server, `it has ${countOf(alone, certain)} that the primary is missing: ${formatSet(certain)}`)
  }
  const fault = faultOfReplica(server, settings)
  if (fault !== undefined) return fail('not-replicating', `${fault}: its data cannot be compared with the primary`)
  const followers = followersOf(snapshot.servers, server.id).map(({ name }) => name)
  if (followers.length > 0)
    return refuse(server, `${followers.join(', ')} replicate from it: repoint them to the primary first`)
  const cannot = [server, primary].flatMap((each) => whyNotCopied(each, primary) ?? [])[0]
  return cannot === undefined ? chooseDonor(situation, { server, primary, force }) : fail('unsupported', cannot)
}

/** Why a server can neither receive nor give a copy; undefined when it can. */
function whyNotCopied({ name, state }: ServerSnapshot, primary: ServerSnapshot): string | undefined {
  if (!state) return `${name} has not been probed yet`
  const { flavour, version, versionText } = state.identity
  if (flavour === 'mariadb') return undefined
  if (!hasClone(version))
    return `${name} is MySQL ${versionText}: the clone plugin, which copies the data, exists since 8.0.17`
  if (!state.gtid.enabled) return `${name} runs without gtid_mode: a copy of it would have no position`
  const theirs = primary.state?.identity
  if (theirs && (theirs.flavour !== flavour || !clonesFrom(theirs.version, version)))
    return `${name} is MySQL ${versionText}, ${primary.name} ${theirs.versionText}: a server is cloned from one of its own series (of 8.0 before 8.0.37: of its own release)`
  return undefined
}

/** What rolling work is asked for, as far as it concerns one server. */
export interface ReprovisionOptions {
  readonly kind: RollKind
  readonly only?: ServerId | undefined
  readonly force?: boolean
}

/**
 * Named by a person and forced: it may be what a turn left whose old data could not be restored. Whether it is, its host
 * reports at its turn; a server that is not and does not replicate keeps its data then.
 */
export const isTakenUp = ({ kind, only, force }: ReprovisionOptions, server: ServerId): boolean =>
  kind === 'reprov' && force === true && only === server

/**
 * What would be lost with its data. Of the primary's own transactions that is what the primary was seen without: two readings of
 * about the same time show that a replica has more of them whenever the primary writes.
 */
function heldOnlyBy(server: ServerSnapshot, primary: ServerSnapshot, situation: Situation): GtidSet {
  const { memory, settings } = situation
  const alone = union(errantOf(server, primary, memory), aheadOf(server, primary, { settings, memory }))
  const { state } = primary
  if (!state) return alone
  const own = pick(alone, (stream) => isOrigin(stream, state))
  return subtract(alone, subtract(own, lostByPrimary(situation, primary)))
}

interface Choice {
  readonly server: ServerSnapshot
  readonly primary: ServerSnapshot
  readonly force: boolean
}

/** A healthy replica that is not kept behind, one that is no candidate for the role first; else the primary. */
function chooseDonor({ snapshot, settings }: Situation, { server, primary, force }: Choice): Result<ReprovisionPlan> {
  const others = snapshot.servers.filter(({ id }) => id !== server.id && id !== primary.id)
  const healthy = others.filter(
    (each) => !each.maintenance && each.delaySeconds === 0 && faultOfReplica(each, settings) === undefined,
  )
  if (healthy.length === 0 && !force)
    return refuse(
      server,
      `${primary.name} would be the only other server with the data meanwhile; use force=true to accept that`,
    )
  const donors = healthy.filter(
    (each) => each.state?.binlog && each.state.logReplicaUpdates && whyNotCopied(each, server) === undefined,
  )
  const donor = donors.find(({ rating }) => rating === 'ignored') ?? donors[0]
  if (donor) return ok({ donor: donor.id })
  if (!primary.state?.binlog)
    return refuse(server, `${primary.name} writes no binary log: a copy would have no position`)
  const why = healthy.length === 0 ? 'no other replica is healthy' : 'no replica logs what it applies'
  return ok({ donor: primary.id, note: `the primary ${primary.name} is the donor: ${why}` })
}

const refuse = ({ name }: ServerSnapshot, reason: string): Result<never> =>
  fail('wrong-state', `${name} is not reprovisioned: ${reason}`)

/** What keeps a replica from being relied on; undefined for a healthy one. */
export function faultOfReplica(
  server: ServerSnapshot,
  settings: Pick<DecideSettings, 'replication-source-name'>,
): string | undefined {
  if (!isReachable(server)) return `${server.name} does not answer`
  const channel = channelOf(server, settings)
  if (channel?.io !== 'running' || channel.sql !== 'running') return `${server.name} does not replicate`
  return server.stateName.endsWith('-late') ? `${server.name} is too far behind` : undefined
}

/** What is waited for while a filled server catches up. */
export interface CatchUp {
  /** What the primary had when the server began to follow: it has caught up when it has applied that. */
  readonly reach?: GtidSet
  readonly waiting?: { readonly text: string; readonly since: number; readonly left?: number }
}

export type CatchUpStep =
  | { readonly type: 'done' }
  | { readonly type: 'wait'; readonly state: CatchUp }
  | { readonly type: 'follow'; readonly primary: ServerId; readonly state: CatchUp }
  | { readonly type: 'give-up'; readonly reason: string }

/**
 * The next step of a reprovisioned server until it holds what the primary had: it is repointed to the present primary, then
 * waited for. It is given up when it makes no progress for `monitoring-wait-retry` passes.
 */
export function stepCatchUp(catchUp: CatchUp, server: ServerId, situation: Situation): CatchUpStep {
  const { snapshot, settings, now } = situation
  const member = findServer(snapshot, server)
  const primary = findServer(snapshot, snapshot.primary)
  if (!member) return { type: 'give-up', reason: 'it is no longer a member' }
  const wait = (text: string, left?: number) =>
    waitFor(catchUp, { text, ...(left === undefined ? {} : { left }) }, situation)
  if (snapshot.operation) return wait(`${snapshot.operation.id} is running`)
  if (!primary?.state || !isReachable(primary) || !isWritable(primary)) return wait('the primary is read-only')
  if (!isReachable(member)) return wait(`${member.name} does not answer`)
  const channel = channelOf(member, settings)
  const follows = member.sourceId === primary.id && channel?.usesGtid === true
  if (!follows || channel.io === 'stopped' || channel.sql === 'stopped') {
    const error = [channel?.ioError, channel?.sqlError].find((each) => each !== undefined && each.code !== 0)
    if (follows && error)
      return { type: 'give-up', reason: `its replication stopped: error ${error.code}: ${error.message}` }
    const extra = heldOnlyBy(member, primary, situation)
    if (!isEmpty(extra))
      return {
        type: 'give-up',
        reason: `it has transactions that ${primary.name} is missing: ${errantText(extra, member)}`,
      }
    const waited = wait(`${member.name} does not replicate from ${primary.name} yet`)
    const state = waited.type === 'wait' ? waited.state : catchUp
    return waited.type === 'give-up' ? waited : { type: 'follow', primary: primary.id, state }
  }
  const reach = catchUp.reach ?? primary.state.gtid.executed
  if (channel.io === 'running' && contains(channel.applied, reach)) return { type: 'done' }
  const left = countTransactions(subtract(reach, channel.applied))
  return waitFor({ ...catchUp, reach }, { text: `${member.name} is catching up`, left }, { settings, now })
}

function waitFor(
  catchUp: CatchUp,
  awaited: { readonly text: string; readonly left?: number },
  { settings, now }: Pick<Situation, 'settings' | 'now'>,
): CatchUpStep {
  const { waiting } = catchUp
  const nearer = awaited.left !== undefined && awaited.left < (waiting?.left ?? Number.POSITIVE_INFINITY)
  if (waiting?.text !== awaited.text || nearer)
    return { type: 'wait', state: { ...catchUp, waiting: { ...awaited, since: now } } }
  const limitMs = settings['monitoring-wait-retry'] * settings['monitoring-ticker'] * SECOND
  if (now - waiting.since <= limitMs) return { type: 'wait', state: catchUp }
  return { type: 'give-up', reason: `${awaited.text} (timed out after ${Math.round(limitMs / SECOND)} s)` }
}
