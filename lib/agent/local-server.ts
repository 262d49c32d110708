// The database of the agent's host: read over one kept session, and opened or closed for writes.
import { fail, ok, type Result } from '../base/result.js'
import { SECOND } from '../base/time.js'
import { openSession } from '../connect/sql/mysql2-session.js'
import type { SqlSession } from '../connect/sql/session.js'
import { type Dialect, dialectFor, identify, parseIdentity } from '../dialect/index.js'
import type { LocalReading } from './judge.js'

export interface LocalAccount {
  readonly host: string
  readonly port: number
  readonly user: string
  readonly password: string
}

export interface LocalServer {
  /** Never fails: a server that does not answer is a reading, too. */
  read(): Promise<LocalReading>
  setReadOnly(on: boolean): Promise<Result<void>>
  close(): void
}

const LIMIT_MS = 2 * SECOND
/** How long making it read-only waits for statements under way before it is tried again. */
const CLOSE_SECONDS = 1

const silent: LocalReading = { answers: false, readOnly: false, replicates: false, hasSource: false }

interface Link {
  readonly session: SqlSession
  readonly dialect: Dialect
}

export function createLocalServer(account: LocalAccount): LocalServer {
  let kept: Link | undefined
  const link = async (): Promise<Result<Link>> => {
    if (kept?.session.open) return ok(kept)
    const opened = await openSession({ ...account, connectTimeoutMs: LIMIT_MS, anyKey: true })
    if (!opened.ok) return opened
    const identified = await opened.value.run(identify.sql, identify.values, LIMIT_MS)
    if (!identified.ok) {
      opened.value.close()
      return identified
    }
    kept = { session: opened.value, dialect: dialectFor(parseIdentity(identified.value).identity) }
    return ok(kept)
  }
  return {
    async read() {
      const linked = await link()
      if (!linked.ok) return silent
      const { session, dialect } = linked.value
      const answer = await session.run(dialect.fastProbe, [], LIMIT_MS)
      if (!answer.ok) return silent
      const { readOnly, channels } = dialect.parseFastProbe(answer.value)
      const lags = channels.flatMap(({ lagSeconds }) => (lagSeconds === undefined ? [] : [lagSeconds]))
      return {
        ...{ answers: true, readOnly, hasSource: channels.length > 0 },
        ...(channels.some(({ delaySeconds }) => delaySeconds > 0) ? { keptBehind: true as const } : {}),
        replicates: channels.length > 0 && channels.every(({ io, sql }) => io === 'running' && sql === 'running'),
        ...(lags.length > 0 && lags.length === channels.length ? { lagSeconds: Math.max(...lags) } : {}),
      }
    },
    async setReadOnly(on) {
      const linked = await link()
      if (!linked.ok) return linked
      for (const { sql, values } of linked.value.dialect.setReadOnly(on, CLOSE_SECONDS)) {
        const done = await linked.value.session.run(sql, values, LIMIT_MS)
        if (!done.ok) return fail(done.failure.code, done.failure.message)
      }
      return ok(undefined)
    },
    close: () => kept?.session.close(),
  }
}
