// A killed manager left a plan half done: finish it when the new primary is open or may be, undo it otherwise. Judged by
// what the servers show now; the journal only shows what may have happened. Safe to be interrupted again.
import { SECOND } from '../../base/time.js'
import type { Memory } from '../../model/memory.js'
import type { Command, CommandType, EnableEvents, SetEvents } from '../../model/operation/command.js'
import type { Plan } from '../../model/operation/operation.js'
import { isEmpty, pick, subtract, union } from '../../model/server/gtid.js'
import { findServer, type ServerSnapshot } from '../../model/snapshot.js'
import { channelOf, isReachable, isWritable } from '../situation/channel.js'
import { missingAtOpening } from '../situation/history/history.js'
import { executedByOrigin, isOrigin } from '../situation/history/holdings.js'
import type { Situation } from '../situation/situation.js'
import { noteFences } from '../situation/snapshot/fences.js'
import { cycleOf } from '../situation/topology/sources.js'
import { enableAcknowledgements } from '../switchover/opening.js'
import { recallPaused } from './paused.js'

/** What the journal holds of an operation without an end. */
export interface Interrupted {
  readonly plan: Plan
  readonly entries: readonly {
    readonly type: string
    readonly list?: 'commands' | 'undo'
    readonly index?: number
    readonly state?: string
    /** When it was written. */
    readonly at?: number
  }[]
}

interface Pair {
  readonly interrupted: Interrupted
  readonly situation: Situation
  readonly old: ServerSnapshot
  readonly candidate: ServerSnapshot
}

/** The plan that settles it; undefined when the standing rules will do. */
export function decideRecovery(interrupted: Interrupted, situation: Situation): Plan | undefined {
  const { plan } = interrupted
  const old = findServer(situation.snapshot, plan.oldPrimary)
  const candidate = findServer(situation.snapshot, plan.newPrimary)
  if (!old || !candidate || plan.kind === 'rejoin' || situation.snapshot.topology === 'galera') return undefined
  const pair = { interrupted, situation, old, candidate }
  return goesForward(pair) ? finish(pair) : undo(pair)
}

/**
 * The memory that fits the journal, whatever was saved before the operation began: the new primary is the primary from
 * the moment it was opened, and until then the old one is. A replica that was stopped is to be started, even if it cannot
 * be reached before all else is settled.
 */
export function recallInterrupted({ plan, entries }: Interrupted, before: Memory): Memory {
  const { oldPrimary, newPrimary, crash } = plan
  const begun = begunOf({ plan, entries })
  const fenced = noteFences(before, begun, entries.at(-1)?.at ?? 0)
  const saved = recallPaused(begun, fenced)
  if (oldPrimary === undefined || newPrimary === undefined) return saved
  const memory = saved.semiSync === undefined && wantsSemiSync(plan) ? { ...saved, semiSync: true } : saved
  if (!wasOpened({ plan, entries })) {
    const isKnown = memory.primary === newPrimary && wasBegun({ plan, entries }, 'make-writable')
    return isKnown || memory.primary === oldPrimary ? memory : { ...memory, primary: oldPrimary }
  }
  if (memory.primary === newPrimary) return memory
  const crashes = crash
    ? [...memory.crashes.filter(({ oldPrimary }) => oldPrimary !== crash.oldPrimary), crash]
    : memory.crashes
  return {
    ...memory,
    primary: newPrimary,
    crashes: crashes.filter(({ oldPrimary }) => oldPrimary !== newPrimary),
    history: crash ? [...memory.history, crash] : memory.history,
  }
}

const wantsSemiSync = ({ commands }: Plan): boolean =>
  commands.some((command) => command.type === 'set-semi-sync' && command.source)

/** Certainly opened; or seen open, or to have been; or promoted, while the old primary is unreachable or has lost transactions. */
function goesForward(pair: Pair): boolean {
  const { interrupted, situation, old, candidate } = pair
  const undoing = interrupted.plan.kind === 'repair' || interrupted.entries.some(({ type }) => type === 'undo')
  if (!undoing && wasOpened(interrupted)) return true
  if (!isReachable(candidate)) return false
  if (hasWritten(pair)) return true
  if (isOpen({ old, candidate })) return !undoing
  const isPromoted = wasBegun(interrupted, 'promote') && candidate.sourceId === undefined
  if (undoing) return isPromoted && cannotGoBack({ situation, old, candidate })
  return isPromoted && (!isReachable(old) || !isEmpty(missingAtOpening(situation, old)))
}

