// All servers of a cluster back at one point: searched, planned, confirmed, given up.
import * as z from 'zod'
import { ok, type Result } from '../../../../lib/base/result.js'
import { DAY, MINUTE, SECOND } from '../../../../lib/base/time.js'
import type {
  ClusterRecoveryPlan,
  ClusterRecoveryWish,
  FoundTransactions,
} from '../../../../lib/model/operation/cluster-recovery.js'
import type { Preview } from '../../../../lib/model/operation/preview.js'
import { flag, wholeNumber } from '../../kit/input.js'
import { listed } from '../../kit/plan/planned.js'
import { asked, noCluster, usual } from '../../kit/refusals.js'
import { route } from '../../kit/route.js'
import { jobLocation } from '../cluster/services.js'
import { codes, targetFields, targetOf, whole } from './recovery.js'

const C = '/api/clusters/:cluster'

const failures = {
  ...noCluster,
  ...asked,
  ...usual(...codes, 'no-primary', 'plan-needed', 'plan-changed', 'step-failed', 'deadline-passed', 'unknown-server'),
}

const changesSchema = z.looseObject({
  schema: z.string(),
  table: z.string(),
  inserted: z.number().int(),
  updated: z.number().int(),
  deleted: z.number().int(),
})

/** A transaction and its time. */
export const gtidAt = z.object({ gtid: z.string(), at: z.number() })
const storedSchema = z.object({ from: z.number().optional(), to: z.number().optional() })

const planSchema = z
  .looseObject({
    id: z.string(),
    backup: z.number().int(),
    position: z.string(),
    last: gtidAt.optional(),
    next: gtidAt.optional(),
    left: z.array(z.string()),
    undone: z.looseObject({
      transactions: z.number().int(),
      firstAt: z.number().optional(),
      lastAt: z.number().optional(),
      first: z.string().optional(),
      last: z.string().optional(),
      tables: z.array(changesSchema),
      statements: z.array(z.string()),
    }),
    stored: storedSchema,
    servers: z.array(z.looseObject({ server: z.string(), name: z.string(), by: z.enum(['restore', 'refill']) })),
    loss: z.string(),
    steps: z.array(z.string()),
    risks: z.array(z.string()),
  })
  .meta({ id: 'ClusterRecoveryPlan' })

const foundSchema = z
  .looseObject({
    transactions: z.array(
      z.looseObject({
        gtid: z.string(),
        at: z.number(),
        term: z.string(),
        file: z.string(),
        offset: z.number().int(),
        end: z.number().int(),
        thread: z.number().optional(),
        tables: z.array(changesSchema),
        statements: z.array(z.string()),
      }),
    ),
    more: z.boolean(),
    stored: storedSchema,
  })
  .meta({ id: 'FoundTransactions' })

const dropped = { schema: 'shop', table: 'orders', inserted: 2, updated: 0, deleted: 0 }

/** The answers of the examples; the fake manager of the specs gives them too. */
export const exampleRecovery: ClusterRecoveryPlan = {
  id: 'pitr/shop/1795246812/0-1-93/db1234567890+db9876543210',
  backup: 1795246812,
  position: '0-1-93',
  last: { gtid: '0-1-93', at: 1795446299000 },
  next: { gtid: '0-1-94', at: 1795446301000 },
  left: [],
  undone: {
    ...{ transactions: 3, firstAt: 1795446301000, lastAt: 1795446312000, first: '0-1-94', last: '0-1-96' },
    ...{ tables: [dropped], statements: ['DROP TABLE `orders`'] },
  },
  stored: { from: 1795246812000, to: 1795446312000 },
  servers: [
    { server: 'db1234567890', name: 'db1', by: 'restore' },
    { server: 'db9876543210', name: 'db2', by: 'refill' },
  ],
  loss: '3 transactions from 2026-11-22T15:05:01.000Z (0-1-94) to 2026-11-22T15:05:12.000Z (0-1-96) are undone: shop.orders 2 inserted. Statements: DROP TABLE `orders`.',
  steps: ['Close every server for writes, put all into maintenance, and wait until the last binary log is stored'],
  risks: ['No server takes writes until 2 servers are loaded'],
}

export const exampleFound: FoundTransactions = {
  transactions: [
    {
      ...{ gtid: '0-1-94', at: 1795446301000, term: '1795240000-10.0.0.11_3306', file: 'log-bin.000007' },
      ...{ offset: 1042, end: 1180, thread: 31, tables: [], statements: ['DROP TABLE `orders`'] },
    },
  ],
  more: false,
  stored: { from: 1795246812000, to: 1795446312000 },
}

const pointQuery = z.object({ backup: whole().optional(), ...targetFields })

const wishOf = ({ backup, ...point }: z.output<typeof pointQuery>): ClusterRecoveryWish => ({
  target: targetOf(point),
  ...(backup ? { backup } : {}),
})

const previewOf = ({ id, loss, steps, risks }: ClusterRecoveryPlan): Preview => ({
  id,
  kind: 'pitr',
  loss: { kind: 'removal', text: loss },
  possible: true,
  steps: steps.map((text) => ({ text, blocksWrites: true })),
  risks: [loss, ...risks, `To confirm it: confirm=${id}`],
})

