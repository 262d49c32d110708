// Asks a server for the plan of one statement, so that nothing changes whatever the statement holds: it is judged first,
// then prepared, which takes one statement only, in a transaction that is read-only and taken back.
import { fail, ok, type Result } from '../../lib/base/result.js'
import { SECOND } from '../../lib/base/time.js'
import type { SqlSession } from '../../lib/connect/sql.js'
import {
  type Dialect,
  type Judged,
  judgeStatement,
  quoteIdentifier,
  type Rows,
  type Statement,
  viewsNamed,
} from '../../lib/dialect/index.js'

/** Longest time of a statement that runs for its plan, by the server's own clock. */
const RUN_MS = 10 * SECOND
/** Longest time of anything else. */
const ASK_MS = 3 * SECOND
/** Names that are looked up among the views, those of views in views included. */
const MOST_NAMES = 200

export interface PlanWish {
  /** The schema that names without one belong to; '' for none. */
  readonly schema: string
  readonly statement: string
  /** The statement runs, so that the plan tells what was met. */
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
  const judged = judgeStatement(statement, dialect.identity.flavour)
  if (!judged.ok) return judged
  const { kind } = judged.value
  if (run && kind === 'locks')
    return fail('unsafe-statement', 'the sampled statement changes data or locks rows: it is explained only')
  const question = dialect.queries.explain(judged.value.statement, run)
  if (question === undefined) return fail('unsupported', `${name} cannot analyze a statement: MySQL can since 8.0.18`)

  const prepared = await ask(session, {
    sql: `${dialect.readSession(run ? RUN_MS : ASK_MS)}; SET NAMES utf8mb4`,
    values: [],
  })
  if (!prepared.ok) return prepared
  const used = schema === '' ? ok([]) : await ask(session, { sql: `USE ${quoteIdentifier(schema)}`, values: [] })
  if (!used.ok) return used
  const views = await judgeViews(session, dialect, { names: judged.value.names, schema })
  if (!views.ok) return views

  // A plan of what would write is told in a read-only transaction by no server: such a statement calls nothing unknown.
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

/** A view is a statement too: what it calls is called by whoever reads it. */
async function judgeViews(
  session: SqlSession,
  { identity }: Dialect,
  { names, schema }: Pick<Judged, 'names'> & Pick<PlanWish, 'schema'>,
): Promise<Result<void>> {
  const seen = new Set<string>()
  let next = qualified(names, schema)
  while (next.length > 0) {
    for (const one of next) seen.add(JSON.stringify(one))
    if (seen.size > MOST_NAMES)
      return fail('unsafe-statement', `the sampled statement holds more than ${MOST_NAMES} names`)
    const views = await ask(session, viewsNamed(next))
    if (!views.ok) return views
    const found: (readonly [string, string])[] = []
    for (const { name, definition } of views.value) {
      const judged = judgeStatement(String(definition ?? ''), identity.flavour)
      if (!judged.ok) return fail('unsafe-statement', `the view ${name}: ${judged.failure.message}`)
      found.push(...qualified(judged.value.names, schema))
    }
    next = found.filter((one) => !seen.has(JSON.stringify(one)))
  }
  return ok(undefined)
}

function qualified(names: Judged['names'], schema: string): readonly (readonly [string, string])[] {
  const all = names.map(([given, name]): readonly [string, string] => [given ?? schema, name])
  return [...new Map(all.filter(([given]) => given !== '').map((one) => [JSON.stringify(one), one])).values()]
}

async function ask(session: SqlSession, { sql, values }: Statement, limitMs = ASK_MS): Promise<Result<Rows>> {
  const answer = await session.run(sql, values, limitMs)
  return answer.ok ? ok(answer.value.at(-1) ?? []) : answer
}
