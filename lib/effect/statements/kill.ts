// Ends statements or sessions on request: those of one digest, or of one thread; replication's and the manager's own never.
import { fail, ok, type Result } from '../../base/result.js'
import { SECOND } from '../../base/time.js'
import { errorNumber } from '../../connect/sql/failures.js'
import type { SqlSession } from '../../connect/sql/session.js'
import {
  type Dialect,
  digestOf,
  digestText,
  maskSecrets,
  normaliseStatement,
  ownerOf,
  type Rows,
  runningDigest,
  type Statement,
} from '../../dialect/index.js'
import { withSession } from '../kit/own-session.js'
import type { EffectServer } from '../kit/server.js'

const ASK_MS = 3 * SECOND
/** What is shown of a statement that was ended, characters. */
const SHOWN = 300

/** A thread or a statement that ended in the meantime: ER_NO_SUCH_THREAD, ER_NO_SUCH_QUERY. */
const goneAlready: ReadonlySet<number> = new Set([1094, 1957])

/** A thread that was ended, or whose statement was. */
export interface KilledThread {
  readonly id: number
  readonly user: string
  readonly host: string
  readonly db: string
  readonly command: string
  /** The beginning of its statement, passwords masked. */
  readonly info: string
}

interface Thread extends KilledThread {
  readonly queryId?: number
  readonly refusal?: string
}

export interface KillRequest {
  /** The digest of a statement, or the number of a thread. */
  readonly target: string
  readonly end: 'statement' | 'session'
  /** Accounts that the manager and replicas log in with. */
  readonly protectedUsers: readonly string[]
  /** Only find what would be ended. */
  readonly dry?: boolean
}

/** Those that were ended, or would be. Failures: `nothing-runs`, `protected-thread`, those of SQL. */
export function killStatements(
  server: EffectServer,
  { target, end, protectedUsers, dry = false }: KillRequest,
): Promise<Result<readonly KilledThread[]>> {
  const { dialect, spec } = server
  return withSession(server, async (session) => {
    const threads = await findThreads(session, dialect, { target, protectedUsers })
    if (!threads.ok) return threads
    return endThreads(session, { name: spec.name, dialect }, { threads: threads.value, target, end, dry })
  })
}

/** A digest has 32 or 64 digits, also when all of them are decimal; a thread's number never has. */
const isThread = (target: string): boolean => /^\d{1,20}$/.test(target)

type Search = Pick<KillRequest, 'target' | 'protectedUsers'>

/** The threads that the target names, those that must not be ended with the reason. */
export async function findThreads(
  session: SqlSession,
  dialect: Dialect,
  { target, protectedUsers }: Search,
): Promise<Result<readonly Thread[]>> {
  if (isThread(target)) {
    const rows = await ask(session, dialect.queries.sessions())
    return rows.ok
      ? ok(
          threadsIn(
            rows.value.filter(({ id }) => String(id) === target),
            protectedUsers,
          ),
        )
      : rows
  }
  // A performance schema that cannot be read leaves only the text of statements.
  const before = await ask(session, runningDigest(target))
  const common = await ask(session, digestText(target))
  const rows = await ask(session, dialect.queries.sessions())
  const after = await ask(session, runningDigest(target))
  if (!rows.ok) return rows
  const steady = bothTimes(before.ok ? before.value : [], after.ok ? after.value : [])
  const text = common.ok ? bareText(String(common.value[0]?.digest_text ?? '')) : ''
  const fits = rows.value.filter(({ id, info }) => {
    if (typeof info !== 'string' || info === '') return false
    const normalised = normaliseStatement(maskSecrets(info))
    return steady.has(String(id)) || digestOf(normalised) === target || (text !== '' && bareText(normalised) === text)
  })
  return ok(threadsIn(fits, protectedUsers))
}

/** Threads that were at the same event in both: their statement was the same in between. */
function bothTimes(before: Rows, after: Rows): ReadonlySet<string> {
  const keyOf = ({ id, event }: Rows[number]) => `${id} ${event}`
  const kept = new Set(after.map(keyOf))
  return new Set(before.filter((row) => kept.has(keyOf(row))).map(({ id }) => String(id)))
}

/** What is left of a statement's common text regardless of its author: servers quote every name, and put blanks elsewhere. */
const bareText = (text: string): string =>
  text
    .replace(/\/\*.*?\*\//g, '')
    .replace(/[`\s;]/g, '')
    .toLowerCase()

const threadsIn = (rows: Rows, protectedUsers: readonly string[]): readonly Thread[] =>
  rows.map((row) => {
    const [user, command] = [String(row.user ?? ''), String(row.command ?? '')]
    const logsIn = protectedUsers.includes(user)
      ? `of ${user}, which the manager or replication logs in with`
      : undefined
    const refusal = ownerOf({ user, command }) ?? logsIn
    return {
      ...{ id: Number(row.id), user, host: String(row.host ?? ''), db: String(row.db ?? '') },
      ...{ command, info: maskSecrets(String(row.info ?? '')).slice(0, SHOWN) },
      ...(row.query_id === undefined || row.query_id === null ? {} : { queryId: Number(row.query_id) }),
      ...(refusal === undefined ? {} : { refusal }),
    }
  })

interface Ending {
  readonly threads: readonly Thread[]
  readonly target: string
  readonly end: KillRequest['end']
  readonly dry: boolean
}

async function endThreads(
  session: SqlSession,
  { name, dialect }: { readonly name: string; readonly dialect: Dialect },
  { threads, target, end, dry }: Ending,
): Promise<Result<readonly KilledThread[]>> {
  const allowed = threads.filter(({ refusal }) => refusal === undefined)
  const [first] = threads
  if (first && allowed.length === 0)
    return fail('protected-thread', `${name}: thread ${first.id} is ${first.refusal}: not ended`)
  const active = end === 'statement' ? allowed.filter(({ info }) => info !== '') : allowed
  const killed: KilledThread[] = []
  for (const { queryId, refusal: _, ...thread } of active) {
    const statement =
      end === 'session'
        ? dialect.killSession(thread.id)
        : dialect.queries.endStatement({ id: thread.id, ...(queryId === undefined ? {} : { queryId }) })
    const done = dry ? ok([]) : await ask(session, statement)
    if (done.ok) killed.push(thread)
    else if (!goneAlready.has(errorNumber(done.failure))) return done
  }
  if (killed.length > 0) return ok(killed)
  const what = isThread(target) ? `thread ${target}` : `the statement ${target}`
  return fail('nothing-runs', `${name}: ${what} does not run`)
}

async function ask(session: SqlSession, { sql, values }: Statement): Promise<Result<Rows>> {
  const answer = await session.run(sql, values, ASK_MS)
  return answer.ok ? ok(answer.value[0] ?? []) : answer
}