const PLAN_MS = 40 * MINUTE

export const pointRoutes = {
  'recovery.plan': route({
    cli: 'cluster plan-pitr',
    methods: ['GET'],
    paths: [`${C}/recovery`],
    summary:
      'What a recovery of all servers to a point would do: up to `time` (Unix seconds), after a `gtid` or, with `before`, just before it, or up to `position` of a binary log `file`. What stands behind it is counted table by table; `id` is what `actions/pitr` wants as `confirm`.',
    grant: 'db-restore',
    query: pointQuery,
    reply: { status: 200, type: 'json', schema: planSchema },
    failures,
    example: { reply: exampleRecovery },
    answer: ({ cluster, query }): Promise<Result<ClusterRecoveryPlan>> =>
      cluster.ask('plan-cluster-recovery', { wish: wishOf(query) }, { deadlineMs: PLAN_MS }),
  }),

  'recovery.all': route({
    cli: 'cluster pitr',
    methods: ['GET', 'POST'],
    paths: [`${C}/actions/pitr`],
    summary:
      'All servers back at one point, as a job: every server is closed, what the primary holds is dumped to a file, a backup and stored binary logs replace it, the others are filled from it, the primary is opened. `confirm` must be the id of `C/recovery` for the same point. Cut at any moment it goes on after a restart of the manager, or when it is asked for again.',
    grant: 'db-restore',
    query: pointQuery.extend({ confirm: z.string().optional(), wait: flag().optional() }),
    reply: {
      status: 202,
      type: 'json',
      schema: z.object({ cluster: z.string(), job: z.number().int(), result: z.string() }),
      location: jobLocation,
    },
    failures,
    example: { reply: { cluster: 'shop', job: 12, result: '' } },
    ownsPlan: true,
    plan: async ({ cluster, query: { confirm: _, wait: __, ...point } }) => {
      const plan = await cluster.ask('plan-cluster-recovery', { wish: wishOf(point) }, { deadlineMs: PLAN_MS })
      if (plan.ok) return ok(previewOf(plan.value))
      return ok({ kind: 'pitr', possible: false, refusal: plan.failure.message, steps: [], risks: [] })
    },
    answer: async ({ cluster, params, query: { confirm, wait = false, ...point }, caller }) => {
      const request = { user: caller.user, wish: wishOf(point), wait, ...(confirm ? { plan: confirm } : {}) }
      const ticket = await cluster.ask('begin-cluster-recovery', request, { deadlineMs: wait ? 24 * DAY : PLAN_MS })
      if (!ticket.ok) return ticket
      return ok({ cluster: params.cluster, job: ticket.value.job.id, result: ticket.value.job.result ?? '' })
    },
  }),

  'recovery.release': route({
    cli: 'cluster release-pitr',
    methods: ['GET', 'POST'],
    paths: [`${C}/actions/pitr-release`],
    summary:
      'Give up a recovery of all servers that was interrupted or failed: they stay as they are, closed, and the usual rules hold again. To complete it instead, ask for it again.',
    grant: 'db-restore',
    reply: { status: 200, type: 'empty' },
    failures,
    example: {},
    plan: () =>
      listed('pitr-release', ok(undefined), [
        'Leave the servers as they are, closed for writes',
        'End their maintenance: the usual rules hold again',
      ]),
    answer: async ({ cluster, caller }) => {
      const released = await cluster.ask('release-cluster-recovery', { user: caller.user })
      return released.ok ? ok(undefined) : released
    },
  }),

  'recovery.search': route({
    cli: 'cluster search-logs',
    methods: ['GET'],
    paths: [`${C}/stored-transactions`],
    summary:
      'Transactions in the stored binary logs, oldest first: of a `schema` or `table`, between `from` and `to` (Unix seconds, inclusive), or one `gtid`; at most `limit` (100). Rows are counted for each table, statements are cut after 200 characters.',
    grant: 'db-restore',
    query: z.object({
      schema: z.string().min(1).optional(),
      table: z.string().min(1).optional(),
      from: whole().optional(),
      to: whole().optional(),
      gtid: z.string().min(1).optional(),
      limit: wholeNumber({ min: 1, max: 10_000 }).optional(),
    }),
    reply: { status: 200, type: 'json', schema: foundSchema },
    failures,
    example: { reply: exampleFound },
    answer: ({
      cluster,
      query: { limit = 100, schema, table, from, to, gtid },
    }): Promise<Result<FoundTransactions>> => {
      const wanted = {
        ...(schema === undefined ? {} : { schema }),
        ...(table === undefined ? {} : { table }),
        ...(from === undefined ? {} : { from: from * SECOND }),
        ...(to === undefined ? {} : { to: to * SECOND + SECOND - 1 }),
        ...(gtid === undefined ? {} : { gtid }),
      }
      return cluster.ask('search-logs', { wanted, most: limit }, { deadlineMs: PLAN_MS })
    },
  }),
}
