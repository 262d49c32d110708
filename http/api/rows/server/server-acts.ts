// What can be done to one running database over SQL: diagnostics turned on and off, logs, digests, the binary log.
import * as z from 'zod'
import type { Grant } from '../../../../lib/access/grants.js'
import type { FailureCode } from '../../../../lib/base/failures.js'
import { ok, type Result } from '../../../../lib/base/result.js'
import { HOUR, MINUTE, SECOND } from '../../../../lib/base/time.js'
import type { ActAnswer, ServerAct, ToggleName } from '../../../../lib/model/server/server-act.js'
import { decimalNumber, decimalText, flag, stateParams, wantedOf, wholeNumber } from '../../kit/input.js'
import { planWork } from '../../kit/plan/planned.js'
import { asked, notStated, serverNotFound, usual } from '../../kit/refusals.js'
import { route, type WireFailure } from '../../kit/route.js'
import { jobFailures, jobLocation, jobQuery } from '../cluster/services.js'

/** Longest wait for an act without a timeout: queueing, the act, and its verification. */
const ACT_WAIT = MINUTE
/** Longest time that `wait-innodb-purge` takes, seconds. */
const LONGEST_PURGE = 3_600

const base = '/api/clusters/:cluster/servers/:server/actions'

/** What an act came to; clients that expect nothing may leave it alone. */
const actSchema = z
  .object({
    msg: z.string(),
    state: z.enum(['ON', 'OFF']).optional(),
    skipped: z.string().optional(),
  })
  .meta({ id: 'ActionResult' })

type Query = Readonly<Record<string, unknown>>

interface Act {
  /** Last words of the path. */
  readonly words: string
  /** Further last words. */
  readonly others?: readonly string[]
  readonly cli?: `${string} ${string}`
  readonly summary: string
  readonly grant: Grant | readonly [Grant, ...Grant[]]
  readonly params?: z.ZodObject
  readonly query?: z.ZodObject<Readonly<Record<string, z.ZodType>>>
  readonly failures?: readonly FailureCode[]
  readonly own?: Readonly<Partial<Record<FailureCode, WireFailure>>>
  readonly example: z.output<typeof actSchema>
  readonly act: (given: {
    readonly params: Readonly<Record<string, string | undefined>>
    readonly query: Query
  }) => ServerAct
  readonly waitMs?: (act: ServerAct) => number
}

/** The row of `S/actions/<words>`: one message; what was done as JSON. */
const act = ({ words, others = [], cli, params, query = z.object({}), failures = [], own = {}, ...row }: Act) =>
  route({
    ...(cli ? { cli } : {}),
    methods: ['GET', 'POST'],
    paths: [`${base}/${words}` as typeof base, ...others.map((other) => `${base}/${other}` as typeof base)],
    summary: row.summary,
    grant: row.grant,
    ...(params ? { params } : {}),
    query,
    reply: { status: 200, type: 'json', schema: actSchema },
    failures: { ...serverNotFound, ...asked, ...notStated, ...usual('wrong-state', ...failures), ...own },
    example: { reply: row.example },
    plan: ({ cluster, server, params: named, query: asked }) =>
      planWork(cluster, { type: 'act', server: server.id, act: row.act({ params: named, query: asked as Query }) }),
    answer: async ({ cluster, server, caller, params: named, query: asked }) => {
      const act = row.act({ params: named, query: asked as Query })
      const deadlineMs = row.waitMs?.(act) ?? ACT_WAIT
      return shown(await cluster.ask('act', { user: caller.user, server: server.id, act }, { deadlineMs }))
    },
  })

function shown(done: Result<ActAnswer>): Result<z.output<typeof actSchema>> {
  if (!done.ok) return done
  const { text, on, skipped } = done.value
  return ok({
    msg: text,
    ...(on === undefined ? {} : { state: on ? 'ON' : 'OFF' }),
    ...(skipped === undefined ? {} : { skipped }),
  })
}

