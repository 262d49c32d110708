// What only one server has: shown row by row, as statements, and settled by a confirmed plan.
import * as z from 'zod'
import { ok } from '../../../../lib/base/result.js'
import { DAY, MINUTE } from '../../../../lib/base/time.js'
import {
  type DivergedTransaction,
  type Divergence,
  type DivergenceAction,
  type DivergencePlan,
  divergenceActions,
} from '../../../../lib/model/operation/divergence.js'
import type { Preview } from '../../../../lib/model/operation/preview.js'
import { flag, wholeNumber } from '../../kit/input.js'
import { asked, serverNotFound, usual } from '../../kit/refusals.js'
import { route } from '../../kit/route.js'
import { jobFailures, jobLocation } from '../cluster/services.js'

const base = '/api/clusters/:cluster/servers/:server'
const READ_MS = 10 * MINUTE

const kinds = ['errant', 'lost', 'saved', 'none'] as const
const image = z.record(z.string(), z.string().nullable())

const rowSchema = z.looseObject({
  kind: z.enum(['insert', 'update', 'delete']),
  table: z.string(),
  key: image,
  before: image.optional(),
  after: image.optional(),
})

const transactionSchema = z.looseObject({
  gtid: z.string(),
  at: z.number(),
  file: z.string(),
  offset: z.number(),
  serverId: z.number(),
  thread: z.number().optional(),
  statements: z.array(z.string()),
  rows: z.array(rowSchema),
  rowCount: z.number().int(),
  truncated: z.boolean(),
  apply: z.array(z.string()).optional(),
  undo: z.array(z.string()).optional(),
  unfit: z.string().optional(),
})

const divergenceSchema = z
  .looseObject({
    server: z.string(),
    name: z.string(),
    kind: z.enum(kinds),
    extra: z.string(),
    saved: z.string().optional(),
    missing: z.string(),
    tables: z.array(z.object({ table: z.string(), inserted: z.number(), updated: z.number(), deleted: z.number() })),
    transactions: z.array(transactionSchema),
  })
  .meta({ id: 'Divergence' })

const planSchema = z
  .looseObject({
    id: z.string(),
    action: z.enum(divergenceActions),
    server: z.string(),
    name: z.string(),
    kind: z.enum(kinds),
    extra: z.string(),
    possible: z.boolean(),
    refusal: z.string().optional(),
    conflicts: z.array(z.string()),
    steps: z.array(z.string()),
    effect: z.string(),
  })
  .meta({ id: 'DivergencePlan' })

/** The examples; the fake manager of the specs answers them too. */
export const exampleDivergence: Divergence = {
  ...{ server: 'db1234567890', name: 'db2:3306', kind: 'errant', extra: '0-2:101', missing: '' },
  tables: [{ table: 'shop.orders', inserted: 1, updated: 0, deleted: 0 }],
  transactions: [
    {
      ...{ gtid: '0-2-101', at: 1795446299000, file: 'binlog.000007', offset: 1289, serverId: 2, thread: 15 },
      statements: ['INSERT INTO orders VALUES (7, 12.50)'],
      rows: [{ kind: 'insert', table: 'shop.orders', key: { id: '7' }, after: { id: '7', price: '12.50' } }],
      ...{ rowCount: 1, truncated: false },
      apply: ['INSERT INTO `shop`.`orders` (`id`, `price`) VALUES (7, 12.50)'],
      undo: ['DELETE FROM `shop`.`orders` WHERE `id` <=> 7 AND `price` <=> 12.50 LIMIT 1'],
    },
  ],
}

export const exampleDivergencePlan: DivergencePlan = {
  id: 'divergence/db1234567890/apply/0-2:101',
  ...{ action: 'apply', server: 'db1234567890', name: 'db2:3306', kind: 'errant', extra: '0-2:101' },
  ...{ possible: true, conflicts: [] },
  steps: ['check every row on db1:3306: one that is another by now is a conflict'],
  effect: 'db1:3306 and all its replicas get the rows of 1 transaction of db2:3306.',
}

const failures = {
  ...serverNotFound,
  ...jobFailures,
  ...asked,
  ...usual('no-primary', 'is-primary', 'wrong-state', 'step-failed', 'bad-request', 'plan-needed', 'plan-changed'),
}

/** A file for the client of the database; what cannot be written as statements is a comment. */
function renderSql({ transactions, name, missing }: Divergence, direction: 'apply' | 'undo'): string {
  const ordered = direction === 'apply' ? transactions : transactions.toReversed()
  const head = [
    `-- ${direction === 'apply' ? 'Executes' : 'Undoes'} what only ${name} has. A row that is another one by now is left alone; an insert of one that exists fails.`,
    ...(missing === '' ? [] : [`-- Missing, no binary log has it: ${missing}`]),
    "SET NAMES utf8mb4; SET SESSION time_zone = '+00:00';",
  ]
  return [...head, ...ordered.flatMap((each) => sqlOf(each, direction))].map((line) => `${line}\n`).join('')
}

