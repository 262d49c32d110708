// A new server with the data of an earlier point: planned, confirmed, listed, attached, removed.
import * as z from 'zod'
import { fail, ok, type Result } from '../../../../lib/base/result.js'
import type { Preview } from '../../../../lib/model/operation/preview.js'
import type { NewServer, NewServerPlan, NewServerWish } from '../../../../lib/model/operation/recovery.js'
import { addressText, type ServerId } from '../../../../lib/model/server/server.js'
import { splitAddress } from '../../../../lib/settings/kit/address.js'
import { addressWithPort } from '../../kit/address.js'
import { flag } from '../../kit/input.js'
import { listed } from '../../kit/plan/planned.js'
import { asked, noCluster, serverNotFound, usual } from '../../kit/refusals.js'
import { type Context, route } from '../../kit/route.js'
import { jobLocation } from '../cluster/services.js'
import { gtidAt } from './point.js'
import { codes, targetFields, targetOf, whole } from './recovery.js'

const C = '/api/clusters/:cluster'
const S = `${C}/servers/:server` as const

const failures = {
  ...asked,
  ...usual(...codes, 'plan-needed', 'plan-changed', 'deadline-passed', 'no-room', 'bad-request'),
  ...usual('server-exists', 'unsupported', 'data-exists', 'archive-missing', 'step-failed', 'is-primary'),
  ...usual('ssh-unreachable', 'ssh-rejected', 'ssh-host-key'),
}

const planSchema = z
  .looseObject({
    id: z.string(),
    server: z.string(),
    host: z.string(),
    port: z.number().int(),
    backup: z.number().int(),
    position: z.string(),
    last: gtidAt.optional(),
    next: gtidAt.optional(),
    bytes: z.number(),
    steps: z.array(z.string()),
    risks: z.array(z.string()),
  })
  .meta({ id: 'NewServerPlan' })

const recoveredSchema = z
  .looseObject({
    server: z.string(),
    host: z.string(),
    port: z.number().int(),
    user: z.string(),
    since: z.number(),
    backup: z.number().int(),
    stage: z.enum(['adding', 'making', 'ready', 'removing']),
    position: z.string().optional(),
    replayedTo: z.number().optional(),
    readyAt: z.number().optional(),
    failure: z.string().optional(),
  })
  .meta({ id: 'RecoveredServer' })

/** The answers of the examples; the fake manager of the specs gives them too. */
export const exampleNewServerPlan: NewServerPlan = {
  id: 'new-server/shop/10.0.0.19:3306/1795246812/0-1-93',
  ...{ server: 'db5678901234', host: '10.0.0.19', port: 3306, backup: 1795246812, position: '0-1-93' },
  last: { gtid: '0-1-93', at: 1795446299000 },
  next: { gtid: '0-1-94', at: 1795446301000 },
  bytes: 1_200_000_000,
  steps: ['Add 10.0.0.19:3306 to the servers of shop, apart: no decision concerns it, and it follows no source'],
  risks: ['Accounts of applications are no part of it: it has those of the manager'],
}

export const exampleNewServer: NewServer = {
  ...{ server: 'db5678901234', host: '10.0.0.19', port: 3306, user: 'ann', since: 1795446400000, backup: 1795246812 },
  ...{ stage: 'ready', begun: 1, created: true, filling: true },
  report: { at: 1795446500000, position: '0-1-93', replayedTo: 1795446299000, restoreMs: 4200 },
}

const query = z.object({
  address: addressWithPort().optional(),
  useBinlog: flag().optional(),
  backup: whole().optional(),
  ...targetFields,
})

/** Without a point: everything that is stored. */
function wishOf({ address, useBinlog = true, backup, ...point }: z.output<typeof query>): Result<NewServerWish> {
  const place = address === undefined || address === '' ? undefined : splitAddress(address)
  if (address && !place) return fail('bad-request', `address: ${address} is no host:port`)
  return ok({
    ...(place ? { address: place } : {}),
    ...(backup ? { backup } : {}),
    ...(useBinlog ? { target: targetOf(point) } : {}),
  })
}

type Asking = Pick<Context<{ readonly cluster: string }, z.output<typeof query>, unknown>, 'manager' | 'params'>

async function planOf({ manager, params }: Asking, point: z.output<typeof query>): Promise<Result<NewServerPlan>> {
  const wish = wishOf(point)
  return wish.ok ? manager.newServers.plan(params.cluster, wish.value) : wish
}

const previewOf = ({ id, steps, risks }: NewServerPlan): Preview => ({
  ...{ id, kind: 'new-server', possible: true },
  steps: steps.map((text) => ({ text, blocksWrites: false })),
  risks: [...risks, `To confirm it: confirm=${id}`],
})

const view = ({ server, host, port, user, since, backup, stage, report, failure }: NewServer) => ({
  ...{ server, host, port, user, since, backup, stage },
  ...(report ? { position: report.position, readyAt: report.at } : {}),
  ...(report?.replayedTo === undefined ? {} : { replayedTo: report.replayedTo }),
  ...(failure === undefined ? {} : { failure }),
})

/** What the plans of removal and attachment are about. */
async function knownOf(
  { manager, params }: Pick<Asking, 'manager' | 'params'>,
  server: ServerId,
): Promise<Result<NewServer>> {
  const all = await manager.newServers.list(params.cluster)
  if (!all.ok) return all
  const known = all.value.find((each) => each.server === server)
  return known ? ok(known) : fail('wrong-state', 'it is no server of a recovery: unprovision and drop it instead')
}

