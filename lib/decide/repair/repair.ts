// Standing repairs: what must be true of a quiet cluster and is set right when it is not. Fences come before all else.
import { SECOND } from '../../base/time.js'
import type { Command } from '../../model/operation/command.js'
import type { Operation, Plan } from '../../model/operation/operation.js'
import { isEmpty } from '../../model/server/gtid.js'
import type { ServerId } from '../../model/server/server.js'
import { findServer, type ServerSnapshot } from '../../model/snapshot.js'
import { channelOf, isReachable, isWritable } from '../situation/channel.js'
import { aheadOf } from '../situation/holdings.js'
import type { Situation } from '../situation/situation.js'
import { reachableFollowersOf } from '../situation/sources.js'
import { enableAcknowledgements, lostByPrimary, mayComeBack, missingAcknowledgements } from '../switchover/opening.js'
import { enforceChannel, enforceSemiSync, enforceVariables, type Repair } from './enforce.js'
import { startPaused } from './paused.js'

/** The first repair that is due; undefined when none is or an operation is running. */
export function planRepair(situation: Situation): Plan | undefined {
  const { snapshot } = situation
  if (snapshot.operation || snapshot.topology === 'galera') return undefined
  const due = rows.map((row) => row(situation)).find((repair) => repair !== undefined)
  return due && { kind: 'repair', undo: [], ...due, deadlineMs: 30 * SECOND }
}

/**
 * Servers to be closed at once, also while an operation runs: an old primary that wakes up, a second writable server.
 * Never the primary, never the one that is just becoming it, unless that is being undone. Once a failover has elected for good there is no way back
 * to the old primary, so it is closed even before the new one is open.
 */
export function urgentFences({ snapshot, memory, settings }: Situation): readonly Command[] {
  const { primary, operation } = snapshot
  if (primary === undefined || snapshot.topology === 'galera') return []
  const undone = operation !== undefined && isUndone(operation)
  const spared = new Set<ServerId | undefined>(undone ? [] : [operation?.newPrimary])
  if (!operation || operation.kind === 'switchover' || !isCommitted(operation)) spared.add(primary)
  if (operation?.kind === 'switchover') spared.add(operation.oldPrimary)
  const enforce = settings['failover-readonly-state'] || settings['force-slave-readonly']
  return snapshot.servers
    .filter((server) => !spared.has(server.id) && isReachable(server) && isWritable(server))
    .filter((server) => {
      const wasPrimary = memory.crashes.some(({ oldPrimary }) => oldPrimary === server.id)
      if (wasPrimary || operation?.oldPrimary === server.id || (undone && operation.newPrimary === server.id))
        return true
      return enforce && !server.readOnlyIgnored && !server.maintenance && snapshot.topology !== 'active-passive'
    })
    .map(({ id }) => ({ type: 'fence', server: id, timeoutMs: 2 * SECOND }))
}

/** The old primary of a switchover is being opened again: a candidate that hung when it was opened may wake up open. */
export const isUndone = ({ steps }: Operation): boolean =>
  steps.some(({ command }) => command.type === 'unfreeze' && command.writable)

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
      : { reason: `${names.join(', ')} is writable and is not the primary`, commands }
  },

  /** Restarted with read_only in its file, or left read-only by an interrupted operation: no client could write. */
  function openPrimary(situation) {
    const { snapshot, memory } = situation
    const primary = findServer(snapshot, snapshot.primary)
    if (!primary?.state?.readOnly || !isReachable(primary) || primary.maintenance) return undefined
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
    if (!isEmpty(lostByPrimary(situation, primary)) || mayComeBack(situation, primary)) return undefined
    return {
      reason: `${primary.name} is the primary and is read-only`,
      commands: [
        ...enableAcknowledgements(situation, primary),
        { type: 'make-writable', server: primary.id },
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

  function startRestarted({ snapshot, settings }) {
    const server = snapshot.servers.find((one) => {
      const channel = channelOf(one, settings)
      if (!channel || !isReachable(one) || one.maintenance || one.sourceId === undefined) return false
      const stopped = channel.io === 'stopped' && channel.sql === 'stopped'
      const failed = channel.ioError.code !== 0 || channel.sqlError.code !== 0
      return stopped && !failed && one.restartedAt !== undefined && (one.lastReceivedAt ?? 0) <= one.restartedAt
    })
    return (
      server && {
        reason: `${server.name} restarted and is not replicating`,
        commands: [{ type: 'start-replication', server: server.id }],
      }
    )
  },

  startPaused,

  /** Errors that pass by themselves, as the operator knows: a lock wait, a full disk. */
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

  enforceSemiSync,
  enforceChannel,
  enforceVariables,
]

/** Undefined without an expression; the settings refuse one that cannot be read. */
function matcherOf(expression: string): RegExp | undefined {
  try {
    return expression === '' ? undefined : new RegExp(expression, 'i')
  } catch {
    return undefined
  }
}

/** The one that the primary took over from, else the only other server; closed, and following the primary by now. */
function partnerOf({ snapshot, memory, settings }: Situation, { id }: ServerSnapshot): ServerSnapshot | undefined {
  const last = memory.history.findLast(({ newPrimary }) => newPrimary === id)?.oldPrimary
  const followers = reachableFollowersOf(snapshot.servers, id).filter(
    (server) => !server.maintenance && !isWritable(server) && channelOf(server, settings)?.io === 'running',
  )
  return followers.find((server) => server.id === last) ?? (snapshot.servers.length === 2 ? followers[0] : undefined)
}
