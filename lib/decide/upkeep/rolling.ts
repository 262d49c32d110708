// Rolling work: replicas first, one at a time, each back and caught up before the next; then the role moves, the former
// primary has its turn, and the role returns. Every step is decided by what the servers show now, so that a run that
// was interrupted anywhere continues from there.
import type { Asker } from '../../access/index.js'
import { fail, ok, type Result } from '../../base/result.js'
import { SECOND } from '../../base/time.js'
import {
  isRolling,
  type Roll,
  type RollCommand,
  type RollKind,
  type RollServer,
  rollTitles,
} from '../../model/operation/roll.js'
import { contains, countTransactions, subtract } from '../../model/server/gtid.js'
import type { ServerId } from '../../model/server/server.js'
import { findServer, type ServerSnapshot } from '../../model/snapshot.js'
import { nameOf } from '../failover/election/eligibility.js'
import { channelOf, isReachable, isWritable } from '../situation/channel.js'
import type { Situation } from '../situation/situation.js'
import { followersOf } from '../situation/topology/sources.js'
import { judgeSwitchover } from '../switchover/switchover.js'
import { faultOfReplica, isTakenUp, judgeReprovision, type ReprovisionOptions } from './reprovision.js'

export interface RollRequest {
  readonly id: string
  readonly user: string
  readonly asker?: Asker | undefined
  readonly kind: RollKind
  /** Only this replica has a turn. */
  readonly only?: ServerId
  readonly force?: boolean
}

export interface RollStep {
  readonly roll: Roll
  /** To be done once the run is saved; absent: check again later. */
  readonly command?: RollCommand
}

const rolled: ReadonlySet<string> = new Set(['primary-replica', 'multi-tier', 'multi-primary'])

/**
 * The run, or why it must not begin. Failures: `unsupported`, `wrong-state` (a replica is not well), and those of a
 * switchover, since the role will have to move.
 */
export function planRoll(
  situation: Situation,
  { id, user, asker, kind, only, force = false }: RollRequest,
): Result<Roll> {
  const { snapshot, now } = situation
  if (!rolled.has(snapshot.topology))
    return fail('unsupported', `A ${rollTitles[kind]} needs a primary with replicas; this is ${snapshot.topology}.`)
  if (snapshot.primary === undefined) return fail('no-primary', 'The cluster has no primary.')
  const { primary } = snapshot
  const target = only === undefined ? ok(undefined) : judgeOnly(situation, only)
  if (!target.ok) return target
  const staysPut = kind === 'optimize' || only !== undefined
  const movable = staysPut ? ok(undefined) : judgeSwitchover(situation)
  if (!movable.ok) return movable
  const servers = inTurns(situation, kind).map((each): RollServer => {
    const isMeant = only === undefined || each.server === only
    return isMeant ? each : { server: each.server, state: 'skipped', message: 'not requested' }
  })
  const wish = { kind, only, force }
  const unfit = servers.flatMap(({ server, state }) =>
    state === 'waiting' && !isTakenUp(wish, server) ? (faultOf(situation, server) ?? []) : [],
  )
  if (unfit.length > 0)
    return fail('wrong-state', `${unfit.join('; ')}: repair it, or set its maintenance to exclude it.`)
  const renewable = kind === 'reprov' ? judgeReprovisions(servers, situation, wish) : ok(undefined)
  if (!renewable.ok) return renewable
  const preferred = servers.find(
    ({ server, state }) => state === 'waiting' && findServer(snapshot, server)?.rating === 'preferred',
  )
  const home = staysPut ? primary : (preferred?.server ?? primary)
  const limits = { ...(only === undefined ? {} : { only }), ...(force ? ({ force } as const) : {}) }
  const by = { owner: user, ...(asker ? { asker } : {}) }
  return ok({ id, kind, ...by, startedAt: now, home, primary, ...limits, servers, phase: 'running' })
}

function judgeOnly({ snapshot }: Situation, only: ServerId): Result<void> {
  const server = findServer(snapshot, only)
  if (!server) return fail('unknown-server', `${snapshot.cluster} has no server ${only}`)
  if (server.id === snapshot.primary)
    return fail(
      'is-primary',
      `${server.name} is the primary: switch over first, or run the rolling operation for all servers`,
    )
  if (server.maintenance)
    return fail('wrong-state', `${server.name} ${IN_MAINTENANCE.replace('it ', '')}: end that first`)
  return ok(undefined)
}

