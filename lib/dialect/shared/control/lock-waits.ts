// Appliers that stand behind a lock, and the sessions that hold it or may hold it. Pure; read only while an applier stands.
import {
  type HeldKind,
  type HeldLock,
  type LockHolder,
  type LockWait,
  MOST_HOLDERS,
} from '../../../model/server/lock-wait.js'
import { numberIn, textIn } from '../../statement/rows.js'
import type { Rows, Statement } from '../../statement/statement.js'

/** Most sessions that are read: the appliers, then those that have been in their state for longest. */
const MOST_SESSIONS = 200

/** States of a thread that waits for a lock of the server, not of a row: `Waiting for backup lock`, `Waiting for table flush`. */
const lockState = /^Waiting for (.* lock|table flush)$/

const APPLIER = 'system user'

/** Neither appliers nor clients: they hold no lock that stops an applier. */
const bystanders: ReadonlySet<string> = new Set(['event_scheduler', 'unauthenticated user'])

/** Statements that take such a lock, as their text shows. */
const locking =
  /\b(flush\s+(local\s+|no_write_to_binlog\s+)?tables?|backup\s+(stage|lock)|lock\s+(instance|tables?)|alter\s+table)\b/i

/** The name of the lock in the state of a thread; undefined for another state. */
export const lockIn = (state: string): string | undefined => lockState.exec(state)?.[1]

/** The appliers of the server and sessions of clients: columns id, user, host, command, seconds, state, statement. */
export const lockSessions = (processList: string): Statement => ({
  sql:
    'SELECT ID AS id, USER AS user, HOST AS host, COMMAND AS command, TIME AS seconds, ' +
    "COALESCE(STATE, '') AS state, LEFT(COALESCE(INFO, ''), 200) AS statement " +
    `FROM ${processList} WHERE ID <> CONNECTION_ID() AND COMMAND NOT LIKE 'Binlog Dump%' ` +
    `ORDER BY USER = ? DESC, TIME DESC LIMIT ${MOST_SESSIONS}`,
  values: [APPLIER],
})

/** What was read of a server whose applier stands. */
export interface LockRows {
  /** Rows of `lockSessions`. */
  readonly sessions: Rows
  /** Rows of `lockHolders`; absent where the server has no such list, or refuses it. */
  readonly holders?: Rows
  /** The state of the applying thread by the replication status. */
  readonly threadState: string
  /** Connection ids of the manager's own sessions. */
  readonly own: ReadonlySet<number>
}

/** The lock that an applier waits for; undefined where none waits for one. */
export function parseLockWait({ sessions, holders, threadState, own }: LockRows): LockWait | undefined {
  const appliers = sessions.filter((row) => textIn(row, 'user') === APPLIER)
  const [lock] = [threadState, ...appliers.map((row) => textIn(row, 'state'))].flatMap((state) => lockIn(state) ?? [])
  if (lock === undefined) return undefined
  const clients = sessions.filter((row) => isClient(row) && !own.has(numberIn(row, 'id')))
  const proven = new Set(
    holders?.filter((row) => [lock, ''].includes(textIn(row, 'lock_type'))).map((row) => numberIn(row, 'id')),
  )
  const holding = clients.filter((row) => proven.has(numberIn(row, 'id')))
  const found = holding.length > 0 ? holding : clients.filter(mayHold).toSorted(byLikelihood)
  return {
    lock,
    holders: found.slice(0, MOST_HOLDERS).map(holderOf),
    more: Math.max(0, found.length - MOST_HOLDERS),
    isProven: holding.length === 1 || (holding.length > 0 && !isOfTable(lock)),
  }
}

const kinds: readonly HeldKind[] = ['instance', 'commit']

/** The lock that a backup holds by rows of `heldLocks`; of both kinds the one that stops more. Undefined where none does. */
export function parseHeldLock(rows: Rows, own: ReadonlySet<number>): HeldLock | undefined {
  const others = rows.filter((row) => isClient(row) && !own.has(numberIn(row, 'id')))
  const kind = kinds.find((each) => others.some((row) => textIn(row, 'held') === each))
  if (kind === undefined) return undefined
  const found = others.filter((row) => textIn(row, 'held') === kind)
  return {
    kind,
    holders: found.slice(0, MOST_HOLDERS).map(holderOf),
    more: Math.max(0, found.length - MOST_HOLDERS),
  }
}

/** The message of a statement that MySQL refused since a session holds LOCK INSTANCE FOR BACKUP: no applier is stopped meanwhile. */
export const isLockedOut = (message: string): boolean => /\berror 3857\b/.test(message)

const isClient = (row: Rows[number]): boolean => {
  const user = textIn(row, 'user')
  return user !== APPLIER && !bystanders.has(user) && textIn(row, 'command') !== 'Daemon'
}

/** There is one for each table: who holds that of another table is no proof. */
const isOfTable = (lock: string): boolean => lock.startsWith('table')

/** One that waits for a lock itself is not the one that is waited for, unless it is about to take such a lock. */
const mayHold = (row: Rows[number]): boolean => lockIn(textIn(row, 'state')) === undefined || isLocking(row)

const isLocking = (row: Rows[number]): boolean => locking.test(textIn(row, 'statement'))

const byLikelihood = (a: Rows[number], b: Rows[number]): number =>
  Number(isLocking(b)) - Number(isLocking(a)) || numberIn(b, 'seconds') - numberIn(a, 'seconds')

const holderOf = (row: Rows[number]): LockHolder => ({
  id: numberIn(row, 'id'),
  user: textIn(row, 'user'),
  host: textIn(row, 'host').replace(/:\d+$/, ''),
  seconds: Math.max(0, numberIn(row, 'seconds')),
  isIdle: textIn(row, 'command') === 'Sleep',
})
