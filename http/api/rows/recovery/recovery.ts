// Recoveries: backups proven, tables as they were, a server as it was at a point in time.
import * as z from 'zod'
import type { FailureCode } from '../../../../lib/base/failures.js'
import { ok, type Result } from '../../../../lib/base/result.js'
import { DAY, SECOND } from '../../../../lib/base/time.js'
import type { RecoveryTarget, RecoveryWish } from '../../../../lib/model/operation/recovery.js'
import { flag, wholeNumber } from '../../kit/input.js'
import { planWork } from '../../kit/plan/planned.js'
import { asked, noCluster, serverNotFound, statementCodes, usual } from '../../kit/refusals.js'
import { type Context, route } from '../../kit/route.js'
import { jobLocation } from '../cluster/services.js'

export const codes = [
  ...['no-recovery', 'restore-failed', 'wrong-state', 'operation-running', 'observing', 'job-cancelled'],
  ...[
    'other-manager',
    'job-interrupted',
    'transfer-failed',
    'transfer-stalled',
    'checksum-differs',
    'place-failed',
    'no-key',
  ],
  ...['script-failed', 'file-unreadable', 'file-unwritable', 'orchestrator-failed'],
  ...statementCodes,
] as readonly FailureCode[]

const failures = { ...asked, ...usual(...codes) }

/** Ids of backups, seconds since the epoch, offsets. */
export const whole = () => wholeNumber({ min: 0, max: 9_007_199_254_740_991 })

/** Where it stops; the whole of what is stored when none is given. */
export const targetFields = {
  time: whole().optional(),
  gtid: z.string().optional(),
  before: flag().optional(),
  file: z.string().optional(),
  position: whole().optional(),
}

const query = z.object({ backup: whole().optional(), wait: flag().optional() })

type Asking = Pick<Context<{ readonly cluster: string }, unknown, unknown>, 'cluster' | 'params' | 'caller'>

async function begin(
  { cluster, params, caller }: Asking,
  wish: RecoveryWish,
  wait = false,
): Promise<Result<{ readonly cluster: string; readonly job: number; readonly result: string }>> {
  const ticket = await cluster.ask('begin-recovery', { user: caller.user, wish, wait }, { deadlineMs: 24 * DAY })
  if (!ticket.ok) return ticket
  return ok({ cluster: params.cluster, job: ticket.value.job.id, result: ticket.value.job.result ?? '' })
}

interface Point {
  readonly time?: number | undefined
  readonly gtid?: string | undefined
  readonly before?: boolean | undefined
  readonly file?: string | undefined
  readonly position?: number | undefined
}

export function targetOf({ time, gtid, before = false, file, position }: Point): RecoveryTarget {
  if (gtid !== undefined && gtid !== '') return { type: 'gtid', gtid, inclusive: !before }
  if (file !== undefined && position !== undefined) return { type: 'position', file, offset: position }
  return time === undefined || time === 0 ? { type: 'end' } : { type: 'time', at: time * SECOND }
}

const chosen = (backup: number | undefined) => (backup ? { backup } : {})

const proofWish = ({ backup }: z.output<typeof query>): RecoveryWish => ({
  purpose: { type: 'prove' },
  ...chosen(backup),
})

const tablesQuery = query.extend({ tables: z.string().optional(), ...targetFields })

function tablesWish(schema: string, { backup, tables = '', ...point }: z.output<typeof tablesQuery>): RecoveryWish {
  const named = tables.split(',').map((name) => name.trim())
  return {
    purpose: { type: 'dump', schema, tables: named.filter((name) => name !== '') },
    target: targetOf(point),
    ...chosen(backup),
  }
}

const pitrBody = z.object({
  isInPITR: flag().optional(),
  useBinlog: flag().optional(),
  backup: whole().optional(),
  restoreTime: whole().optional(),
  ...targetFields,
})