/** Every replica whose turn will come; the primary is judged when it is one. */
function judgeReprovisions(
  servers: readonly RollServer[],
  situation: Situation,
  wish: ReprovisionOptions,
): Result<void> {
  const turns = servers.filter(({ server, state }) => state === 'waiting' && server !== situation.snapshot.primary)
  for (const { server } of turns) {
    const judged = judgeReprovision(situation, { server, force: wish.force === true })
    if (!judged.ok && !(judged.failure.code === 'not-replicating' && isTakenUp(wish, server))) return judged
  }
  return ok(undefined)
}

/** Replicas without followers, then relays, then the primary. */
function inTurns({ snapshot }: Situation, kind: RollKind): readonly RollServer[] {
  const { servers, primary } = snapshot
  const rank = ({ id }: ServerSnapshot) => (id === primary ? 2 : followersOf(servers, id).length > 0 ? 1 : 0)
  return servers
    .toSorted((a, b) => rank(a) - rank(b))
    .map(({ id, maintenance }): RollServer => {
      if (id === primary && kind === 'optimize') return { server: id, state: 'skipped', message: 'it is the primary' }
      return maintenance ? { server: id, state: 'skipped', message: IN_MAINTENANCE } : { server: id, state: 'waiting' }
    })
}

const IN_MAINTENANCE = 'it is in maintenance'

/** What keeps a replica from being relied on; undefined for a healthy one and for the primary. */
function faultOf({ snapshot, settings }: Situation, id: ServerId): string | undefined {
  const server = findServer(snapshot, id)
  return !server || id === snapshot.primary ? undefined : faultOfReplica(server, settings)
}

/** The next state of the run, and its next command. None of its commands may be running. */
export function stepRoll(roll: Roll, situation: Situation): RollStep {
  if (!isRolling(roll)) return { roll }
  const { snapshot, memory, now } = situation
  if (snapshot.operation) return wait(roll, situation, { text: `${snapshot.operation.id} is running` })
  if (roll.moving) return stepRoll(settleMove(roll, situation), situation)
  const current = roll.servers.find(({ state }) => state === 'acting' || state === 'returning')
  // A server that was left in the middle of its turn is brought back, whatever else has happened.
  if (current?.state === 'acting') return resumeTurn(roll, current, situation)
  if (memory.lastFailoverAt > roll.startedAt) return { roll: stop(roll, 'a failover took precedence', now) }
  if (snapshot.primary !== roll.primary)
    return { roll: stop(roll, `${nameOf(situation, snapshot.primary)} became the primary meanwhile`, now) }
  if (roll.cancelledBy !== undefined) return { roll: cancel(roll, now) }
  return current ? awaitReturn(roll, current, situation) : nextTurn(roll, situation)
}

/** The role has moved, or a switchover came to nothing: it is tried a few times. */
function settleMove({ moving: _, ...roll }: Roll, { snapshot, memory, now }: Situation): Roll {
  const hasMoved = snapshot.primary !== undefined && snapshot.primary !== roll.primary
  if (!hasMoved || memory.lastFailoverAt > roll.startedAt) return refuse(roll, 'the primary role did not move', now)
  const { refused: __, ...rest } = roll
  return { ...rest, primary: snapshot.primary }
}

const MOST_REFUSALS = 3
const REFUSED_REST_MS = 5 * SECOND

function refuse(roll: Roll, reason: string, now: number): Roll {
  const times = (roll.refused?.times ?? 0) + 1
  const last = roll.refused && roll.refused.until > now ? roll.refused.reason : reason
  return { ...roll, refused: { times, reason: last, until: now + REFUSED_REST_MS } }
}

/** A switchover of the run has ended without moving the role. */
export const noteRefusal = (roll: Roll, reason: string, now: number): Roll => {
  const { moving: _, ...rest } = roll
  return isRolling(roll) ? refuse(rest, reason, now) : roll
}

/** A turn that broke off with its manager: it is over when the server shows that, else it is done again. */
function resumeTurn(roll: Roll, current: RollServer, situation: Situation): RollStep {
  const { snapshot, now } = situation
  const server = findServer(snapshot, current.server)
  if (!server) return { roll: put(roll, { ...current, state: 'skipped', message: 'it is no longer a member' }) }
  if (server.id === snapshot.primary) return { roll: stop(roll, `${server.name} became the primary meanwhile`, now) }
  if (server.observation === 'unseen') return wait(roll, situation, { text: `${server.name} has not been probed yet` })
  if (hasReturned(roll.kind, server, current.actedAt ?? now))
    return { roll: put(roll, { ...current, state: 'returning', backAt: current.actedAt ?? now }) }
  const again: RollServer = { ...current, maintained: true, actedAt: now }
  return { roll: put(roll, again), command: { type: 'act', server: server.id, kind: roll.kind, again: true } }
}