function sqlOf(transaction: DivergedTransaction, direction: 'apply' | 'undo'): readonly string[] {
  const { gtid, at, serverId, thread, unfit } = transaction
  const by = thread === undefined ? '' : `, connection ${thread}`
  const title = `-- ${gtid} at ${new Date(at).toISOString()}, server_id ${serverId}${by}`
  const statements = transaction[direction]
  if (!statements) return [title, `-- not possible: ${unfit ?? ''}`.replaceAll('\n', ' ')]
  return [title, 'START TRANSACTION;', ...statements.map((sql) => `${sql};`), 'COMMIT;']
}

const previewOf = ({ id, action, possible, refusal, steps, effect, conflicts }: DivergencePlan): Preview => ({
  id,
  loss: action === 'undo' ? { kind: 'removal', text: effect } : { kind: 'none', text: effect },
  ...{ kind: 'divergence', possible: possible && conflicts.length === 0 },
  ...(refusal === undefined ? {} : { refusal }),
  ...(conflicts.length === 0 ? {} : { refusal: `${conflicts.length} rows conflict: ${conflicts[0]}` }),
  steps: steps.map((text) => ({ text, blocksWrites: false })),
  risks: [effect],
})

const rows = z.object({ rows: wholeNumber({ min: 0, max: 100_000 }).optional() })
const actionOf = z.object({ cluster: z.string(), server: z.string(), action: z.enum(divergenceActions) })

export const divergenceRoutes = {
  'server.divergence': route({
    methods: ['GET'],
    paths: [`${base}/divergence`],
    summary:
      'What only this server has, by transaction, table and key, with the rows before and after, time, server_id, connection and statement where the binary log has them, and the statements that apply or undo it. Errant transactions of a slave, lost ones of an old master, or those saved when it came back. `rows`: how many are listed, 500 by default.',
    grant: 'db-restore',
    query: rows,
    reply: { status: 200, type: 'json', schema: divergenceSchema },
    failures,
    example: { reply: exampleDivergence },
    answer: ({ cluster, server, query }) =>
      cluster.ask(
        'read-divergence',
        { server: server.id, ...(query.rows === undefined ? {} : { rows: query.rows }) },
        { deadlineMs: READ_MS },
      ),
  }),

  'server.divergence-sql': route({
    methods: ['GET'],
    paths: [`${base}/divergence/sql/:direction`],
    summary:
      'The same as SQL for the client of the database: `apply` executes what only this server has, `undo` takes it back, newest first. Every statement names the whole row as it was, so one that is another by now is left alone.',
    grant: 'db-restore',
    params: z.object({ cluster: z.string(), server: z.string(), direction: z.enum(['apply', 'undo']) }),
    reply: { status: 200, type: 'text' },
    failures,
    example: { reply: renderSql(exampleDivergence, 'apply') },
    answer: async ({ cluster, server, params }) => {
      const request = { server: server.id, rows: 100_000 }
      const read = await cluster.ask('read-divergence', request, { deadlineMs: READ_MS })
      return read.ok ? ok(renderSql(read.value, params.direction as 'apply' | 'undo')) : read
    },
  }),

  'server.divergence-plan': route({
    methods: ['GET'],
    paths: [`${base}/divergence/plan/:action`],
    summary:
      'What settling it would do, with the rows that are in its way: every row is tried in a transaction that is rolled back. `apply`: the master executes the transactions. `undo`: their rows are taken back on this server, and their GTIDs made known. `neutralise`: the GTIDs only.',
    grant: 'db-restore',
    params: actionOf,
    reply: { status: 200, type: 'json', schema: planSchema },
    failures,
    example: { reply: exampleDivergencePlan },
    answer: ({ cluster, server, params }) =>
      cluster.ask(
        'plan-divergence',
        { server: server.id, action: params.action as DivergenceAction },
        { deadlineMs: READ_MS },
      ),
  }),

  'server.settle-divergence': route({
    methods: ['GET', 'POST'],
    paths: [`${base}/actions/settle-divergence/:action`],
    summary:
      'Settle what only this server has, as a job: `apply`, `undo` or `neutralise`. `confirm` must be the id of `S/divergence/plan/{action}`. `wait=true` answers when it has ended.',
    grant: 'db-restore',
    params: actionOf,
    query: z.object({ confirm: z.string().optional(), wait: flag().optional() }),
    reply: { status: 200, type: 'empty', location: jobLocation },
    failures,
    example: {},
    ownsPlan: true,
    plan: async ({ cluster, server, params }) => {
      const request = { server: server.id, action: params.action as DivergenceAction }
      const plan = await cluster.ask('plan-divergence', request, { deadlineMs: READ_MS })
      return plan.ok ? ok(previewOf(plan.value)) : plan
    },
    answer: async ({ cluster, server, params, query: { confirm, wait = false }, caller }) => {
      const request = {
        ...{ user: caller.user, server: server.id, action: params.action as DivergenceAction, wait },
        ...(confirm === undefined ? {} : { plan: confirm }),
      }
      const ticket = await cluster.ask('settle-divergence', request, { deadlineMs: wait ? DAY : READ_MS })
      return ticket.ok ? ok({ cluster: params.cluster, job: ticket.value.job.id }) : ticket
    },
  }),
}
