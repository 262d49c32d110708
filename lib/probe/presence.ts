// Which manager acts on a server: the one that holds a user lock on it, over the session that its probes keep busy.
import { ok, type Result } from '../base/result.js'
import { SECOND } from '../base/time.js'
import type { Rows, Statement } from '../dialect/index.js'
import { managerLocks, type Presence } from '../model/server/presence.js'

const { acts: ACTS, waits: WAITS } = managerLocks

/** A session that probes is used every few seconds; one that is idle for longer belongs to a manager that does not run. */
const IDLE_SECONDS = 10

/** Who holds the locks: connection ids, null where they are free. */
const look: Statement = {
  sql: 'SELECT IS_USED_LOCK(?) AS holder, IS_USED_LOCK(?) AS waiter, CONNECTION_ID() AS own',
  values: [ACTS, WAITS],
}

/**
 * Takes what is free, and gives back the second lock with the first one.
 * https://mariadb.com/kb/en/get_lock/ https://dev.mysql.com/doc/refman/8.4/en/locking-functions.html
 */
const take: Statement = {
  sql:
    'SELECT IF(IS_USED_LOCK(?) IS NULL, GET_LOCK(?, 0), 0) AS acts; ' +
    'SELECT IF(IS_USED_LOCK(?) = CONNECTION_ID(), ' +
    'IF(IS_USED_LOCK(?) = CONNECTION_ID(), RELEASE_LOCK(?), 0), IF(IS_USED_LOCK(?) IS NULL, GET_LOCK(?, 0), 0)) AS waits; ' +
    `${look.sql}; ` +
    'SELECT ID AS id, HOST AS host, TIME AS idle FROM information_schema.PROCESSLIST ' +
    'WHERE ID IN (IS_USED_LOCK(?), IS_USED_LOCK(?))',
  values: [ACTS, ACTS, ACTS, WAITS, WAITS, WAITS, WAITS, ...look.values, ACTS, WAITS],
}

/**
 * One light statement where this manager holds the lock and no other one waits.
 * `own`: connection ids of sessions that this manager opened since the server started, the closed ones included.
 */
export async function readPresence(
  run: (statement: Statement) => Promise<Result<readonly Rows[]>>,
  own: ReadonlySet<number>,
): Promise<Result<Presence>> {
  const seen = await run(look)
  if (!seen.ok) return seen
  const [lock] = seen.value[0] ?? []
  if (holdsLock(lock) && lock?.waiter === null) return ok({ holds: true })
  const answer = await run(take)
  return answer.ok ? ok(presenceOf(answer.value, own)) : answer
}

const holdsLock = (lock: Rows[number] | undefined): boolean => Number(lock?.holder ?? 0) === Number(lock?.own)

function presenceOf([, , locks = [], sessions = []]: readonly Rows[], own: ReadonlySet<number>): Presence {
  const [lock] = locks
  /** Where the holder of a lock connects from; undefined for this manager, and for one that does not run. */
  const hostOf = (id: number): string | undefined => {
    const session = sessions.find((row) => Number(row.id) === id)
    const isForeign = session !== undefined && !own.has(id) && Number(session.idle ?? 0) < IDLE_SECONDS
    return isForeign ? String(session.host).replace(/:\d+$/, '') : undefined
  }
  const holds = holdsLock(lock)
  const [other, waiting] = [hostOf(Number(lock?.holder ?? 0)), hostOf(Number(lock?.waiter ?? 0))]
  return { holds, ...(other === undefined ? {} : { other }), ...(waiting === undefined ? {} : { waiting }) }
}

/** Longest time to read it, and between two readings. */
export const PRESENCE_MS = 2 * SECOND
