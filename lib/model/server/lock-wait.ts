// What the applier of a replica waits for when it stands behind a lock, locks that nothing waits for yet, and who holds them.
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

/**
 * commit: every commit waits (FLUSH TABLES WITH READ LOCK, the last stage of BACKUP STAGE). instance: LOCK INSTANCE FOR BACKUP of MySQL,
 * which refuses to stop an applier and holds up changes of the schema, of events and of accounts.
 */
export type HeldKind = 'commit' | 'instance'

/** A lock that sessions of others hold on a replica, whether anything waits for it or not. */
export interface HeldLock extends Pick<LockWait, 'holders' | 'more'> {
  readonly kind: HeldKind
}

/** The same, and when it was first seen. */
export interface SeenHeldLock extends HeldLock {
  /** `now()` when the manager first saw the lock held. */
  readonly since: number
}

/** Most sessions that are named. */
export const MOST_HOLDERS = 3

/** `waits for the backup lock, held by session 12 of backup@10.0.0.9 (idle for 34 s)`: what follows "its applier". */
export function lockWaitText({ lock, holders, more, isProven }: LockWait): string {
  const named = holders.map(holderText)
  if (named.length === 0) return `waits for the ${lock}; who holds it could not be read`
  const rest = more > 0 ? ` or ${more} more` : ''
  return `waits for the ${lock}, ${isProven ? 'held' : 'which may be held'} by ${named.join(isProven ? ' and ' : ' or ')}${rest}`
}

const holderText = ({ id, user, host, seconds, isIdle }: LockHolder): string =>
  `session ${id} of ${user}@${host} (${isIdle ? 'idle' : 'in a statement'} for ${seconds} s)`

const heldTexts: Readonly<Record<HeldKind, { readonly lock: string; readonly means: string }>> = {
  commit: {
    lock: 'the lock of all commits (FLUSH TABLES WITH READ LOCK, or the last stage of BACKUP STAGE)',
    means: 'its applier and all writes there wait until that ends',
  },
  instance: {
    lock: 'LOCK INSTANCE FOR BACKUP',
    means: 'until that ends MySQL does not let its applier be stopped, and changes of events, accounts and tables wait',
  },
}

/** `session 12 of backup@10.0.0.9 (idle for 34 s) holds LOCK INSTANCE FOR BACKUP: until that ends …`. No full stop. */
export function heldLockText({ kind, holders, more }: HeldLock): string {
  const { lock, means } = heldTexts[kind]
  const named = [...holders.map(holderText), ...(more > 0 ? [`${more} more`] : [])].join(' and ')
  return `${named} ${holders.length + more > 1 ? 'hold' : 'holds'} ${lock}: ${means}`
}
