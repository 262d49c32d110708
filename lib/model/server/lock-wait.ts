// What the applier of a replica waits for when it stands behind a lock, and who holds the lock.
import type { ServerAddress } from './server.js'

/** A session that holds the lock, or may hold it. */
export interface LockHolder {
  /** Its connection id: what `KILL` takes. */
  readonly id: number
  readonly user: string
  /** Where it connects from, without the port. */
  readonly host: ServerAddress['host']
  /** How long its statement has been running, or how long it has been idle. */
  readonly seconds: number
  /** It runs no statement. */
  readonly isIdle: boolean
}

/** The lock that an applier waits for. */
export interface LockWait {
  /** As the server names it, such as `backup lock`. */
  readonly lock: string
  /** At most MOST_HOLDERS, the likeliest first; none where sessions of others could not be read, or none can hold it. */
  readonly holders: readonly LockHolder[]
  /** How many sessions there are beside those. */
  readonly more: number
  /** The server's list of locks says so; otherwise nothing that was read says that a session does not hold it. */
  readonly isProven: boolean
}

/** A lock wait of a server, and when it was first seen. */
export interface SeenLockWait extends LockWait {
  /** `now()` when the manager first saw an applier behind this lock. */
  readonly since: number
}

/** Most sessions that are named. */
export const MOST_HOLDERS = 3

/** `waits for the backup lock, held by session 12 of backup@10.0.0.9 (idle for 34 s)`: what follows "its applier". */
export function lockWaitText({ lock, holders, more, isProven }: LockWait): string {
  const named = holders.map(
    ({ id, user, host, seconds, isIdle }) =>
      `session ${id} of ${user}@${host} (${isIdle ? 'idle' : 'in a statement'} for ${seconds} s)`,
  )
  if (named.length === 0) return `waits for the ${lock}; who holds it could not be read`
  const rest = more > 0 ? ` or ${more} more` : ''
  return `waits for the ${lock}, ${isProven ? 'held' : 'which may be held'} by ${named.join(isProven ? ' and ' : ' or ')}${rest}`
}