/** The old primary is closed and is missing what others hold, and the candidate has all of it: only that one can be opened. */
const cannotGoBack = ({ situation, old, candidate }: Omit<Pair, 'interrupted'>): boolean =>
  isReachable(old) &&
  !isWritable(old) &&
  !isEmpty(missingAtOpening(situation, old)) &&
  isEmpty(missingAtOpening(situation, candidate))

/** It takes writes as a primary does, and the old one does not. */
const isOpen = ({ old, candidate }: Pick<Pair, 'old' | 'candidate'>): boolean =>
  isFree(candidate) && (!isReachable(old) || !isWritable(old))

/**
 * It was sent the order to take writes, and executed what neither the old primary has, nor itself had when the plan was made: clients
 * wrote on it before it was closed to be asked. It has everything else as well, and the old primary is closed.
 */
const hasWritten = ({ interrupted, situation, old, candidate }: Pair): boolean => {
  const { state } = candidate
  const { crash } = interrupted.plan
  if (!crash || !wasBegun(interrupted, 'make-writable') || (isReachable(old) && isWritable(old))) return false
  if (!state || !isReachable(candidate) || candidate.sourceId !== undefined) return false
  const own = pick(executedByOrigin(candidate), (stream) => isOrigin(stream, state))
  const known = union(executedByOrigin(old), crash.byOrigin)
  return !isEmpty(subtract(own, known)) && isEmpty(missingAtOpening(situation, candidate))
}

/** By its journal, or by what was known when its plan was made: that of a manager which was killed as well. */
const wasOpened = (interrupted: Interrupted): boolean =>
  interrupted.plan.opened === true || was(interrupted, 'make-writable', ['done'])

const wasBegun = (interrupted: Interrupted, type: CommandType): boolean =>
  was(interrupted, type, [undefined, 'done', 'failed'])

/** Whether that was done to the new primary: undoing opens the old one. */
const was = ({ plan, entries }: Interrupted, type: CommandType, states: readonly (string | undefined)[]): boolean =>
  entries.some(({ list, index, state }) => {
    const command = list === 'commands' && index !== undefined ? plan.commands[index] : undefined
    return command?.type === type && 'server' in command && command.server === plan.newPrimary && states.includes(state)
  })

/** It is not certain that its new primary was opened: that one must be probed before another one is opened. */
export const isUncertain = (interrupted: Interrupted): boolean => !wasOpened(interrupted)

const begunOf = ({ plan, entries }: Interrupted): readonly Command[] =>
  plan.commands.filter((_, at) => entries.some(({ list, index }) => list === 'commands' && index === at))

/** Servers whose state decides which way it goes: until they were probed, nothing is decided. */
export const decisiveServers = ({ plan: { kind, oldPrimary, newPrimary } }: Interrupted): readonly string[] =>
  kind === 'rejoin' || oldPrimary === undefined || newPrimary === undefined ? [] : [oldPrimary, newPrimary]

/** Whether the new primary takes writes already, or took some, whatever becomes of the plan that finishes the rest. */
export function recallSeen(interrupted: Interrupted, situation: Situation): Memory {
  const { memory, snapshot } = situation
  const { oldPrimary, newPrimary } = interrupted.plan
  const old = findServer(snapshot, oldPrimary)
  const candidate = findServer(snapshot, newPrimary)
  if (!old || !candidate || newPrimary === undefined || interrupted.plan.kind === 'rejoin') return memory
  const pair = { interrupted, situation, old, candidate }
  const isPrimary = (isReachable(candidate) && isWritable(candidate)) || hasWritten(pair)
  if (!isPrimary || memory.primary === newPrimary || !goesForward(pair)) return memory
  return { ...memory, primary: newPrimary }
}

/** It is writable and has no source: stopping its replication would only wait for commits that wait for a replica. */
const isFree = (server: ServerSnapshot): boolean =>
  isReachable(server) && isWritable(server) && server.sourceId === undefined

const FINISHING = 'finishing an interrupted operation: '

