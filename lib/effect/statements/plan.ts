// Asks a server for the plan of one statement, so that nothing changes whatever the statement holds: it is judged first,
// then prepared, which takes one statement only, in a transaction that is read-only and taken back.
import { fail, ok, type Result } from '../../base/result.js'
import { SECOND } from '../../base/time.js'
import type { SqlSession } from '../../connect/sql/session.js'
import {
  type Dialect,
  type Judged,
  judgeStatement,
  quoteIdentifier,
  type Rows,
  resolveComments,
  type Statement,
} from '../../dialect/index.js'
import { judgeReach } from './plan-reach.js'

/** Longest time of a statement that runs for its plan, by the server's own clock. */
const RUN_MS = 10 * SECOND
/** Longest time of anything else. */
const ASK_MS = 3 * SECOND

export interface PlanWish {
  /** The schema that names without one belong to; '' for none. */
  readonly schema: string
  readonly statement: string
  /** The statement runs, so that the plan has measured figures. */
  readonly run: boolean
}

export interface PlanServer {
  readonly name: string
  readonly dialect: Dialect
}

/** Rows of the plan, columns in lower case. Failures: `unsafe-statement`, `unsupported`, those of SQL. */
export async function askPlan(
  session: SqlSession,
  { name, dialect }: PlanServer,
  { schema, statement, run }: PlanWish,
): Promise<Result<Rows>> {
  const resolved = resolveComments(statement, dialect.identity)
  if (!resolved.ok) return resolved
  const judged = judgeStatement(resolved.value, dialect.identity.flavour, { stored: true })
  if (!judged.ok) return judged
  const { kind } = judged.value
  if (run && kind === 'locks')
    return fail('unsafe-statement', 'the sampled statement changes data or locks rows: it is explained only')
  const question = dialect.queries.explain(withSchemas(judged.value, schema), run)
  if (question === undefined) return fail('unsupported', `${name} cannot analyze a statement: MySQL can since 8.0.18`)

  const prepared = await ask(session, {
    sql: `${dialect.readSession(run ? RUN_MS : ASK_MS)}; SET NAMES utf8mb4`,
    values: [],
  })
  if (!prepared.ok) return prepared
  const used = schema === '' ? ok([]) : await ask(session, { sql: `USE ${quoteIdentifier(schema)}`, values: [] })
  if (!used.ok) return used
  const reach = await judgeReach((question) => ask(session, question), dialect.identity, { ...judged.value, schema })
  if (!reach.ok) return reach

  // A plan of what would write is returned in a read-only transaction by no server: such a statement calls nothing unknown.
  const begin = `START TRANSACTION ${kind === 'locks' ? 'READ WRITE' : 'READ ONLY'}`
  for (const step of [
    { sql: begin, values: [] },
    { sql: 'PREPARE manager_plan FROM ?', values: [question] },
  ]) {
    const done = await ask(session, step)
    if (!done.ok) return done
  }
  const answer = await ask(session, { sql: 'EXECUTE manager_plan', values: [] }, run ? RUN_MS + ASK_MS : ASK_MS)
  await ask(session, { sql: 'ROLLBACK', values: [] })
  return answer.ok ? ok(dialect.queries.parsePlan(answer.value)) : answer
}

/** Stored functions by their schema: a name alone may be that of a loaded function, or of the server's own. */
const withSchemas = ({ statement, calls }: Judged, schema: string): string =>
  calls
    .filter((call) => call.schema === undefined)
    .reduceRight((text, { at }) => `${text.slice(0, at)}${quoteIdentifier(schema)}.${text.slice(at)}`, statement)

async function ask(session: SqlSession, { sql, values }: Statement, limitMs = ASK_MS): Promise<Result<Rows>> {
  const answer = await session.run(sql, values, limitMs)
  return answer.ok ? ok(answer.value.at(-1) ?? []) : answer
}
