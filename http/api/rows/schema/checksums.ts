// Checksums: the tables of the master compared with those of the slaves, part by part and row by row.
import * as z from 'zod'
import { ok } from '../../../../lib/base/result.js'
import { DAY, MINUTE } from '../../../../lib/base/time.js'
import {
  type RepairPlan,
  rowDifferences,
  serverVerdicts,
  type TableChecksum,
} from '../../../../lib/model/checksum/checksum.js'
import type { Preview } from '../../../../lib/model/operation/preview.js'
import { flag } from '../../kit/input.js'
import { listed } from '../../kit/plan/planned.js'
import { asked, noCluster, notStated, serverNotFound, usual } from '../../kit/refusals.js'
import { route } from '../../kit/route.js'
import { renderChecksums, renderTableChecksum, syncWords } from '../../views/cluster/checksums.js'
import { jobLocation } from '../cluster/services.js'

const count = z.number().int()

const listedSchema = z
  .looseObject({
    ...{ table_schema: z.string(), table_name: z.string() },
    /** Waits, is compared, equal, different, not compared. */
    table_sync: z.enum(syncWords),
    ...{ table_crc: count, job: count, primary: z.string(), chunks: count, rows: count, start: count },
    ...{ end: count.optional(), reason: z.string().optional() },
    servers: z.array(
      z.object({
        ...{ server: z.string(), name: z.string(), verdict: z.enum(serverVerdicts), chunks: count, open: count },
        reason: z.string().optional(),
      }),
    ),
  })
  .meta({ id: 'Checksum' })

const tableSchema = listedSchema
  .extend({
    differences: z.array(
      z.object({
        ...{ server: z.string(), chunk: count, predicate: z.string(), rowsOnPrimary: count, rowsOnReplica: count },
        rowCount: count.optional(),
        rows: z.array(z.object({ kind: z.enum(rowDifferences), key: z.record(z.string(), z.string().nullable()) })),
      }),
    ),
  })
  .meta({ id: 'TableChecksum' })

/** The example; the fake manager of the specs answers it too. */
export const exampleChecksum: TableChecksum = {
  ...{ schema: 'shop', table: 'orders', state: 'different', job: 7, primary: 'db1', chunks: 3, rows: 2_400 },
  ...{ startedAt: 1_795_446_299_000, endedAt: 1_795_446_301_000, crc: 305_419_896 },
  key: [{ name: 'id', kind: 'number', nullable: false }],
  servers: [{ server: 'db2', name: 'db2:3306', verdict: 'different', chunks: 1, open: 0 }],
  differences: [
    {
      ...{ server: 'db2', chunk: 2, predicate: '(`id` > 1000 AND `id` <= 2000)', rowsOnPrimary: 1_000 },
      ...{ rowsOnReplica: 999, rowCount: 1, rows: [{ kind: 'missing', key: ['1207'] }] },
    },
  ],
}

const failures = {
  ...noCluster,
  ...asked,
  ...usual('operation-running', 'no-primary', 'unknown-server', 'unknown-table', 'job-cancelled', 'job-interrupted'),
  ...notStated,
}

const wait = z.object({ wait: flag().optional() })
const table = z.object({ cluster: z.string(), schema: z.string(), table: z.string() })

const repaired = z.object({ cluster: z.string(), server: z.string(), schema: z.string(), table: z.string() })

/** The example; the fake manager of the specs answers it too. */
export const exampleRepair: RepairPlan = {
  ...{ id: 'repair/shop.orders/db2/7/1', schema: 'shop', table: 'orders', server: 'db2', name: 'db2:3306', rows: 1 },
  ...{ possible: true, effect: '1 rows of shop.orders on db2:3306 become those of db1:3306.' },
  steps: ['compare shop.orders again'],
}

const repairFailures = {
  ...serverNotFound,
  ...failures,
  ...usual('wrong-state', 'step-failed', 'plan-needed', 'plan-changed', 'deadline-passed', 'unsupported'),
}

const previewOf = ({ id, possible, refusal, steps, effect }: RepairPlan): Preview => ({
  ...{ id, kind: 'repair-table', possible, loss: { kind: 'removal', text: effect } },
  ...(refusal === undefined ? {} : { refusal }),
  steps: steps.map((text) => ({ text, blocksWrites: false })),
  risks: [effect],
})