/** It answers and has started since; uptimes are whole seconds. */
function hasReturned(kind: RollKind, server: ServerSnapshot, since: number): boolean {
  // A start does not show the progress of a reprovision: the performer of the turn asks the host for that.
  if (kind !== 'restart' || !isReachable(server) || !server.state || server.stateAt === undefined) return false
  return server.stateAt - (server.state.uptimeSeconds + 1) * SECOND > since
}

/**
 * The turn of a server was carried out, or failed: a failure ends the run. `gaveWay`: it was refused before it began, since the
 * primary role is being moved; the server waits again, and what becomes of the run is decided when that has ended.
 */
export function noteTurn(
  roll: Roll,
  { server, failure, gaveWay = false }: { server: ServerId; failure?: string; gaveWay?: boolean },
  now: number,
): Roll {
  const current = roll.servers.find((each) => each.server === server)
  if (!isRolling(roll) || current?.state !== 'acting') return roll
  if (gaveWay) return put(roll, { server, state: 'waiting' })
  if (failure === undefined) return put(roll, { ...current, state: 'returning', backAt: now })
  if (roll.kind === 'reprov' && roll.cancelledBy !== undefined)
    return cancel(put(roll, { ...current, state: 'skipped', message: failure, endedAt: now }), now)
  return stop(put(roll, { ...current, state: 'failed', message: failure, endedAt: now }), failure, now)
}

/** Back means: it answers, replicates, and has applied what the primary had when it came back. */
function awaitReturn(roll: Roll, current: RollServer, situation: Situation): RollStep {
  const { snapshot, settings, now } = situation
  const server = findServer(snapshot, current.server)
  const primary = findServer(snapshot, snapshot.primary)
  if (!server) return { roll: put(roll, { ...current, state: 'skipped', message: 'it is no longer a member' }) }
  if (!primary?.state || !isReachable(primary)) return wait(roll, situation, { text: 'the primary does not answer' })
  const isSeen = isReachable(server) && (server.stateAt ?? 0) > (current.backAt ?? 0)
  if (!isSeen) return wait(roll, situation, { text: `${server.name} does not answer` })
  const reach = current.reach ?? primary.state.gtid.executed
  const known = current.reach ? roll : put(roll, { ...current, reach })
  const channel = channelOf(server, settings)
  if (channel?.io !== 'running' || channel.sql !== 'running')
    // The standing rules bring it back, and they pass by what is in maintenance.
    return wait(release(known, server.id), situation, { text: `${server.name} does not replicate yet` })
  if (!contains(channel.applied, reach)) {
    const left = countTransactions(subtract(reach, channel.applied))
    return wait(known, situation, { text: `${server.name} is catching up`, left })
  }
  const { reach: _, maintained: __, ...rest } = current
  return { roll: rested(put(roll, { ...rest, state: 'done', endedAt: now })) }
}

/** When all others are healthy: the next replica, then the switchover, then the former primary, then the switch back. */
function nextTurn(roll: Roll, situation: Situation): RollStep {
  const { snapshot, now } = situation
  const primary = findServer(snapshot, snapshot.primary)
  if (!primary || !isReachable(primary) || !isWritable(primary))
    return wait(roll, situation, { text: 'the primary is read-only' })
  const passed = roll.servers.find(
    ({ server, state }) => state === 'waiting' && findServer(snapshot, server)?.maintenance,
  )
  if (passed) return { roll: put(roll, { ...passed, state: 'skipped', message: IN_MAINTENANCE }) }
  const fault = roll.servers.flatMap(({ server, state }) =>
    state === 'skipped' || findServer(snapshot, server)?.maintenance || isTakenUp(roll, server)
      ? []
      : (faultOf(situation, server) ?? []),
  )[0]
  if (fault !== undefined) return wait(roll, situation, { text: fault })
  const next = roll.servers.find(({ server, state }) => state === 'waiting' && server !== primary.id)
  if (next && !findServer(snapshot, next.server))
    return { roll: put(roll, { ...next, state: 'skipped', message: 'it is no longer a member' }) }
  if (next) {
    const acting: RollServer = { ...next, state: 'acting', maintained: true, actedAt: now }
    return { roll: rested(put(roll, acting)), command: { type: 'act', server: next.server, kind: roll.kind } }
  }
  const isOwed = roll.servers.some(({ server, state }) => server === primary.id && state === 'waiting')
  if (isOwed || isAway(roll, situation)) return move(roll, situation)
  return { roll: end(roll, { phase: 'succeeded', now }) }
}