interface Turn {
  readonly words: string
  readonly what: ToggleName
  readonly summary: string
  readonly grant?: Act['grant']
  readonly example: string
}

/** The row of an instrument that is enabled, disabled or toggled: the answer says what it is now. */
const turn = ({ words, what, summary, grant = 'db-logs', example }: Turn) =>
  act({
    ...{ words: `toogle-${words}`, others: [`toogle-${words}/:state`], cli: `server set-${words}`, grant },
    params: stateParams,
    summary: `${summary} Without a state: toggle. The value is verified before and after; the reply reports the new value.`,
    failures: ['unsupported'],
    example: { msg: `db1: ${example}`, state: 'ON' },
    act: ({ params }) => ({ type: 'toggle', what, ...wantedOf(params.state) }),
  })

const forced = z.object({ force: flag().optional() })

/** Seconds with fractions, as the variable takes them: at most a year. */
const seconds = decimalText({ min: 0, max: 31_536_000 })

export const serverActRoutes = {
  'server.toogle-innodb-monitor': turn({
    words: 'innodb-monitor',
    what: 'engine-monitor',
    summary: 'Enable or disable the InnoDB monitor output in the error log.',
    example: 'innodb_status_output=ON',
  }),
  'server.toogle-meta-data-locks': turn({
    words: 'meta-data-locks',
    what: 'lock-list',
    summary:
      'Enable or disable the list of metadata locks: MariaDB’s plugin is installed or uninstalled, MySQL’s instrument enabled or disabled.',
    example: 'the plugin metadata_lock_info is installed',
  }),
  'server.toogle-query-response-time': turn({
    words: 'query-response-time',
    what: 'response-times',
    summary: 'Enable or disable the statistics of response times; a missing plugin is installed.',
    example: 'query_response_time_stats=ON',
  }),
  'server.toogle-sql-error-log': turn({
    words: 'sql-error-log',
    what: 'error-statements',
    summary: 'Enable or disable the log of failed statements; a missing plugin is installed.',
    example: 'sql_error_log_rate=1',
  }),
  'server.toogle-pfs-slow-query': turn({
    words: 'pfs-slow-query',
    what: 'statement-history',
    summary: 'Enable or disable the statement samples of the performance schema.',
    example: 'events_statements_history_long enabled',
  }),
  'server.toogle-slow-query': turn({
    words: 'slow-query',
    what: 'slow-log',
    summary: 'Enable or disable the slow log, for sessions that start afterwards.',
    example: 'slow_query_log=ON, long_query_time=10, log_output=FILE',
  }),
  'server.toogle-slow-query-capture': turn({
    words: 'slow-query-capture',
    what: 'slow-capture',
    grant: ['db-capture', 'db-logs'],
    summary:
      'Capture every statement of sessions that begin afterwards in the slow log, or end that and set it back to what it was.',
    example: 'slow_query_log=ON, long_query_time=0, log_output=FILE',
  }),
  'server.toogle-slow-query-table': turn({
    words: 'slow-query-table',
    what: 'slow-table',
    summary: 'Write the slow log to its table, or to its file again.',
    example: 'slow_query_log=ON, long_query_time=10, log_output=TABLE',
  }),
  'server.set-long-query-time': act({
    words: 'set-long-query-time/:queryTime',
    summary: 'Set the time from which on a statement is slow, seconds; it holds for sessions that begin afterwards.',
    grant: 'db-logs',
    params: z.looseObject({ queryTime: seconds }),
    failures: ['bad-request'],
    example: { msg: 'db1: long_query_time=2, for sessions that begin from now on' },
    act: ({ params }) => ({ type: 'set-slow-limit', seconds: Number(params.queryTime) }),
  }),
  'server.reset-pfs-queries': act({
    words: 'reset-pfs-queries',
    summary: 'Forget the digests and samples of statements that the performance schema holds.',
    grant: 'db-analyse',
    failures: ['unsupported'],
    example: { msg: 'db1: its digests and samples of statements were cleared' },
    act: () => ({ type: 'reset-digests' }),
  }),
  'server.wait-innodb-purge': act({
    words: 'wait-innodb-purge',
    summary:
      'Wait until at most `length` (100) old versions of rows are left to purge, no longer than `timeout` (30) seconds; the log names the transaction that holds the purge.',
    grant: 'db-maintenance',
    query: z.object({
      length: wholeNumber({ min: 0, max: 1_000_000_000 }).optional(),
      timeout: decimalNumber({ min: 0, max: LONGEST_PURGE }).optional(),
    }),
    failures: ['bad-request'],
    own: { 'deadline-passed': [500, 'Error waiting for InnoDB purge'] },
    example: { msg: 'db1: 12 old versions are left to purge (4711 before)' },
    act: ({ query }) => ({
      type: 'await-purge',
      length: (query.length as number | undefined) ?? 100,
      timeoutMs: ((query.timeout as number | undefined) ?? 30) * SECOND,
    }),
    waitMs: (act) => ACT_WAIT + (act.type === 'await-purge' ? act.timeoutMs : 0),
  }),
  'server.flush-logs': act({
    words: 'flush-logs',
    summary: 'Rotate the logs of this server only; its binary log continues in a new file.',
    grant: 'db-backup',
    example: { msg: 'db1: its logs were reopened, bin.000007 is closed, it writes bin.000008' },
    act: () => ({ type: 'flush-logs' }),
  }),
  'server.optimize': route({
    methods: ['GET', 'POST'],
    paths: [`${base}/optimize`],
    summary:
      'Rebuild the tables of the server, one after the other, as a job; those of the master only with `force=true`.',
    grant: 'db-maintenance',
    query: jobQuery,
    reply: { status: 200, type: 'empty', location: jobLocation },
    failures: { ...serverNotFound, ...jobFailures },
    plan: ({ cluster, server, query }) =>
      planWork(cluster, { type: 'optimize', server: server.id, force: query.force ?? false }),
    answer: async ({ cluster, params, server, query, caller }) => {
      const { force = false, wait = true } = query
      const request = { user: caller.user, server: server.id, force, wait }
      const ticket = await cluster.ask('optimize', request, { deadlineMs: HOUR })
      return ticket.ok ? ok({ cluster: params.cluster, job: ticket.value.job.id }) : ticket
    },
  }),
  'server.reset-master': act({
    words: 'reset-master',
    summary:
      'Empty the binary log. A server with slaves needs `force=true`: writes are blocked until they have applied everything, then they replicate from the new log by GTID; if one does not catch up, nothing is reset.',
    grant: 'db-replication',
    query: forced,
    failures: ['is-primary', 'operation-running', 'step-failed'],
    example: { msg: 'db1: its binary log starts over, transactions go on being counted; db2 follow the new log' },
    act: ({ query }) => ({ type: 'reset-binlogs', force: query.force === true }),
  }),
  'server.reset-slave-all': act({
    words: 'reset-slave-all',
    summary: 'End the replication of the server and forget its master; while it replicates that needs `force=true`.',
    grant: 'db-replication',
    query: forced,
    failures: ['is-primary', 'operation-running', 'not-replicating'],
    example: { msg: 'db2: it has no source any more (db1:3306 before)' },
    act: ({ query }) => ({ type: 'forget-source', force: query.force === true }),
  }),
  'server.skip-replication-event': act({
    words: 'skip-replication-event',
    summary:
      'Pass over the transaction that stopped the SQL thread of a slave by an error, and go on replicating; the answer names it.',
    grant: 'db-replication',
    failures: ['operation-running', 'step-failed'],
    example: {
      msg: "db2: 0-1-4711 was skipped, which had failed: Duplicate entry '1' for key 'PRIMARY'",
      skipped: '0-1-4711',
    },
    act: () => ({ type: 'skip-event' }),
  }),
}
