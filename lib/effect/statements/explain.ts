// Reads the plan of a digest: of a statement that was sampled with its values, in the schema that it ran in.
import { createLimit, type Limit } from '../../base/limit.js'
import { fail, ok, type Result } from '../../base/result.js'
import { SECOND } from '../../base/time.js'
import { openSession } from '../../connect/sql/mysql2-session.js'
import type { SqlSession } from '../../connect/sql/session.js'
import { type Dialect, type DigestRequest, LONGEST_TEXT, maskSecrets, type Rows } from '../../dialect/index.js'
import { followSteps } from '../../dialect/reads/follow.js'
import type { ServerId } from '../../model/server/server.js'
import { withSession } from '../kit/own-session.js'
import type { EffectServer } from '../kit/server.js'
import { askPlan } from './plan.js'

const ASK_MS = 3 * SECOND
/** One statement runs for its plan on a server at a time; others wait so long for it. */
const WAIT_MS = 10 * SECOND

interface Sample {
  readonly schema: string
  readonly statement: string
}

export interface ExplainRequest extends DigestRequest {
  readonly source: 'performance-schema' | 'slow-log'
  /** The statement runs, when it only reads, and the plan shows what it met. */
  readonly run: boolean
  /** The entries that `S/slow-queries` shows. */
  readonly slowQueries: () => Promise<Result<{ readonly rows: Rows }>>
  /** The most entries that it shows. */
  readonly mostEntries: number
}

/** Explains statements, one at a time on each server, so that explaining never becomes a load. */
export class Explainer {
  readonly #limits = new Map<ServerId, Limit>()

  /** Rows of the plan. Failures: `no-sample`, `unsafe-statement`, `deadline-passed` while others are at it, those of SQL. */
  async explain(server: EffectServer, { source, run, ...request }: ExplainRequest): Promise<Result<Rows>> {
    const { dialect, spec } = server
    const { name } = spec
    const logged = source === 'slow-log' ? await fromSlowLog(name, request) : undefined
    if (logged && !logged.ok) return logged
    const done = await this.#limitOf(spec.id).runUnless(AbortSignal.timeout(WAIT_MS), () =>
      withSession(server, async (session) => {
        const sample = logged ?? (await fromEvents(session, { name, dialect }, request))
        if (!sample.ok) return sample
        const plan = await askPlan(session, { name, dialect }, { ...sample.value, run })
        if (!plan.ok && plan.failure.code === 'sql-silent') void endThread(server, session.threadId)
        return plan
      }),
    )
    return done ?? fail('deadline-passed', `${name}: other statements are being explained`)
  }

  #limitOf(server: ServerId): Limit {
    const known = this.#limits.get(server) ?? createLimit(1)
    this.#limits.set(server, known)
    return known
  }
}

/** A server goes on with a statement whose client is gone: it is ended there, if the server listens at all. */
async function endThread({ target, dialect }: EffectServer, threadId: number): Promise<void> {
  const opened = await openSession({ ...target, connectTimeoutMs: SECOND })
  if (!opened.ok) return
  const { sql, values } = dialect.killSession(threadId)
  await opened.value.run(sql, values, SECOND)
  opened.value.close()
}

/** Of what the performance schema keeps. */
async function fromEvents(
  session: SqlSession,
  { name, dialect }: { readonly name: string; readonly dialect: Dialect },
  request: DigestRequest,
): Promise<Result<Sample>> {
  const last = await followSteps(dialect.queries.sample(request), async ({ sql, values }) => {
    const answer = await session.run(sql, values, ASK_MS)
    return answer.ok ? ok(answer.value[0] ?? []) : answer
  })
  if (!last.ok) return last
  const step = last.value
  if (step.type !== 'rows') return fail('no-sample', `${name}: ${step.type === 'refuse' ? step.reason : 'no sample'}`)
  return ok(sampleIn(step.rows[0] ?? {}))
}

/** Of the entries that `S/slow-queries` shows, by the digests that it shows. */
async function fromSlowLog(
  name: string,
  { digest, schema, slowQueries, mostEntries }: Omit<ExplainRequest, 'source' | 'run'>,
): Promise<Result<Sample>> {
  const entries = await slowQueries()
  if (!entries.ok) return entries
  const { rows } = entries.value
  const fits = rows.filter((row) => row.digest === digest && (schema === undefined || row.schema_name === schema))
  const whole = fits.find(({ statement }) => String(statement ?? '').length < LONGEST_TEXT)
  if (whole) return ok(sampleIn(whole))
  if (fits.length > 0)
    return fail(
      'no-sample',
      `${name}: its slow log shows ${LONGEST_TEXT} characters of a statement; this one is longer`,
    )
  const switches =
    'slow_query_log must be ON, long_query_time low enough (S/actions/toggle-slow-query, set-long-query-time)'
  return fail(
    'no-sample',
    `${name}: the latest ${rows.length} of at most ${mostEntries} entries of its slow log hold no ${digest}: ${switches}`,
  )
}

const sampleIn = (row: Rows[number]): Sample => ({
  schema: String(row.schema_name ?? ''),
  statement: maskSecrets(String(row.statement ?? '')),
})
