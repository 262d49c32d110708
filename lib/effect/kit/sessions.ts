// The sessions effects act on: one per server that is kept and reused, and a reserved one that holds a freeze.
import { done, fail, ok, type Result } from '../../base/result.js'
import { SECOND } from '../../base/time.js'
import { openSession } from '../../connect/sql/mysql2-session.js'
import type { OpenSession, SqlSession } from '../../connect/sql/session.js'
import { addressText, type ServerAddress, type ServerId } from '../../model/server/server.js'
import type { Claims } from './claims.js'
import { clockOf } from './clock.js'
import type { EffectServer } from './server.js'

export interface Sessions {
  /** The server's action session, opened when there is none; the login takes at most `timeoutMs`. */
  action(id: ServerId, timeoutMs: number): Promise<Result<SqlSession>>
  /** Another session, on the reserved port where there is one: for what must not wait behind the action session. */
  extra(id: ServerId, timeoutMs: number): Promise<Result<SqlSession>>
  /** The session that holds (or will hold) the server's freeze, opened when there is none. */
  reserve(id: ServerId, timeoutMs: number): Promise<Result<SqlSession>>
  /** The reserved session if there was one, open or lost. */
  reserved(id: ServerId): SqlSession | undefined
  /** Connection ids at the server of every session that belongs to the manager. */
  own(id: ServerId): readonly number[]
  /** Closes the reserved session; the server then releases what it held. */
  release(id: ServerId): void
  /** Opens action sessions ahead of need, so that an operation finds them ready, also at a server that hangs by then. */
  warm(ids: readonly ServerId[]): Promise<void>
  /** Of a manager among several: ends what earlier owners of the cluster left on the server. Failure: why it could not. */
  claim(id: ServerId, timeoutMs: number): Promise<Result<void>>
  /** Closes the sessions of a server that left. */
  forget(id: ServerId): void
  close(): void
}

export interface SessionSource {
  /** How a session is opened; over the network when absent. */
  readonly open?: OpenSession
  readonly server: (id: ServerId) => EffectServer | undefined
  /** Connection ids of sessions to the server that others of this manager hold; none unless given. */
  readonly others?: (id: ServerId) => readonly number[]
  /** Of a manager among several: lets sessions change servers only while it owns the cluster. */
  readonly claims?: Claims | undefined
}

/** Longest time to ask a server's clock ahead of need. */
const CLOCK_MS = SECOND

export function createSessions({ open = openSession, server, others, claims }: SessionSource): Sessions {
  const actions = new Map<ServerId, SqlSession>()
  const reservations = new Map<ServerId, SqlSession>()

  const openAny = (
    id: ServerId,
    timeoutMs: number,
    elsewhere: Partial<ServerAddress> = {},
  ): Promise<Result<SqlSession>> => {
    const found = server(id)
    if (!found) return Promise.resolve(fail('unknown-server', `${id} is no member of the cluster`))
    const { target } = found
    const connectTimeoutMs = Math.max(1, Math.min(timeoutMs, target.connectTimeoutMs))
    return open({ ...target, connectTimeoutMs, server: addressText(target), ...elsewhere })
  }

  const openOne: typeof openAny = async (id, timeoutMs, elsewhere) => {
    const opened = await openAny(id, timeoutMs, elsewhere)
    if (!claims || !opened.ok) return opened
    const admitted = await claims.admit(id, opened.value, () => openAny(id, timeoutMs, elsewhere))
    if (admitted.ok) return opened
    opened.value.close()
    return admitted
  }

  /** The reserved port first; a server that has closed it since serves on its normal one. */
  const openReserved = async (id: ServerId, timeoutMs: number): Promise<Result<SqlSession>> => {
    const { reservedPort: port, reservedHost: host } = server(id) ?? {}
    const place = { ...(port === undefined ? {} : { port }), ...(host === undefined ? {} : { host }) }
    const reserved = port === undefined ? undefined : await openOne(id, timeoutMs / 2, place)
    return reserved?.ok ? reserved : openOne(id, timeoutMs)
  }

  const keep = (sessions: Map<ServerId, SqlSession>, id: ServerId, opened: Result<SqlSession>): Result<SqlSession> => {
    if (!opened.ok) return opened
    sessions.get(id)?.close()
    sessions.set(id, opened.value)
    return opened
  }

  const reusable = (sessions: Map<ServerId, SqlSession>, id: ServerId): Result<SqlSession> | undefined => {
    const session = sessions.get(id)
    return session?.open ? ok(session) : undefined
  }

  const action: Sessions['action'] = async (id, timeoutMs) =>
    reusable(actions, id) ?? keep(actions, id, await openOne(id, timeoutMs))

  const warmOne = async (id: ServerId): Promise<void> => {
    const opened = await action(id, Number.POSITIVE_INFINITY)
    if (opened.ok) await clockOf(opened.value, CLOCK_MS)
  }

  const end = (sessions: Map<ServerId, SqlSession>, id: ServerId) => {
    sessions.get(id)?.close()
    sessions.delete(id)
  }

  return {
    action,
    extra: openReserved,
    reserve: async (id, timeoutMs) =>
      reusable(reservations, id) ?? keep(reservations, id, await openReserved(id, timeoutMs)),
    reserved: (id) => reservations.get(id),
    own: (id) => {
      const held = [actions.get(id), reservations.get(id)].filter((session) => session !== undefined)
      return [...held.map(({ threadId }) => threadId), ...(others?.(id) ?? [])]
    },
    release: (id) => end(reservations, id),
    warm: async (ids) => {
      await Promise.all(ids.map(warmOne))
    },
    claim: (id, timeoutMs) => claims?.claim(id, () => openAny(id, timeoutMs)) ?? Promise.resolve(done),
    forget: (id) => {
      end(actions, id)
      end(reservations, id)
    },
    close: () => {
      for (const id of [...actions.keys()]) end(actions, id)
      for (const id of [...reservations.keys()]) end(reservations, id)
      claims?.close()
    },
  }
}