const isAway = ({ home, primary }: Roll, { snapshot }: Situation): boolean =>
  home !== primary && findServer(snapshot, home)?.maintenance === false

function move(roll: Roll, situation: Situation): RollStep {
  const { refused } = roll
  if (refused && refused.times >= MOST_REFUSALS) {
    const from = nameOf(situation, roll.primary)
    return { roll: stop(roll, `${from} could not hand over its role: ${refused.reason}`, situation.now) }
  }
  if (refused && refused.until > situation.now)
    return wait(roll, situation, { text: `the switchover was refused: ${refused.reason}` })
  const moving = isAway(roll, situation) ? { candidate: roll.home } : {}
  return { roll: rested({ ...roll, moving }), command: { type: 'move', ...moving } }
}

/** Waits for a state; what neither comes nor gets nearer for `monitoring-wait-retry` passes ends the run. */
function wait(roll: Roll, { settings, now }: Situation, awaited: { text: string; left?: number }): RollStep {
  const { waiting } = roll
  const nearer = awaited.left !== undefined && awaited.left < (waiting?.left ?? Number.POSITIVE_INFINITY)
  if (waiting?.text !== awaited.text || nearer) return { roll: { ...roll, waiting: { ...awaited, since: now } } }
  const limitMs = settings['monitoring-wait-retry'] * settings['monitoring-ticker'] * SECOND
  if (now - waiting.since <= limitMs) return { roll }
  const current = roll.servers.find(({ state }) => state === 'acting' || state === 'returning')
  const reason = `${awaited.text} (timed out after ${Math.round(limitMs / SECOND)} s)`
  const marked = current ? put(roll, { ...current, state: 'failed', message: reason, endedAt: now }) : roll
  return { roll: stop(marked, reason, now) }
}

/** Cancelled: the server in its turn is brought back first, no other is started. `revoked`: why it is not permitted to go on. */
export const cancelRoll = (roll: Roll, user: string, revoked?: string): Roll =>
  isRolling(roll) ? { ...roll, cancelledBy: user, ...(revoked === undefined ? {} : { revoked }) } : roll

const cancel = (roll: Roll, now: number): Roll => {
  const after = roll.servers.map(
    (each): RollServer => (each.state === 'returning' ? { ...each, state: 'done', endedAt: now } : each),
  )
  return end({ ...roll, servers: after }, { phase: 'cancelled', message: cancelText(roll), now })
}

const cancelText = ({ cancelledBy, revoked }: Roll): string =>
  `cancelled by ${cancelledBy}${revoked === undefined ? '' : `: ${revoked}`}`

const stop = (roll: Roll, message: string, now: number): Roll => end(roll, { phase: 'stopped', message, now })

/** Leaves nothing behind: no maintenance of its own, nothing that waits. */
function end(
  roll: Roll,
  { phase, message, now }: { phase: Exclude<Roll['phase'], 'running'>; message?: string; now: number },
): Roll {
  const { waiting: _, moving: __, refused: ___, ...rest } = roll
  const servers = roll.servers.map(({ maintained, reach, ...each }): RollServer => {
    const open = each.state === 'waiting' || each.state === 'returning' || each.state === 'acting'
    return open ? { ...each, state: 'skipped', message: message ?? 'not reached' } : each
  })
  return { ...rest, servers, phase, endedAt: now, ...(message === undefined ? {} : { message }) }
}

const put = (roll: Roll, changed: RollServer): Roll => ({
  ...roll,
  servers: roll.servers.map((each) => (each.server === changed.server ? changed : each)),
})

const release = (roll: Roll, server: ServerId): Roll => ({
  ...roll,
  servers: roll.servers.map(({ maintained, ...each }) =>
    each.server === server || maintained === undefined ? each : { ...each, maintained },
  ),
})

function rested({ waiting: _, ...roll }: Roll): Roll {
  return roll
}
