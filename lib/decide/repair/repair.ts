// Standing repairs: what must be true of a quiet cluster and is set right when it is not. Fences come before all else.
import { compilePattern, type Pattern } from '../../base/pattern.js'
import { SECOND } from '../../base/time.js'
import type { Command } from '../../model/operation/command.js'
import type { Operation, Plan } from '../../model/operation/operation.js'
import { isEmpty } from '../../model/server/gtid.js'
import type { ServerId } from '../../model/server/server.js'
import { findServer, type ServerSnapshot } from '../../model/snapshot.js'
import { channelOf, isReachable, isSentToItself, isStoppedOnly, isWritable } from '../situation/channel.js'
import { gaveRoleUp, privilegedEvents, refuseEvents, stopEvents } from '../situation/events.js'
import { lostByPrimary, missingAtOpening, startedWithout } from '../situation/history/history.js'
import { aheadOf } from '../situation/history/holdings.js'
import { wasMember } from '../situation/history/membership.js'
import type { Situation } from '../situation/situation.js'
import { isSteady } from '../situation/snapshot/rival.js'
import { seenTogether } from '../situation/snapshot/together.js'
import { waitsForStart } from '../situation/stopped-start.js'
import { isBelow, reachableFollowersOf } from '../situation/topology/sources.js'
import { isReplaced, leads } from '../situation/topology/successor.js'
import { hasOtherFiles } from '../situation/topology/tls-files.js'
import { enableAcknowledgements, mayComeBack, missingAcknowledgements } from '../switchover/opening.js'
import { enforceChannel, enforceDurability, enforceSemiSync, enforceVariables, type Repair } from './enforce.js'
import { closeWhole } from './half-closed.js'
import { startHalted } from './halted.js'
import { startPaused } from './paused.js'
import { restorePosition } from './position.js'

/** The first repair that is due; undefined when none is or an operation is running. */
export function planRepair(situation: Situation): Plan | undefined {
  return listRepairs(situation)[0]
}

/** Every repair that is due, the most urgent first. */
export function listRepairs(situation: Situation): readonly Plan[] {
  const { snapshot } = situation
  if (snapshot.operation || snapshot.topology === 'galera') return []
  const due = rows.flatMap((row) => row(situation) ?? [])
  return due.map((repair) => ({ kind: 'repair', undo: [], ...repair, deadlineMs: 30 * SECOND }))
}

/**
 * Servers to be closed at once, also while an operation runs: an old primary that wakes up, a second writable server.
 * Never the primary, never the one that is just becoming it, unless that is being undone. Once a failover has elected for good there is no way back
 * to the old primary, so it is closed even before the new one is open.
 */
export function urgentFences(situation: Situation): readonly Command[] {
  const { snapshot, memory, settings } = situation
  const { primary, operation } = snapshot
  if (primary === undefined || snapshot.topology === 'galera') return []
  const undone = operation !== undefined && isUndone(operation)
  const spared = new Set<ServerId | undefined>(undone ? [] : [operation?.newPrimary])
  if (!operation || operation.kind === 'switchover' || !isCommitted(operation)) spared.add(primary)
  if (operation?.kind === 'switchover') spared.add(operation.oldPrimary)
  const enforce =
    settings['failover-readonly-state'] && settings['force-slave-readonly'] && seenTogether(snapshot.servers, settings)
  return snapshot.servers
    .filter((server) => !spared.has(server.id) && isReachable(server) && isWritable(server))
    .filter((server) => {
      if (operation?.oldPrimary === server.id || (undone && operation.newPrimary === server.id)) return true
      if (isReplaced(server, memory)) return true
      if (!isSteady(server, snapshot)) return false
      // A person gave it the role while the operation pinned what was believed before.
      if (operation && leads(server, { servers: snapshot.servers, settings })) return false
      const isOthers = server.readOnlyIgnored || server.maintenance || !wasMember(situation, server)
      return enforce && !isOthers && snapshot.topology !== 'active-passive'
    })
    .map(({ id }) => ({ type: 'fence', server: id, timeoutMs: 2 * SECOND }))
}

/**
 * The old primary of a switchover is being opened again: a candidate that hung when it was opened may wake up open. One that was not
 * sent the order is open by a person's.
 */