export const newServerRoutes = {
  'recovery.plan-new-server': route({
    cli: 'cluster plan-new-server',
    methods: ['GET'],
    paths: [`${C}/recovery/new-server`],
    summary:
      'What a recovery onto a new server would do: where it would be (`address`, or a free port beside the servers where the manager runs them on its own machine: 400 without one elsewhere), from which backup, up to `time` (Unix seconds), after a `gtid` or, with `before`, just before it, up to `position` of a binary log `file`, or to the end of what is stored; `useBinlog=false`: the backup alone. `id` is what `actions/pitr-new-server` wants as `confirm`.',
    grant: 'db-restore',
    query,
    reply: { status: 200, type: 'json', schema: planSchema },
    failures: { ...noCluster, ...failures },
    example: { reply: exampleNewServerPlan },
    slow: true,
    answer: (context) => planOf(context, context.query),
  }),

  'recovery.new-server': route({
    cli: 'cluster pitr-new-server',
    methods: ['GET', 'POST'],
    paths: [`${C}/actions/pitr-new-server`],
    summary:
      'Point-in-time recovery onto a new server, as a job: the orchestrator creates it, a backup and stored binary logs are restored onto it. The servers of the cluster are not touched; the new one is listed among them, apart: never elected, without a source, closed for writes, until it is attached or removed. `confirm` must be the id of `C/recovery/new-server` for the same point. A job that fails or is cancelled removes what it created.',
    grant: 'db-restore',
    query: query.extend({ confirm: z.string().optional(), wait: flag().optional() }),
    reply: {
      status: 202,
      type: 'json',
      schema: z.object({ cluster: z.string(), job: z.number().int(), result: z.string() }),
      location: jobLocation,
    },
    failures: { ...noCluster, ...failures, ...usual('setting-grant') },
    example: { reply: { cluster: 'shop', job: 12, result: '' } },
    ownsPlan: true,
    plan: async (context) => {
      const { confirm: _, wait: __, ...point } = context.query
      const plan = await planOf(context, point)
      if (plan.ok) return ok(previewOf(plan.value))
      return ok({ kind: 'new-server', possible: false, refusal: plan.failure.message, steps: [], risks: [] })
    },
    answer: async ({ manager, params, query: { confirm, wait = false, ...point }, caller, asker }) => {
      const { cluster } = params
      const wish = wishOf(point)
      if (!wish.ok) return wish
      const confirmed = confirm ? { plan: confirm } : {}
      const ticket = await manager.newServers.begin({
        cluster,
        user: caller.user,
        asker,
        may: caller.may,
        wish: wish.value,
        wait,
        ...confirmed,
      })
      if (!ticket.ok) return ticket
      const { id, result = '' } = ticket.value.job
      return ok({ cluster, job: id, result })
    },
  }),

  'recovered.list': route({
    cli: 'recovered list',
    methods: ['GET'],
    paths: [`${C}/recovered-servers`],
    summary:
      'Servers of recoveries that are kept apart from their cluster: how far each is (`adding`, `making`, `ready`, `removing`), its GTID position and the time of its last transaction, or why it could not be made or removed.',
    grant: 'db-restore',
    reply: { status: 200, type: 'json', schema: z.array(recoveredSchema) },
    failures: { ...noCluster, ...asked },
    example: { reply: [view(exampleNewServer)] },
    answer: async ({ manager, params }) => {
      const all = await manager.newServers.list(params.cluster)
      return all.ok ? ok(all.value.map(view)) : all
    },
  }),

  'recovered.attach': route({
    cli: 'recovered attach',
    methods: ['GET', 'POST'],
    paths: [`${S}/actions/attach-recovered`],
    summary:
      'End what keeps the server of a recovery apart: the usual rules make it a replica if the primary still has the binary logs from its position; what came after its point is applied to it.',
    grant: 'db-restore',
    reply: { status: 200, type: 'empty' },
    failures: { ...serverNotFound, ...failures },
    example: {},
    plan: async ({ manager, params, server }) => {
      const known = await knownOf({ manager, params }, server.id)
      return listed('attach-recovered', known, [
        `${server.name} is a server of ${params.cluster} like the others: it may be elected once it follows`,
        `It follows the primary from ${(known.ok && known.value.report?.position) || 'its position'}: what came after its point is applied to it`,
      ])
    },
    answer: ({ manager, params, server, caller }) =>
      manager.newServers.attach({ cluster: params.cluster, server: server.id, user: caller.user }),
  }),

  'recovered.remove': route({
    cli: 'recovered remove',
    methods: ['GET', 'POST'],
    paths: [`${S}/actions/remove-recovered`],
    summary:
      'Remove the server of a recovery with its data by the orchestrator, and take it from the list of servers. Answers when it is gone.',
    grant: 'db-restore',
    reply: { status: 200, type: 'empty' },
    failures: { ...serverNotFound, ...failures },
    example: {},
    slow: true,
    plan: async ({ manager, params, server }) => {
      const known = await knownOf({ manager, params }, server.id)
      const address = addressText(server)
      return listed('remove-recovered', known, [
        ...(known.ok && !known.value.created ? [] : [`Stop ${address} and remove it with its data`]),
        `Take ${address} from the servers of ${params.cluster}`,
      ])
    },
    answer: ({ manager, params, server, caller }) =>
      manager.newServers.remove({ cluster: params.cluster, server: server.id, user: caller.user }),
  }),
}
