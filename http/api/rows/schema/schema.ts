// Scans of the schema: the definitions of all tables, their changes, and differences between the servers.
import * as z from 'zod'
import { ok } from '../../../../lib/base/result.js'
import { DAY } from '../../../../lib/base/time.js'
import type { SchemaReport } from '../../../../lib/model/checksum/schema.js'
import { flag } from '../../kit/input.js'
import { listed } from '../../kit/plan/planned.js'
import { asked, noCluster, notStated, usual } from '../../kit/refusals.js'
import { route } from '../../kit/route.js'
import { jobLocation } from '../cluster/services.js'

const change = z.object({
  ...{ schema: z.string(), table: z.string(), kind: z.enum(['created', 'dropped', 'altered']) },
  lines: z.array(z.string()),
})

const reportSchema = z
  .looseObject({
    ...{ at: z.number().optional(), primary: z.string().optional(), tables: z.number().int() },
    unread: z.array(z.string()),
    changes: z.array(change.extend({ at: z.number() })),
    differences: z.array(change.extend({ server: z.string(), name: z.string() })),
  })
  .meta({ id: 'SchemaChanges' })

/** The example; the fake manager of the specs answers it too. */
export const exampleSchema: SchemaReport = {
  ...{ at: 1_795_446_299_000, primary: 'db1', tables: 120, unread: [] },
  changes: [
    {
      ...{ at: 1_795_446_299_000, schema: 'shop', table: 'orders', kind: 'altered' },
      lines: ['-shop.orders column n=int(11) NULL', '+shop.orders column n=bigint(20) NULL'],
    },
  ],
  differences: [
    {
      ...{ server: 'db2', name: 'db2:3306', schema: 'shop', table: 'carts', kind: 'altered' },
      lines: ['-shop.carts index note=BTREE (note)'],
    },
  ],
}

export const schemaRoutes = {
  'schema.scan': route({
    methods: ['GET', 'POST'],
    paths: ['/api/clusters/:cluster/actions/scan-schema'],
    summary:
      'Read the definitions of all tables of the master and the slaves, as a job: table by table with rests, without opening one for its rows or waiting for one that is being changed. `wait=true` answers when it has ended.',
    grant: ['cluster-checksum', 'cluster-sharding'],
    query: z.object({ wait: flag().optional() }),
    slow: true,
    reply: { status: 200, type: 'empty', location: jobLocation },
    failures: {
      ...noCluster,
      ...asked,
      ...usual(
        'operation-running',
        'no-primary',
        'unknown-server',
        'job-cancelled',
        'job-interrupted',
        'file-unwritable',
      ),
      ...usual('wrong-state'),
      ...notStated,
    },
    example: {},
    plan: () =>
      listed('schema-scan', ok(undefined), ['Read the definitions of all tables of the master and the slaves']),
    answer: async ({ cluster, params, query, caller }) => {
      const request = { user: caller.user, wait: query.wait ?? false }
      const ticket = await cluster.ask('begin-schema-scan', request, { deadlineMs: DAY })
      return ticket.ok ? ok({ cluster: params.cluster, job: ticket.value.job.id }) : ticket
    },
  }),
  'schema.changes': route({
    cli: 'schema changes',
    methods: ['GET'],
    paths: ['/api/clusters/:cluster/schema-changes'],
    summary:
      'What scans of the schema found: tables of the master that are new, gone or altered since the scan before (the latest 500), and tables of the slaves that are not as those of the master; lines as in a diff. `unread`: what could not be read, and why.',
    grant: ['db-show-schema', 'cluster-sharding'],
    reply: { status: 200, type: 'json', schema: reportSchema },
    failures: { ...noCluster, ...asked },
    example: { reply: exampleSchema },
    answer: ({ cluster }) => cluster.ask('read-schema', {}),
  }),
}