export const isUndone = ({ steps, newPrimary }: Operation): boolean =>
  steps.some(({ command }) => command.type === 'unfreeze' && command.writable) &&
  steps.some(
    ({ command, state }) =>
      command.type === 'make-writable' &&
      command.server === newPrimary &&
      (state === 'running' || state === 'failed' || state === 'done'),
  )

const isCommitted = ({ kind, oldPrimary, newPrimary, steps }: Operation): boolean =>
  kind === 'failover' &&
  oldPrimary !== newPrimary &&
  steps.some(({ command, state }) => command.type === 'reprobe' && command.frozen === true && state === 'done')

const rows: readonly ((situation: Situation) => Repair | undefined)[] = [
  function closeOthers(situation) {
    const commands = urgentFences(situation)
    const names = commands.flatMap((command) =>
      'server' in command ? (findServer(situation.snapshot, command.server)?.name ?? []) : [],
    )
    return commands.length === 0
      ? undefined
      : {
          reason: `${names.join(', ')} is writable and is not the primary`,
          commands: [...commands, ...closedWith(situation, commands)],
        }
  },

  /** It came back with its scheduler on, or a person switched that on: its events write, read-only or not. */
  function closeEvents(situation) {
    const server = situation.snapshot.servers.find(
      (one) =>
        gaveRoleUp(situation, one) &&
        isReachable(one) &&
        !isWritable(one) &&
        !one.maintenance &&
        privilegedEvents(one).length > 0 &&
        refuseEvents(one) === undefined,
    )
    return (
      server && {
        reason: `${server.name} was the primary before, and its event scheduler runs events that write through read_only`,
        commands: stopEvents(server),
      }
    )
  },

  /** Another data directory, or one that lost its end: clients would write into a history that the others do not share. */
  function closeUnfit(situation) {
    const { snapshot, settings } = situation
    const primary = findServer(snapshot, snapshot.primary)
    if (!primary || !isReachable(primary) || !isWritable(primary) || primary.maintenance) return undefined
    if (!isSteady(primary, snapshot)) return undefined
    if (settings['failover-mode'] !== 'automatic' || !startedWithout(situation, primary)) return undefined
    if (isEmpty(lostByPrimary(situation, primary))) return undefined
    return {
      reason: `${primary.name} started without transactions that it held before`,
      commands: [{ type: 'fence', server: primary.id, timeoutMs: 2 * SECOND }],
    }
  },

  /** Restarted with read_only in its file, or left read-only by an interrupted operation: no client could write. */
  function openPrimary(situation) {
    const { snapshot, memory } = situation
    const primary = findServer(snapshot, snapshot.primary)
    if (!primary?.state?.readOnly || !isReachable(primary) || primary.maintenance) return undefined
    if (!isSteady(primary, snapshot)) return undefined
    if (memory.primary !== primary.id || memory.closedByHand || primary.readOnlyIgnored) return undefined
    if (primary.sourceId !== undefined && snapshot.topology !== 'multi-primary' && snapshot.topology !== 'ring')
      return undefined
    if (
      snapshot.servers.some(
        (server) =>
          server.observation === 'unseen' || (server.id !== primary.id && isReachable(server) && isWritable(server)),
      )
    )
      return undefined
    if (!seenTogether(snapshot.servers, situation.settings) || isFollowedElsewhere(situation, primary)) return undefined
    if (!isEmpty(missingAtOpening(situation, primary)) || mayComeBack(situation, primary)) return undefined
    return {
      reason: `${primary.name} is the primary and is read-only`,
      commands: [
        ...enableAcknowledgements(situation, primary),
        {
          type: 'make-writable',
          server: primary.id,
          checked: true,
          ...(primary.sourceId === undefined ? {} : { replicating: true }),
        },
        { type: 'route-writes', primary: primary.id, bestEffort: true },
      ],
    }
  },

  /**
   * After the role has moved within a pair, the new writer follows the old one again, from what it had received of it.
   * Where the partner has lost that in a crash, what the writer wrote since counts as received too.
   */
  function closePair(situation) {
    const { snapshot, settings, memory } = situation
    const primary = findServer(snapshot, snapshot.primary)
    if (!settings['replication-multi-master'] || !primary || primary.maintenance) return undefined
    const channel = channelOf(primary, settings)
    const broken = channel?.io === 'stopped' && channel.ioError.code !== 0
    if (!isReachable(primary) || !isWritable(primary) || (channel && !broken)) return undefined
    const partner = partnerOf(situation, primary)
    if (!partner || !isEmpty(aheadOf(partner, primary, { settings, memory }))) return undefined
    if (channel && primary.sourceId !== partner.id) return undefined
    return {
      reason: `${primary.name} and ${partner.name} are a multi-primary pair, and ${primary.name} does not replicate`,
      commands: [{ type: 'repoint', server: primary.id, source: partner.id, ...(broken ? { demote: true } : {}) }],
    }
  },

  /** Not to follow a source that the manager does not see, or that lost the role: there it would acknowledge. */
  function startRestarted({ snapshot, settings, memory }) {
    const primary = findServer(snapshot, snapshot.primary)
    if (!primary || !isReachable(primary)) return undefined
    const server = snapshot.servers.find((one) => {
      const channel = channelOf(one, settings)
      if (!channel || !isReachable(one) || one.maintenance || !isBelow(snapshot.servers, one.id, primary.id))
        return false
      if (!isStoppedOnly(channel)) return false
      const isSeen = one.restartedAt !== undefined && (one.lastReceivedAt ?? 0) <= one.restartedAt
      return isSeen || waitsForStart(memory, one)
    })
    return (
      server && {
        reason: `${server.name} restarted and is not replicating`,
        commands: [{ type: 'start-replication', server: server.id }],
      }
    )
  },

  /**
   * The address of its source led back to itself for a time, as when two servers swap theirs: that error is not retried by the
   * server. Its source is another one by now.
   */
  function startMistaken({ snapshot, settings }) {
    const server = snapshot.servers.find((one) => {
      const channel = channelOf(one, settings)
      const source = findServer(snapshot, one.sourceId)
      if (!channel || !source || !isReachable(one) || !isReachable(source) || one.maintenance || !one.state)
        return false
      return isSentToItself(channel) && source.state?.serverNumber !== one.state.serverNumber
    })
    return (
      server && {
        reason: `the address of its source led ${server.name} to itself, and leads to another server again`,
        commands: [{ type: 'start-replication', server: server.id }],
      }
    )
  },

  startHalted,
  startPaused,
  restorePosition,

  /**
   * Replicas whose source refuses their login, once it accepts that of the settings: they get it. Until then ERR00160 and
   * ERR00088 say what to do.
   */
  function renewRefused({ snapshot, settings }) {
    const server = snapshot.servers.find((one) => {
      const channel = channelOf(one, settings)
      const source = findServer(snapshot, one.sourceId)
      const refused = channel?.io !== 'running' && channel?.ioError.code === 1045
      const proven = source?.login?.state === 'accepted' && !source.login.outdated
      return refused && proven && isReachable(one) && isReachable(source) && !one.maintenance
    })
    if (server?.sourceId === undefined) return undefined
    const { id, name, sourceId, delaySeconds } = server
    const delay = delaySeconds > 0 ? { delaySeconds } : {}
    return {
      reason: `the source of ${name} refused its login and accepts that of replication-credential`,
      commands: [
        { type: 'repoint', server: id, source: sourceId, renew: true, patient: true, timeoutMs: 25 * SECOND, ...delay },
        { type: 'report', text: `${name} replicates again, with the login of replication-credential.` },
      ],
    }
  },

  /** Replicas that cannot connect with their TLS files, once the settings or the other replicas have other ones. */
  function renewFiles({ snapshot, settings, memory }) {
    const server = snapshot.servers.find((one) => {
      const channel = channelOf(one, settings)
      const source = findServer(snapshot, one.sourceId)
      if (!channel || !source || !isReachable(one) || !isReachable(source) || one.maintenance) return false
      return hasOtherFiles(channel, { settings, memory })
    })
    if (server?.sourceId === undefined) return undefined
    const { id, name, sourceId, delaySeconds } = server
    const delay = delaySeconds > 0 ? { delaySeconds } : {}
    return {
      reason: `${name} could not connect with its TLS files, and there are other ones`,
      commands: [
        { type: 'repoint', server: id, source: sourceId, renew: true, timeoutMs: 10 * SECOND, ...delay },
        { type: 'report', text: `${name} replicates again, with other TLS files.` },
      ],
    }
  },

  /** Temporary errors, as the operator knows: a lock wait, a full disk. */
  function restartOnMatch({ snapshot, settings }) {
    const wanted = matcherOf(settings['replication-restart-on-sqlerror-match'])
    const server = snapshot.servers.find((one) => {
      const channel = channelOf(one, settings)
      if (!channel || !isReachable(one) || one.maintenance || one.sourceId === undefined) return false
      const { code, message } = channel.sqlError
      return channel.sql === 'stopped' && code !== 0 && wanted?.test(`${code} ${message}`)
    })
    return (
      server && {
        reason: `${server.name} stopped with an error that matches replication-restart-on-sqlerror-match`,
        commands: [{ type: 'start-replication', server: server.id }],
      }
    )
  },

  /** A replica's applier would wait for acknowledgements that no server sends. */
  function semiSyncReplicas({ snapshot }) {
    const server = snapshot.servers.find(
      (one) =>
        one.id !== snapshot.primary &&
        isReachable(one) &&
        !one.maintenance &&
        one.sourceId !== undefined &&
        one.state?.semiSync.sourceEnabled,
    )
    return (
      server && {
        reason: `${server.name} is a replica with the source side of semi-sync enabled`,
        commands: [{ type: 'set-semi-sync', server: server.id, source: false, replica: true }],
      }
    )
  },

  function semiSyncPrimary(situation) {
    const { snapshot } = situation
    const primary = findServer(snapshot, snapshot.primary)
    const due = primary && missingAcknowledgements(situation, primary, ['running'])
    if (!due || !isReachable(primary)) return undefined
    return {
      reason: `${primary.name} has the source side of semi-sync disabled although ${due.follower.name} can acknowledge`,
      commands: [{ type: 'set-semi-sync', server: primary.id, source: true, replica: due.replica }],
    }
  },

  closeWhole,
  enforceDurability,
  enforceSemiSync,
  enforceChannel,
  enforceVariables,
]

