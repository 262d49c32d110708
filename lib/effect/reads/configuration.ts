// What a server says of its configuration, read on request, and statements that change it at run time.
import { ok, type Result } from '../../base/result.js'
import { now, SECOND } from '../../base/time.js'
import type { SqlSession } from '../../connect/sql/session.js'
import { parseOrigins, parsePlugins, type Rows, type Statement, variablesByName } from '../../dialect/index.js'
import type { ServerConfiguration, StatementOutcome } from '../../model/server/configuration.js'
import { withSession } from '../kit/own-session.js'
import type { EffectServer } from '../kit/server.js'

/** Longest time of one statement. */
const READ_MS = 5 * SECOND
/** A plugin that is loaded, or a buffer that is resized, takes longer than a read. */
const CHANGE_MS = 20 * SECOND

/** Failures are those of the login, and of the list of variables; what else the account may not see is left empty. */
export function readConfiguration(server: EffectServer): Promise<Result<ServerConfiguration>> {
  const { dialect, spec } = server
  return withSession(server, async (session) => {
    const variables = await rowsOf(session, dialect.variableList())
    if (!variables.ok) return variables
    const plugins = await rowsOf(session, dialect.pluginList())
    const origins = await rowsOf(session, dialect.valueOrigins())
    return ok({
      ...{ server: spec.id, at: now(), identity: dialect.identity },
      variables: variablesByName(variables.value),
      plugins: plugins.ok ? parsePlugins(plugins.value) : [],
      origins: origins.ok ? parseOrigins(origins.value) : {},
    })
  })
}

/** Runs statements one after the other, each whatever became of those before; a lost session ends them with its failure. */
export function runStatements(
  server: Pick<EffectServer, 'target'>,
  statements: readonly string[],
): Promise<Result<readonly StatementOutcome[]>> {
  return withSession(server, async (session) => {
    // A setting on one server must not become an errant transaction.
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
