// Appliers that stand behind a lock, and locks that nothing waits for yet: when sessions and locks of a server are read, and what follows from them.
import { MINUTE, SECOND } from '../../base/time.js'
import { lockIn } from '../../dialect/index.js'
import { formatSet, isEmpty, subtract } from '../../model/server/gtid.js'
import {
  type HeldLock,
  heldLockText,
  type LockWait,
  lockWaitText,
  type SeenHeldLock,
  type SeenLockWait,
} from '../../model/server/lock-wait.js'
import type { Channel, ServerState } from '../../model/server/reading.js'
import type { ServerSnapshot } from '../../model/snapshot.js'
import { isReachable } from './channel.js'

/** An applier that has something to apply and has not moved. */
export interface StandingApplier {
  /** What it had applied. */
  readonly mark: string
  /** `now()` of the first probe that saw it there. */
  readonly since: number
  /** When sessions and locks were last read; absent before. */
  readonly readAt?: number
  /** It waits for a lock, by what was read last. */
  readonly isLocked?: boolean
}

/** An applier that has not moved for so long is asked what it waits for. */
const STANDS_MS = SECOND
/** Between two reads of one that waits for a lock, and of one that works on a long transaction. */
const AGAIN_MS = { locked: 2 * SECOND, working: 5 * SECOND } as const
/** A wait that ends by then is no finding: a backup that only takes its lock. */
export const LOCKED_MS = 3 * SECOND

/** `foreign`: names of channels to other clusters, whose appliers may stand. Undefined while the others move, have nothing to apply, or it is not known (the server did not answer). */
export function followApplier(
  before: StandingApplier | undefined,
  state: ServerState | undefined,
  { at, foreign = [] }: { readonly at: number; readonly foreign?: readonly string[] | undefined },
): StandingApplier | undefined {
  const channel = state?.channels.find((one) => !foreign.includes(one.name) && hasWork(one))
  if (!channel) return undefined
  const mark = `${channel.name} ${channel.executedFile}:${channel.executedPosition} ${formatSet(channel.applied)}`
  return before?.mark === mark ? before : { mark, since: at }
}

/** Its applier waited for a lock, and has moved since, or is not known to wait any more. */
export const isWaitOver = (before: StandingApplier | undefined, now: StandingApplier | undefined): boolean =>
  before?.isLocked === true && now?.isLocked !== true

/** Its state names a lock, or it is to apply what it received. The workers of a parallel applier show only in the list of sessions. */
const hasWork = ({ sql, sqlThreadState, delaySeconds, received, applied }: Channel): boolean =>
  sql === 'running' &&
  (lockIn(sqlThreadState) !== undefined || (delaySeconds === 0 && !isEmpty(subtract(received, applied))))

export function isLockReadDue({ since, readAt, isLocked }: StandingApplier, now: number): boolean {
  if (now - since < STANDS_MS) return false
  return readAt === undefined || now - readAt >= (isLocked ? AGAIN_MS.locked : AGAIN_MS.working)
}

/** The server with what was read last; the age of a wait for the same lock goes on. */
export function withLockWait(
  { lockWait: before, ...server }: ServerSnapshot,
  wait: LockWait | undefined,
  now: number,
): ServerSnapshot {
  if (!wait) return server
  return { ...server, lockWait: { ...wait, since: before?.lock === wait.lock ? before.since : now } }
}

/** The lock that its applier waits for, of a server that answers. */
export const lockWaitOf = (server: ServerSnapshot | undefined): SeenLockWait | undefined =>
  server && isReachable(server) ? server.lockWait : undefined

/** `its applier waits for the backup lock, held by …`; undefined where it waits for none. */
export function behindLock(server: ServerSnapshot | undefined): string | undefined {
  const wait = lockWaitOf(server)
  return wait && `its applier ${lockWaitText(wait)}`
}

/** Between two reads of the locks of a replica, at least, and of one that does not list them. */
const HELD_MS = { listed: 5 * SECOND, unlisted: 5 * MINUTE } as const
/** The same while the primary fails: clients wait for the end of a lock on its successor. */
const URGENT_MS = SECOND
/** What was read so long ago, and could not be read since, is not known any more: a failover does not wait for it. */
const FORGOTTEN_MS = 30 * SECOND
/** So many probes lie between two reads: in a large fleet probes are fewer. */
const HELD_PROBES = 10

/** The latest read of the locks of a replica. */
export interface HeldRead {
  readonly at: number
  readonly isListed: boolean
  /** When it was answered last, `at` of that read; absent: never. */
  readonly knownAt?: number
}

const isReplica = (state: ServerState | undefined): boolean => (state?.channels.length ?? 0) > 0

/**
 * Locks are read of replicas only: what is held on a primary shows in its commits. `probesMs`: between two probes of a healthy server;
 * `urgent`: the primary fails.
 */
export function isHeldReadDue(
  read: HeldRead | undefined,
  state: ServerState | undefined,
  { at, probesMs, urgent = false }: { readonly at: number; readonly probesMs: number; readonly urgent?: boolean },
): boolean {
  if (!isReplica(state)) return false
  if (read === undefined) return true
  const listedMs = urgent ? URGENT_MS : Math.max(HELD_MS.listed, HELD_PROBES * probesMs)
  return at - read.at >= (read.isListed ? listedMs : HELD_MS.unlisted)
}

/** What was known of the locks of a server before is not any more: it does not list them, or did not answer for too long. */
export const isHeldForgotten = ({ at, isListed, knownAt = at }: HeldRead): boolean =>
  !isListed || at - knownAt >= FORGOTTEN_MS

/** The server with what was read last; the age of a lock of the same sessions goes on. */
export function withHeldLock(
  { heldLock: before, ...server }: ServerSnapshot,
  lock: HeldLock | undefined,
  now: number,
): ServerSnapshot {
  if (!lock) return server
  const isSame =
    before?.kind === lock.kind && before.holders.some(({ id }) => lock.holders.some((one) => one.id === id))
  return { ...server, heldLock: { ...lock, since: isSame ? before.since : now } }
}

/** The lock that a session holds on a replica that answers; of a server that became the primary it is not read any more. */
export const heldLockOf = (server: ServerSnapshot | undefined): SeenHeldLock | undefined =>
  server && isReachable(server) && isReplica(server.state) ? server.heldLock : undefined

/** `session 12 of … holds …`: what a change of the primary to the server meets; undefined where no such lock is known. */
export function heldBy(server: ServerSnapshot | undefined): string | undefined {
  const lock = heldLockOf(server)
  return lock && heldLockText(lock)
}