/** The events of a former primary do not end with its fence. The fences of several servers come first. */
const closedWith = (situation: Situation, fences: readonly Command[]): readonly Command[] =>
  situation.snapshot.servers
    .filter((server) => fences.some((fence) => 'server' in fence && fence.server === server.id))
    .filter((server) => gaveRoleUp(situation, server))
    .flatMap((server) => stopEvents(server).map((command) => ({ ...command, bestEffort: true })))

/** A server receives from another one that leads: a person may have moved the role there, and it may not answer just now. */
const isFollowedElsewhere = ({ snapshot: { servers }, settings, memory }: Situation, { id }: ServerSnapshot): boolean =>
  servers.some(({ sourceId, ...server }) => {
    if (server.id === id || sourceId === undefined || sourceId === id || !isReachable(server)) return false
    if (channelOf(server, settings)?.io !== 'running' || isBelow(servers, sourceId, id)) return false
    const source = findServer({ servers }, sourceId)
    return source !== undefined && source.sourceId === undefined && !isReplaced(source, memory)
  })

/** Undefined without an expression; the settings refuse one that cannot be read, a saved one matches nothing. */
function matcherOf(expression: string): Pattern | undefined {
  const compiled = expression === '' ? undefined : compilePattern(expression, { ignoreCase: true })
  return compiled?.ok ? compiled.value : undefined
}

/** The one that the primary took over from, else the only other server; closed, and following the primary by now. */
function partnerOf({ snapshot, memory, settings }: Situation, { id }: ServerSnapshot): ServerSnapshot | undefined {
  const last = memory.history.findLast(({ newPrimary }) => newPrimary === id)?.oldPrimary
  const followers = reachableFollowersOf(snapshot.servers, id).filter(
    (server) => !server.maintenance && !isWritable(server) && channelOf(server, settings)?.io === 'running',
  )
  return followers.find((server) => server.id === last) ?? (snapshot.servers.length === 2 ? followers[0] : undefined)
}
