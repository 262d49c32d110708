// Automatic failovers that fail one after the other: how long the next one rests, what ends the rest, what is reported. Pure.
import { isoTime, SECOND } from '../../base/time.js'
import { isLockedOut } from '../../dialect/index.js'
import type { Finding } from '../../model/finding.js'
import type { Command } from '../../model/operation/command.js'
import type { Operation } from '../../model/operation/operation.js'
import type { ServerId } from '../../model/server/server.js'
import { type BareSnapshot, findServer } from '../../model/snapshot.js'
import { isReachable, isWritable } from '../situation/channel.js'
import { heldBy } from '../situation/lock-wait.js'

/** After the first attempt that failed, the second one, and so on; the last figure for all later ones. */
const RESTS_MS = [SECOND, 2 * SECOND, 5 * SECOND, 10 * SECOND, 30 * SECOND] as const

export interface Attempts {
  readonly count: number
  /** What the latest one failed with. */
  readonly cause: string
  readonly nextAt: number
  /** Which primary, and since when it fails. */
  readonly death: string
  /** The server of the step that failed; absent where the plan was refused before it changed anything. */
  readonly failedOn?: ServerId
  /** What was tried, with what was read of that server: the same waits for `nextAt`, anything else does not. */
  readonly tried: readonly string[]
}

type Seen = Pick<BareSnapshot, 'servers' | 'primary'>

/** The attempts after an operation that ended, with the commands of its plan; a person's failover that failed neither counts nor ends a rest. */
export function noteAttempt(
  before: Attempts | undefined,
  { operation, commands }: { readonly operation: Operation; readonly commands: readonly Command[] },
  { seen, now }: { readonly seen: Seen; readonly now: number },
): Attempts | undefined {
  const { kind, phase, owner, steps, message = phase } = operation
  if (kind !== 'failover' && kind !== 'switchover') return before
  if (phase === 'succeeded') return undefined
  if (kind !== 'failover' || owner !== 'manager') return before
  const death = deathIn(seen)
  const earlier = before?.death === death ? before : undefined
  const count = (earlier?.count ?? 0) + 1
  const failedOn = serverOf(steps.find(({ state }) => state === 'failed')?.command)
  const latest: Attempts = {
    ...{ count, cause: message, death, tried: earlier?.tried ?? [] },
    nextAt: now + (RESTS_MS[Math.min(count, RESTS_MS.length) - 1] ?? 0),
    ...(failedOn === undefined ? {} : { failedOn }),
  }
  return { ...latest, tried: [...new Set([...latest.tried, markOf(commands, { attempts: latest, seen })])] }
}

/** Whether the plan may begin now: its rest is over, or what it would do or meet is not what failed. */
export function mayAttempt(
  attempts: Attempts | undefined,
  commands: readonly Command[],
  { seen, now }: { readonly seen: Seen; readonly now: number },
): boolean {
  if (!attempts || now >= attempts.nextAt || deathIn(seen) !== attempts.death) return true
  return !attempts.tried.includes(markOf(commands, { attempts, seen }))
}

/**
 * The attempts while their primary is still dead, or closed because it may not be opened; one that answered in between has
 * another death, and one that takes writes again needs none.
 */
export const keepAttempts = (attempts: Attempts | undefined, seen: Seen): Attempts | undefined =>
  attempts && deathIn(seen) === attempts.death && !takesWrites(seen) ? attempts : undefined

/** The server that refused the latest attempt because of a lock of a backup: no other attempt succeeds there while the lock is held. */
export const lockedOutIn = (attempts: Attempts | undefined): ServerId | undefined =>
  attempts && isLockedOut(attempts.cause) ? attempts.failedOn : undefined

/** The sessions that the next attempt waits for, as a sentence part; undefined where it waits for the end of its rest only. */
export const awaitedBy = (attempts: Attempts, seen: Pick<Seen, 'servers'>): string | undefined =>
  heldBy(findServer(seen, lockedOutIn(attempts)))

export function judgeAttempts(attempts: Attempts, seen: Pick<Seen, 'servers'>): readonly Finding[] {
  const { count, cause, nextAt } = attempts
  const lock = awaitedBy(attempts, seen)
  const next = lock === undefined ? `: ${isoTime(nextAt).slice(0, 19)}Z` : ` follows when the lock is gone: ${lock}`
  return [{ code: 'ERR00189', detail: `${count} failed, the latest with: ${cause}. The next one${next}.` }]
}

function takesWrites(seen: Seen): boolean {
  const primary = findServer(seen, seen.primary)
  return primary !== undefined && isReachable(primary) && isWritable(primary)
}

function deathIn(seen: Seen): string {
  const primary = findServer(seen, seen.primary)
  return `${primary?.id} ${primary?.failingSince}`
}

function markOf(
  commands: readonly Command[],
  { attempts: { failedOn }, seen }: { readonly attempts: Attempts; readonly seen: Seen },
): string {
  const met = findServer(seen, failedOn)
  const done = commands.map((command) => `${command.type}:${serverOf(command) ?? ''}`)
  return [...done, met?.id, met?.observation, met?.restartedAt].join(' ')
}

const serverOf = (command: Command | undefined): ServerId | undefined =>
  command && 'server' in command ? command.server : undefined
