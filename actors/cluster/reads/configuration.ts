// What a server says of its configuration, read on request, and statements that change it at run time.
import { fail, ok, type Result } from '../../../lib/base/result.js'
import { now, SECOND } from '../../../lib/base/time.js'
import type { SqlSession } from '../../../lib/connect/sql/session.js'
import { parseOrigins, parsePlugins, type Rows, type Statement, variablesByName } from '../../../lib/dialect/index.js'
import type { ServerConfiguration, StatementOutcome } from '../../../lib/model/server/configuration.js'
import type { ServerId } from '../../../lib/model/server/server.js'
import { findServer } from '../../../lib/model/snapshot.js'
import type { ClusterCore } from '../state/core.js'
import { dialectOf } from '../state/wires.js'
import { afterFirstLook } from '../watch/first-look.js'
import { withSession } from './own-session.js'

/** Longest time of one statement. */
const READ_MS = 5 * SECOND
/** A plugin that is loaded, or a buffer that is resized, takes longer than a read. */
const CHANGE_MS = 20 * SECOND

/** Failures are those of the login, and of the list of variables; what else the account may not see is left empty. */
export async function readConfiguration(actor: ClusterCore, id: ServerId): Promise<Result<ServerConfiguration>> {
  const member = await afterFirstLook(actor, id)
  const { state, init } = actor
  if (!member) return fail('unknown-server', `${init.name} has no server ${id}`)
  const dialect = dialectOf(member)
  if (!dialect) return fail('sql-refused', `${member.name} does not answer: ${member.error?.message ?? 'not seen yet'}`)
  return withSession(member, state, async (session) => {
    const variables = await rowsOf(session, dialect.variableList())
    if (!variables.ok) return variables
    const plugins = await rowsOf(session, dialect.pluginList())
    const origins = await rowsOf(session, dialect.valueOrigins())
    return ok({
      ...{ server: id, at: now(), identity: dialect.identity },
      variables: variablesByName(variables.value),
      plugins: plugins.ok ? parsePlugins(plugins.value) : [],
      origins: origins.ok ? parseOrigins(origins.value) : {},
    })
  })
}

/** Runs statements one after the other, each whatever became of those before; a lost session ends them with its failure. */
export async function runStatements(
  { state, init }: ClusterCore,
  id: ServerId,
  statements: readonly string[],
): Promise<Result<readonly StatementOutcome[]>> {
  const member = findServer(state.snapshot, id)
  if (!member) return fail('unknown-server', `${init.name} has no server ${id}`)
  return withSession(member, state, async (session) => {
    // What is set on one server is no transaction of its own.
    await session.run('SET SESSION sql_log_bin = 0', [], READ_MS)
    const outcomes: StatementOutcome[] = []
    for (const sql of statements) {
      const ran = await session.run(sql, [], CHANGE_MS)
      if (!ran.ok && ran.failure.code !== 'sql-failed') return ran
      outcomes.push(ran.ok ? { sql } : { sql, refused: ran.failure.message })
    }
    return ok(outcomes)
  })
}

async function rowsOf(session: SqlSession, { sql, values }: Statement): Promise<Result<Rows>> {
  const answer = await session.run(sql, values, READ_MS)
  return answer.ok ? ok(answer.value[0] ?? []) : answer
}