export const checksumRoutes = {
  'checksum.all': route({
    methods: ['GET', 'POST'],
    paths: ['/api/clusters/:cluster/actions/checksum-all-tables'],
    summary:
      'Compare all tables of the master with those of every slave, as a job: part by part by their keys, without a lock and without a write. It rests while a slave is late or the master is busy, and goes on after a restart of the manager or a failover. `wait=true` answers when it has ended.',
    grant: 'cluster-checksum',
    query: wait,
    slow: true,
    reply: { status: 200, type: 'empty', location: jobLocation },
    failures,
    example: {},
    plan: () =>
      listed('checksum', ok(undefined), [
        'Compare every table of the master with those of the slaves, part by part; nothing is locked or written',
      ]),
    answer: async ({ cluster, params, query, caller }) => {
      const request = { user: caller.user, wait: query.wait ?? false }
      const ticket = await cluster.ask('begin-checksum', request, { deadlineMs: 2 * DAY })
      return ticket.ok ? ok({ cluster: params.cluster, job: ticket.value.job.id }) : ticket
    },
  }),
  'checksum.table': route({
    methods: ['GET', 'POST'],
    paths: ['/api/clusters/:cluster/schema/:schema/:table/actions/checksum-table'],
    summary: 'Compare one table of the master with that of every slave, likewise.',
    grant: 'cluster-checksum',
    params: table,
    query: wait,
    slow: true,
    reply: { status: 200, type: 'empty', location: jobLocation },
    failures,
    example: {},
    plan: ({ params }) =>
      listed('checksum', ok(undefined), [
        `Compare the table ${params.schema}.${params.table} of the master with those of the slaves; nothing is locked or written`,
      ]),
    answer: async ({ cluster, params, query, caller }) => {
      const name = { schema: params.schema, table: params.table }
      const request = { user: caller.user, table: name, wait: query.wait ?? false }
      const ticket = await cluster.ask('begin-checksum', request, { deadlineMs: 2 * DAY })
      return ticket.ok ? ok({ cluster: params.cluster, job: ticket.value.job.id }) : ticket
    },
  }),
  'checksum.list': route({
    cli: 'checksum list',
    methods: ['GET'],
    paths: ['/api/clusters/:cluster/checksums'],
    summary:
      'Every table that was compared: WA waits, PR is compared, OK equal on every slave, ER different on one, NA not compared, with the reason; of each slave what was found.',
    grant: ['cluster-checksum', 'db-show-schema'],
    reply: {
      status: 200,
      type: 'json',
      schema: z.array(listedSchema),
      list: { fields: ['table_schema', 'table_name', 'table_sync'] },
    },
    failures: { ...noCluster, ...asked },
    example: { reply: renderChecksums({ tables: [exampleChecksum], waiting: [] }) },
    answer: async ({ cluster }) => {
      const list = await cluster.ask('read-checksums', {})
      return list.ok ? ok(renderChecksums(list.value)) : list
    },
  }),
  'checksum.show': route({
    cli: 'checksum show',
    methods: ['GET'],
    paths: ['/api/clusters/:cluster/schema/:schema/:table/checksum'],
    summary:
      'One table with the parts that differ: the predicate of each, and the rows by their keys (changed, missing on the slave, extra on it), at most 1,000 of a part and 100 parts. Two readings found each difference, while the row did not change on the master.',
    grant: ['cluster-checksum', 'db-show-schema'],
    params: table,
    reply: { status: 200, type: 'json', schema: tableSchema },
    failures: { ...noCluster, ...asked, ...usual('unknown-table') },
    example: { reply: renderTableChecksum(exampleChecksum) },
    answer: async ({ cluster, params }) => {
      const found = await cluster.ask('read-checksum', { schema: params.schema, table: params.table })
      return found.ok ? ok(renderTableChecksum(found.value)) : found
    },
  }),
  'checksum.repair-plan': route({
    methods: ['GET'],
    paths: ['/api/clusters/:cluster/servers/:server/schema/:schema/:table/repair-plan'],
    summary:
      'What giving a slave the rows of the master would do, by what the latest checksum of the table listed, or why it is not possible. Nothing is changed.',
    grant: 'cluster-checksum-repair',
    params: repaired,
    reply: {
      status: 200,
      type: 'json',
      schema: z
        .looseObject({
          ...{ id: z.string(), schema: z.string(), table: z.string(), server: z.string(), name: z.string() },
          ...{ rows: count, possible: z.boolean(), refusal: z.string().optional(), effect: z.string() },
          steps: z.array(z.string()),
        })
        .meta({ id: 'TableRepairPlan' }),
    },
    failures: repairFailures,
    example: { reply: exampleRepair },
    answer: ({ cluster, server, params: { schema, table } }) =>
      cluster.ask('plan-table-repair', { schema, table, server: server.id }, { deadlineMs: MINUTE }),
  }),
  'checksum.repair': route({
    methods: ['GET', 'POST'],
    paths: ['/api/clusters/:cluster/servers/:server/schema/:schema/:table/actions/repair-table'],
    summary:
      'Give a slave the rows of the master where the latest checksum listed others, as a job; then the table is compared again. `confirm` must be the id of its plan. Only the slave is written to, without its binary log. `wait=true` answers when it has ended.',
    grant: 'cluster-checksum-repair',
    params: repaired,
    query: z.object({ confirm: z.string().optional(), wait: flag().optional() }),
    slow: true,
    reply: { status: 200, type: 'empty', location: jobLocation },
    failures: repairFailures,
    example: {},
    ownsPlan: true,
    plan: async ({ cluster, server, params: { schema, table } }) => {
      const request = { schema, table, server: server.id }
      const plan = await cluster.ask('plan-table-repair', request, { deadlineMs: MINUTE })
      return plan.ok ? ok(previewOf(plan.value)) : plan
    },
    answer: async ({ cluster, server, params, query: { confirm, wait = false }, caller }) => {
      const request = {
        ...{ user: caller.user, server: server.id, schema: params.schema, table: params.table, wait },
        ...(confirm === undefined ? {} : { plan: confirm }),
      }
      const ticket = await cluster.ask('begin-table-repair', request, { deadlineMs: wait ? DAY : MINUTE })
      return ticket.ok ? ok({ cluster: params.cluster, job: ticket.value.job.id }) : ticket
    },
  }),
}
