// Reads that go to the database on request: bounded, single-flight, cached for a moment.
import { fail, ok, type Result } from '../../lib/base/result.js'
import { now, SECOND } from '../../lib/base/time.js'
import { openSession } from '../../lib/connect/mysql2-session.js'
import type { SqlTarget } from '../../lib/connect/sql.js'
import type { Dialect, Statement } from '../../lib/dialect/index.js'
import type { ServerId } from '../../lib/model/server.js'
import type { LiveRead } from '../protocol/cluster.js'

/** One answer serves everybody who asks within this time. */
const FRESH_MS = SECOND
const DEADLINE_MS = 4 * SECOND

export interface ReadServer {
  readonly target: SqlTarget
  readonly dialect: Dialect
  /** Rows of the process list that are answered at most. */
  readonly processLimit: number
}

interface Answer {
  readonly at: number
  readonly result: Promise<Result<unknown>>
}

export class LiveReads {
  readonly #answers = new Map<string, Answer>()

  /** The rows of one read; a server that does not answer is a failure that says so. */
  read(id: ServerId, what: LiveRead, server: ReadServer): Promise<Result<unknown>> {
    const key = `${id} ${what}`
    const fresh = this.#answers.get(key)
    if (fresh && now() - fresh.at < FRESH_MS) return fresh.result
    const result = query(statementOf(what, server), server)
    this.#answers.set(key, { at: now(), result })
    setTimeout(() => this.#answers.delete(key), FRESH_MS).unref()
    return result
  }
}

function statementOf(what: LiveRead, { dialect, processLimit }: ReadServer): Statement {
  switch (what) {
    case 'variables':
      return dialect.globalVariables()
    case 'status':
      return dialect.globalStatus()
    case 'processlist':
      return dialect.processList(processLimit)
    case 'source-status':
      return dialect.binlogStatus()
    case 'replica-status':
      return dialect.replicaStatus()
  }
}

async function query(statement: Statement, { target }: ReadServer): Promise<Result<unknown>> {
  const session = await openSession({ ...target, connectTimeoutMs: Math.min(target.connectTimeoutMs, DEADLINE_MS) })
  if (!session.ok) return session
  try {
    const rows = await session.value.run(statement.sql, statement.values, DEADLINE_MS)
    if (!rows.ok) return rows
    return rows.value[0] ? ok(rows.value[0]) : fail('sql-failed', 'the statement answered no rows')
  } finally {
    session.value.close()
  }
}
