// Tells the plan of a digest: of a statement that was sampled with its values, in the schema that it ran in.
import { createLimit, type Limit } from '../../../lib/base/limit.js'
import { fail, ok, type Result } from '../../../lib/base/result.js'
import { SECOND } from '../../../lib/base/time.js'
import { openSession } from '../../../lib/connect/sql/mysql2-session.js'
import type { SqlSession } from '../../../lib/connect/sql/session.js'
import { type Dialect, type DigestWish, LONGEST_TEXT, maskSecrets, type Rows } from '../../../lib/dialect/index.js'
import { followSteps } from '../../../lib/dialect/reads/follow.js'
import type { ServerId } from '../../../lib/model/server/server.js'
import type { ServerSnapshot } from '../../../lib/model/snapshot.js'
import type { ClusterProtocol } from '../../protocol/cluster.js'
import { dialectOf, targetOf } from '../state/wires.js'
import { afterFirstLook } from '../watch/first-look.js'
import { type LiveReader, readNow } from './live.js'
import { withSession } from './own-session.js'
import { askPlan } from './plan.js'

const ASK_MS = 3 * SECOND
/** One statement runs for its plan on a server at a time; others wait so long for it. */
const WAIT_MS = 10 * SECOND

interface Sample {
  readonly schema: string
  readonly statement: string
}

type Wish = ClusterProtocol['explain-statement']['in']

/** Holds what keeps explaining from becoming a load: one at a time on each server. */
export class Explainer {
  readonly #actor: LiveReader
  readonly #limits = new Map<ServerId, Limit>()

  constructor(actor: LiveReader) {
    this.#actor = actor
  }

  /** Rows of the plan. Failures: `no-sample`, `unsafe-statement`, `deadline-passed` while others are at it, those of SQL. */
  async explain({ server, source, run, ...wish }: Wish): Promise<Result<Rows>> {
    const actor = this.#actor
    const member = await afterFirstLook(actor, server)
    if (!member) return fail('unknown-server', `${actor.init.name} has no server ${server}`)
    const dialect = dialectOf(member)
    if (!dialect || member.observation !== 'answered')
      return fail('sql-refused', `${member.name} does not answer: ${member.error?.message ?? 'not seen yet'}`)
    const logged = source === 'slow-log' ? await fromSlowLog(actor, member, wish) : undefined
    if (logged && !logged.ok) return logged
    const done = await this.#limitOf(server).runUnless(AbortSignal.timeout(WAIT_MS), () =>
      withSession(member, actor.state, async (session) => {
        const sample = logged ?? (await fromEvents(session, { name: member.name, dialect }, wish))
        if (!sample.ok) return sample
        const plan = await askPlan(session, { name: member.name, dialect }, { ...sample.value, run })
        if (!plan.ok && plan.failure.code === 'sql-silent') void this.#clearUp(member, dialect, session.threadId)
        return plan
      }),
    )
    return done ?? fail('deadline-passed', `${member.name}: other statements are being explained`)
  }

  #limitOf(server: ServerId): Limit {
    const known = this.#limits.get(server) ?? createLimit(1)
    this.#limits.set(server, known)
    return known
  }

  /** A server goes on with a statement whose client is gone: it is ended there, if the server listens at all. */
  async #clearUp(member: ServerSnapshot, dialect: Dialect, threadId: number): Promise<void> {
    const opened = await openSession({ ...targetOf(member, this.#actor.state), connectTimeoutMs: SECOND })
    if (!opened.ok) return
    const { sql, values } = dialect.killSession(threadId)
    await opened.value.run(sql, values, SECOND)
    opened.value.close()
  }
}

/** Of what the performance schema keeps. */
async function fromEvents(
  session: SqlSession,
  { name, dialect }: { readonly name: string; readonly dialect: Dialect },
  wish: DigestWish,
): Promise<Result<Sample>> {
  const last = await followSteps(dialect.queries.sample(wish), async ({ sql, values }) => {
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
  actor: LiveReader,
  member: ServerSnapshot,
  { digest, schema }: DigestWish,
): Promise<Result<Sample>> {
  const entries = await readNow(actor, member, 'slow-queries')
  if (!entries.ok) return entries
  const { rows } = entries.value
  const fits = rows.filter((row) => row.digest === digest && (schema === undefined || row.schema_name === schema))
  const whole = fits.find(({ statement }) => String(statement ?? '').length < LONGEST_TEXT)
  if (whole) return ok(sampleIn(whole))
  if (fits.length > 0)
    return fail(
      'no-sample',
      `${member.name}: its slow log shows ${LONGEST_TEXT} characters of a statement; this one is longer`,
    )
  const limit = actor.state.settings['monitoring-long-query-log-length']
  const switches =
    'slow_query_log must be ON, long_query_time low enough (S/actions/toggle-slow-query, set-long-query-time)'
  return fail(
    'no-sample',
    `${member.name}: the latest ${rows.length} of at most ${limit} entries of its slow log hold no ${digest}: ${switches}`,
  )
}

const sampleIn = (row: Rows[number]): Sample => ({
  schema: String(row.schema_name ?? ''),
  statement: maskSecrets(String(row.statement ?? '')),
})