function finish({ interrupted, situation, old, candidate }: Pair): Plan {
  const { plan } = interrupted
  const { servers } = situation.snapshot
  const others = servers.filter(
    (server) =>
      isReachable(server) &&
      !server.maintenance &&
      server.id !== candidate.id &&
      server.id !== old.id &&
      server.sourceId === old.id,
  )
  const wanted = plan.commands.find(({ type }) => type === 'set-semi-sync' || type === 'make-writable')
  const opened =
    wasOpened(interrupted) || hasWritten({ interrupted, situation, old, candidate }) || isOpen({ old, candidate })
  return {
    ...plan,
    ...(opened ? { opened } : {}),
    reason: plan.reason.startsWith(FINISHING) ? plan.reason : `${FINISHING}${plan.reason}`,
    commands: [
      { type: 'fence', server: old.id, bestEffort: true, timeoutMs: SECOND },
      ...plan.commands.filter(({ type }) => type === 'record-crash'),
      ...(isFree(candidate) ? [] : [{ type: 'promote', server: candidate.id, timeoutMs: 10 * SECOND } as const]),
      ...(wanted?.type === 'set-semi-sync' && wanted.server === candidate.id ? [wanted] : []),
      { type: 'make-writable', server: candidate.id, timeoutMs: 10 * SECOND },
      { type: 'route-writes', primary: candidate.id, bestEffort: true, concurrent: true },
      ...others.map(
        ({ id, delaySeconds }): Command => ({
          type: 'repoint',
          server: id,
          source: candidate.id,
          ...(delaySeconds > 0 ? { delaySeconds } : {}),
          bestEffort: true,
          concurrent: true,
          timeoutMs: 5 * SECOND,
        }),
      ),
      ...plan.commands.filter((command) => movesEvents(command) && command.server === candidate.id),
      ...plan.commands.filter(({ type }) => type === 'end-sessions'),
      { type: 'report', text: `${candidate.name} is the primary: an interrupted ${plan.kind} was finished.` },
    ],
    undo: [],
    deadlineMs: 60 * SECOND,
  }
}

const movesEvents = (command: Command): command is SetEvents | EnableEvents =>
  command.type === 'set-events' || command.type === 'enable-events'

/** The candidate is closed before the old primary is opened; then all replicas replicate as before. */
function undo({ interrupted, situation, old, candidate }: Pair): Plan | undefined {
  const { plan } = interrupted
  const commands = [
    ...(isReachable(candidate) && isWritable(candidate) ? [fence(candidate)] : []),
    ...(isReachable(old) ? reopen({ interrupted, situation, old, candidate }) : []),
    ...situation.snapshot.servers.flatMap((server) => restart(server, { interrupted, situation, old, candidate })),
  ]
  if (commands.length === 0) return undefined
  return {
    kind: 'repair',
    reason: plan.kind === 'repair' ? plan.reason : `undoing an interrupted ${plan.kind}: ${plan.reason}`,
    oldPrimary: old.id,
    newPrimary: candidate.id,
    commands,
    undo: [],
    deadlineMs: 60 * SECOND,
  }
}

const fence = ({ id }: ServerSnapshot): Command => ({ type: 'fence', server: id, bestEffort: true, timeoutMs: SECOND })

/** One that has lost what others hold stays closed, and a finding reports it. */
function reopen({ interrupted, situation, old }: Pair): readonly Command[] {
  if (!isWritable(old) && !isEmpty(missingAtOpening(situation, old))) return []
  const closedEvents = interrupted.plan.commands.some(
    (command) => command.type === 'set-events' && command.server === old.id && !command.on,
  )
  return [
    ...(isWritable(old)
      ? []
      : [
          ...enableAcknowledgements(situation, old),
          {
            type: 'make-writable',
            server: old.id,
            checked: true,
            bestEffort: true,
            timeoutMs: 5 * SECOND,
            ...(cycleOf(situation.snapshot.servers, old.id).length > 0 ? { replicating: true } : {}),
          } as const,
        ]),
    { type: 'route-writes', primary: old.id, bestEffort: true },
    ...(closedEvents ? [{ type: 'set-events', server: old.id, on: true, bestEffort: true } as const] : []),
  ]
}

/** Threads the plan stopped run again; a candidate that was promoted already follows the living old primary again. */
function restart(server: ServerSnapshot, { interrupted, situation, old, candidate }: Pair): readonly Command[] {
  if (!isReachable(server) || server.id === old.id) return []
  const own = interrupted.plan.commands.filter((command) => 'server' in command && command.server === server.id)
  // One in maintenance only gets back what was taken from it.
  const touched = server.maintenance ? own.some(({ type }) => type === 'stop-receiving') : own.length > 0
  const channel = channelOf(server, situation.settings)
  if (!touched) return []
  if (!channel || server.sourceId !== old.id) {
    // What is missing a part of the history is no source for a server that has it.
    const lost = server.id === candidate.id && isReachable(old) && isEmpty(missingAtOpening(situation, old))
    return lost
      ? [{ type: 'repoint', server: server.id, source: old.id, bestEffort: true, timeoutMs: 10 * SECOND }]
      : []
  }
  if (channel.io !== 'stopped' && channel.sql !== 'stopped') return []
  return [{ type: 'start-replication', server: server.id, bestEffort: true, concurrent: true, timeoutMs: 2 * SECOND }]
}