function serverWish(
  server: string,
  { useBinlog = false, backup, restoreTime, ...point }: z.output<typeof pitrBody>,
): RecoveryWish {
  const target = targetOf({ ...point, time: point.time ?? restoreTime })
  return { purpose: { type: 'load', server }, ...chosen(backup), ...(useBinlog ? { target } : {}) }
}

const startedSchema = z
  .object({ cluster: z.string(), job: z.number().int(), result: z.string() })
  .meta({ id: 'RecoveryJob' })
const started = { status: 202, type: 'json', schema: startedSchema, location: jobLocation } as const
const example = { reply: { cluster: 'shop', job: 12, result: '' } }

const pitrFailures = Object.fromEntries(codes.map((code) => [code, [500, 'PITR error']])) as Readonly<
  Partial<Record<FailureCode, [number, string]>>
>

export const recoveryRoutes = {
  'recovery.prove': route({
    cli: 'cluster prove-backup',
    methods: ['GET', 'POST'],
    paths: ['/api/clusters/:cluster/actions/prove-backup'],
    summary:
      'Restore a backup (the newest valid one unless `backup` names another) into a scratch server, replay stored binary logs, check its tables and compare a sample of them with a server; the result is kept with the backup.',
    grant: 'db-backup',
    query,
    reply: started,
    failures: { ...noCluster, ...failures },
    example,
    plan: ({ cluster, query }) => planWork(cluster, { type: 'recovery', wish: proofWish(query) }),
    answer: (context) => begin(context, proofWish(context.query), context.query.wait),
  }),
  'recovery.tables': route({
    cli: 'cluster recover-tables',
    methods: ['GET', 'POST'],
    paths: ['/api/clusters/:cluster/actions/recover-tables/:schema'],
    summary:
      'Tables of one schema as they were, as a dump file to load: up to `time` (Unix seconds), after a `gtid` or, with `before`, just before it, or up to `position` of a binary log `file`; without any, the end of what is stored. Nothing in the cluster changes.',
    grant: 'db-restore',
    query: tablesQuery,
    reply: started,
    failures: { ...noCluster, ...failures },
    example,
    plan: ({ cluster, params, query }) =>
      planWork(cluster, { type: 'recovery', wish: tablesWish(params.schema, query) }),
    answer: (context) => begin(context, tablesWish(context.params.schema, context.query), context.query.wait),
  }),
  'server.pitr': route({
    cli: 'server pitr',
    methods: ['GET', 'POST'],
    paths: ['/api/clusters/:cluster/servers/:server/actions/pitr'],
    summary:
      'Point-in-time recovery of a replica: what it holds is dumped to a file, then replaced by a backup (`backup`: its id; 0: the newest one before the point) and, with `useBinlog`, the stored binary logs up to `restoreTime` (Unix seconds), a `gtid` (`before`: just before it) or a `position` of a log `file`. It stays detached and in maintenance. `isInPITR`: accepted for compatibility.',
    grant: 'db-restore',
    query: z.object({ wait: flag().optional() }),
    body: pitrBody,
    reply: {
      status: 200,
      type: 'json',
      schema: z.object({ data: z.string(), success: z.boolean() }).meta({ id: 'ServerAPIResponse' }),
    },
    failures: { ...serverNotFound, ...asked, ...pitrFailures, 'bad-request': [500, 'Decode error'] },
    example: {
      request: { useBinlog: true, backup: 1795246812, restoreTime: 1795446299 },
      reply: { data: '{\n  "job": 12\n}', success: true },
    },
    plan: ({ cluster, server, body }) => planWork(cluster, { type: 'recovery', wish: serverWish(server.id, body) }),
    answer: async (context) => {
      const { query, body, server } = context
      const begun = await begin(context, serverWish(server.id, body), query.wait)
      if (!begun.ok) return begun
      const { useBinlog = false, backup = 0, restoreTime = 0 } = body
      const { job, result } = begun.value
      const accepted = { isInPITR: true, useBinlog, backup, restoreTime, job, result }
      return ok({ data: JSON.stringify(accepted, undefined, 2), success: true })
    },
  }),
}
