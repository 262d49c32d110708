// Sessions for reads on request: few to a server, kept for a moment, and never those that probe.
import { withDeadline } from '../../base/deadline.js'
import { createLimit, type Limit } from '../../base/limit.js'
import { fail, type Result } from '../../base/result.js'
import { now, SECOND } from '../../base/time.js'
import { openSession } from '../../connect/sql/mysql2-session.js'
import type { Row, SqlSession, SqlTarget } from '../../connect/sql/session.js'
import type { Dialect, Statement } from '../../dialect/index.js'
import type { ServerId } from '../../model/server/server.js'
import { targetKey } from '../kit/server.js'

/** Sessions to one server at once: one slow statement leaves a way for the others. */
const MOST_SESSIONS = 2
const IDLE_MS = 5 * SECOND
/** After a statement that did not answer, the same read is not tried again for so long. */
const CLEAR_UP_MS = SECOND

export interface ReadTarget {
  readonly target: SqlTarget
  readonly dialect: Dialect
  /** Longest time of one statement, milliseconds. */
  readonly statementMs: number
}

/** Runs one statement within what is left of the deadline. */
export type Ask = (statement: Statement) => Promise<Result<readonly Row[]>>

interface Kept {
  readonly session: SqlSession
  /** Where it leads and how it was prepared: a session of other settings is not used again. */
  readonly made: string
  timer: NodeJS.Timeout | undefined
}

interface Server {
  readonly limit: Limit
  readonly idle: Kept[]
}

export class ReadSessions {
  readonly #servers = new Map<ServerId, Server>()
  #closed = false

  /** Gives `work` a separate session until `until` (`now()`); waits for its turn at most that long. */
  async use<T>(
    id: ServerId,
    { server, until }: { readonly server: ReadTarget; readonly until: number },
    work: (ask: Ask) => Promise<Result<T>>,
  ): Promise<Result<T>> {
    const { limit } = this.#server(id)
    const never = new AbortController().signal
    const done = await withDeadline(never, until - now(), (signal) =>
      limit.runUnless(signal, () => this.#work(id, { server, until }, work)),
    )
    return done ?? fail('deadline-passed', `${server.target.host}:${server.target.port}: too many reads are under way`)
  }

  close(): void {
    this.#closed = true
    for (const { idle } of this.#servers.values()) for (const kept of idle.splice(0)) end(kept)
  }

  async #work<T>(
    id: ServerId,
    { server, until }: { readonly server: ReadTarget; readonly until: number },
    work: (ask: Ask) => Promise<Result<T>>,
  ): Promise<Result<T>> {
    const kept = this.#taken(id, server) ?? (await this.#open(server, until))
    if ('ok' in kept) return kept
    const { session } = kept
    const result = await work(async ({ sql, values }) => {
      const answer = await session.run(sql, values, Math.max(1, until - now()))
      if (!answer.ok) {
        if (answer.failure.code === 'sql-silent') void clearUp(server, session.threadId)
        return answer
      }
      return { ok: true, value: answer.value[0] ?? [] }
    })
    this.#keep(id, kept)
    return result
  }

  async #open(server: ReadTarget, until: number): Promise<Kept | Result<never>> {
    const connectTimeoutMs = Math.max(1, Math.min(server.target.connectTimeoutMs, until - now()))
    const opened = await openSession({ ...server.target, connectTimeoutMs })
    if (!opened.ok) return opened
    const session = opened.value
    const prepared = await session.run(server.dialect.readSession(server.statementMs), [], Math.max(1, until - now()))
    if (prepared.ok) return { session, made: madeFor(server), timer: undefined }
    session.close()
    return prepared
  }

  #taken(id: ServerId, server: ReadTarget): Kept | undefined {
    const { idle } = this.#server(id)
    for (let kept = idle.pop(); kept; kept = idle.pop()) {
      clearTimeout(kept.timer)
      if (kept.session.open && kept.made === madeFor(server)) return kept
      kept.session.close()
    }
    return undefined
  }

  #keep(id: ServerId, kept: Kept): void {
    if (!kept.session.open) return
    if (this.#closed) {
      kept.session.close()
      return
    }
    const { idle } = this.#server(id)
    idle.push(kept)
    kept.timer = setTimeout(() => {
      idle.splice(idle.indexOf(kept), 1)
      kept.session.close()
    }, IDLE_MS)
    kept.timer.unref()
  }

  #server(id: ServerId): Server {
    const known = this.#servers.get(id)
    if (known) return known
    const made: Server = { limit: createLimit(MOST_SESSIONS), idle: [] }
    this.#servers.set(id, made)
    return made
  }
}

const madeFor = ({ target, statementMs }: ReadTarget): string => JSON.stringify([targetKey(target), statementMs])

function end({ session, timer }: Kept): void {
  clearTimeout(timer)
  session.close()
}

/** A server goes on with a statement whose client is gone: it is ended there, if the server listens at all. */
async function clearUp({ target, dialect }: ReadTarget, threadId: number): Promise<void> {
  const opened = await openSession({ ...target, connectTimeoutMs: CLEAR_UP_MS })
  if (!opened.ok) return
  const { sql, values } = dialect.killSession(threadId)
  await opened.value.run(sql, values, CLEAR_UP_MS)
  opened.value.close()
}
