// The claim of an owner on each database: user locks by which a later owner ends the sessions that an earlier one left.
import { done, fail, type Result } from '../../base/result.js'
import { now, SECOND, sleep } from '../../base/time.js'
import type { SqlSession } from '../../connect/sql/session.js'
import { managerLocks } from '../../model/server/presence.js'
import type { ServerId } from '../../model/server/server.js'

/** Held on every database by one session of the cluster's owner. */
const OWNER = 'manager.owner'
/** Held, each by one number, by the sessions in which the owner changes a database. */
const SESSION = 'manager.session.'
/** Of a manager that acts (lib/probe/presence.ts): an earlier owner's session for probes holds it. */
const ACTS = managerLocks.acts
/** Most sessions of one owner on one database. */
const MOST = 24

/** How long an earlier owner's sessions are given to end: a statement that is under way may have to be undone first. */
const END_MS = 5 * SECOND
const CHECK_MS = 20
/** Longest time of one statement here. */
const STATEMENT_MS = 2 * SECOND

export interface ClaimParts {
  /** Whether this manager can prove now that it owns the cluster. */
  readonly isOwner: () => boolean
  /** Connection ids of its sessions to the server that take no lock of a session. */
  readonly own: (id: ServerId) => readonly number[]
}

interface Place {
  /** Holds the lock of the owner. */
  holder?: SqlSession | undefined
  claiming?: Promise<Result<void>> | undefined
  /** Number → the session that holds it. */
  readonly sessions: Map<number, SqlSession>
}

type Open = () => Promise<Result<SqlSession>>

const notOwner = (): Result<never> =>
  fail('not-owner', 'this instance cannot prove that it owns the cluster: nothing is changed')

export class Claims {
  readonly #parts: ClaimParts
  readonly #places = new Map<ServerId, Place>()
  #closed = false

  constructor(parts: ClaimParts) {
    this.#parts = parts
  }

  /**
   * Lets a new session change the server, once no session of an earlier owner is left there and the server shows that none has
   * come since. Failures: `not-owner`; those of the statements.
   */
  async admit(id: ServerId, session: SqlSession, open: Open): Promise<Result<void>> {
    const place = this.#place(id)
    const claimed = await this.claim(id, open)
    if (!claimed.ok) return claimed
    const number = Array.from({ length: MOST }, (_, index) => index).find((index) => !place.sessions.has(index))
    if (number === undefined) return fail('wrong-state', `more than ${MOST} sessions are open there`)
    place.sessions.set(number, session)
    session.onClose(() => {
      if (place.sessions.get(number) === session) place.sessions.delete(number)
    })
    // In this order: an owner that came meanwhile either sees the lock, or holds its own already.
    const taken = await session.run(
      'SELECT GET_LOCK(?, 0) AS got; SELECT IS_USED_LOCK(?) AS owner',
      [`${SESSION}${number}`, OWNER],
      STATEMENT_MS,
    )
    if (!taken.ok) return taken
    const [[lock], [holder]] = [taken.value[0] ?? [], taken.value[1] ?? []]
    const isOwn = place.holder?.open === true && Number(holder?.owner ?? 0) === place.holder.threadId
    if (Number(lock?.got ?? 0) === 1 && isOwn) return this.#parts.isOwner() ? done : notOwner()
    place.holder?.close()
    place.holder = undefined
    return fail('not-owner', 'another instance took the server over')
  }

  /** Ends what earlier owners left on the server and takes the owner's lock, unless that is done. Failures: as of `admit`. */
  claim(id: ServerId, open: Open): Promise<Result<void>> {
    const place = this.#place(id)
    if (place.holder?.open) return Promise.resolve(this.#parts.isOwner() ? done : notOwner())
    place.claiming ??= this.#claimNow(id, place, open).finally(() => {
      place.claiming = undefined
    })
    return place.claiming
  }

  close(): void {
    this.#closed = true
    for (const { holder } of this.#places.values()) holder?.close()
    this.#places.clear()
  }

  #place(id: ServerId): Place {
    const known = this.#places.get(id)
    if (known) return known
    const place: Place = { sessions: new Map() }
    this.#places.set(id, place)
    return place
  }

  async #claimNow(id: ServerId, place: Place, open: Open): Promise<Result<void>> {
    if (!this.#parts.isOwner()) return notOwner()
    const opened = await open()
    if (!opened.ok) return opened
    const holder = opened.value
    const claimed = await this.#take(id, place, holder)
    if (claimed.ok && !this.#closed) place.holder = holder
    else holder.close()
    return claimed
  }

  async #take(id: ServerId, place: Place, holder: SqlSession): Promise<Result<void>> {
    const until = now() + END_MS
    for (;;) {
      const own = new Set([...this.#parts.own(id), ...[...place.sessions.values()].map(({ threadId }) => threadId)])
      const strangers = await readStrangers(holder, own)
      if (!strangers.ok) return strangers
      // Between reading and ending: ids that were read within the term are not those of a later owner.
      if (!this.#parts.isOwner()) return notOwner()
      if (strangers.value.length === 0) {
        const taken = await holder.run('SELECT GET_LOCK(?, 0) AS got', [OWNER], STATEMENT_MS)
        if (!taken.ok) return taken
        if (Number(taken.value[0]?.[0]?.got ?? 0) === 1) return this.#parts.isOwner() ? done : notOwner()
      }
      // One that is gone by now is no failure.
      for (const stranger of strangers.value) await holder.run(`KILL ${stranger}`, [], STATEMENT_MS)
      if (now() > until) return fail('not-owner', 'sessions of an earlier owner do not end')
      await sleep(CHECK_MS)
    }
  }
}

/** Sessions of an earlier owner: those with locks, and from the same hosts the one that its probes keep. */
async function readStrangers(holder: SqlSession, own: ReadonlySet<number>): Promise<Result<readonly number[]>> {
  const names = [OWNER, ...Array.from({ length: MOST }, (_, index) => `${SESSION}${index}`)]
  const locks = names.map((_, index) => `IS_USED_LOCK(?) AS l${index}`).join(', ')
  const seen = await holder.run(
    `SELECT ${locks}; SELECT IS_USED_LOCK(?) AS acts; SELECT ID AS id, HOST AS host FROM information_schema.PROCESSLIST`,
    [...names, ACTS],
    STATEMENT_MS,
  )
  if (!seen.ok) return seen
  const [[held = {}] = [], [acting] = [], sessions = []] = seen.value
  const isForeign = (id: number): boolean => id > 0 && id !== holder.threadId && !own.has(id)
  const left = names.map((_, index) => Number(held[`l${index}`] ?? 0)).filter(isForeign)
  const hostOf = (id: number): string | undefined => {
    const session = sessions.find((row) => Number(row.id) === id)
    return session && String(session.host).replace(/:\d+$/, '')
  }
  const acts = Number(acting?.acts ?? 0)
  const isSame = isForeign(acts) && left.some((id) => hostOf(id) !== undefined && hostOf(id) === hostOf(acts))
  return { ok: true, value: [...new Set(isSame ? [...left, acts] : left)] }
}
