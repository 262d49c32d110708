// How a server that cannot follow comes back: every way with its cost, the work itself, its end.
import * as z from 'zod'
import { ok } from '../../../../lib/base/result.js'
import { DAY, MINUTE } from '../../../../lib/base/time.js'
import type { Preview } from '../../../../lib/model/operation/preview.js'
import { type ReturnMethod, type ReturnPlan, returnMethods } from '../../../../lib/model/operation/way-back.js'
import { flag } from '../../kit/input.js'
import { planWork } from '../../kit/plan/planned.js'
import { asked, serverNotFound, usual } from '../../kit/refusals.js'
import { route } from '../../kit/route.js'
import { jobFailures, jobLocation } from '../cluster/services.js'

const base = '/api/clusters/:cluster/servers/:server'

/** The contract's names besides those of the ways; `logicalmaster` is a dump of the primary, whatever replica could give one. */
const wireMethods = ['logicalbackup', 'logicalmaster', 'physicalbackup', 'cheapest'] as const

interface Asked {
  readonly method?: ReturnMethod
  readonly source?: 'primary'
}

const methodNames = [...wireMethods, ...returnMethods] as const

type MethodName = (typeof methodNames)[number]

/** What each name asks for; a way of `S/way-back` asks for itself. */
const meant: Readonly<Record<MethodName, Asked>> = {
  ...(Object.fromEntries(returnMethods.map((method) => [method, { method }])) as Record<ReturnMethod, Asked>),
  logicalbackup: { method: 'logical-backup' },
  logicalmaster: { method: 'dump', source: 'primary' },
  physicalbackup: { method: 'physical-backup' },
  cheapest: {},
}

const waySchema = z.looseObject({
  method: z.enum(returnMethods),
  allowed: z.boolean(),
  why: z.string(),
  replaces: z.boolean(),
  source: z.string().optional(),
  bytes: z.number().optional(),
  estimateMs: z.number().optional(),
  load: z.enum(['none', 'light', 'heavy']),
})

const planSchema = z
  .looseObject({
    id: z.string(),
    server: z.string(),
    name: z.string(),
    cause: z.enum(['diverged', 'empty', 'purged', 'incomplete', 'asked']),
    reason: z.string(),
    extra: z.string(),
    extraCount: z.number().int(),
    saved: z.string().optional(),
    chosen: z.enum(returnMethods).optional(),
    loss: z.string(),
    ways: z.array(waySchema),
  })
  .meta({ id: 'WayBack' })

/** The plan of the example; the fake manager of the specs answers it too. */
export const examplePlan: ReturnPlan = {
  id: 'return/db1234567890/diverged/flashback/0-1:151-157',
  server: 'db1234567890',
  name: 'db1',
  cause: 'diverged',
  reason: 'it has transactions that the primary is missing: 0-1:151-157',
  extra: '0-1:151-157',
  extraCount: 7,
  saved: '/var/lib/manager/shop/crash-bin-20261121074012',
  chosen: 'flashback',
  loss: 'On db1: 7 transactions that only it has, which are saved first.',
  ways: [
    {
      ...{ method: 'flashback', allowed: true, why: 'autorejoin-flashback and autorejoin-flashback-on-sync are on' },
      ...{ replaces: false, source: 'db9876543210', bytes: 4096, estimateMs: 3001, load: 'light' },
    },
    {
      ...{ method: 'dump', allowed: false, why: 'no setting permits it without a request', replaces: true },
      ...{ source: 'db9876543210', bytes: 1073741824, estimateMs: 76582, load: 'heavy' },
    },
  ],
}

const returnFailures = {
  ...jobFailures,
  ...usual('no-primary', 'plan-needed', 'plan-changed', 'bad-request', 'step-failed'),
}

const previewOf = ({ id, chosen, ways, name, loss, extraCount }: ReturnPlan, { method }: Asked): Preview => {
  const way = ways.find((each) => each.method === chosen)
  const refusal = ways.find((each) => each.method === method)?.why ?? 'no way back is possible'
  return {
    id,
    kind: 'reseed',
    loss: extraCount === 0 ? { kind: 'none', text: loss } : { kind: 'at-least', text: loss },
    possible: way !== undefined,
    ...(way ? {} : { refusal: `${name}: ${refusal}` }),
    steps: way
      ? [
          { text: `save what only ${name} has, where it has anything`, blocksWrites: false },
          {
            text: `${way.method}: ${way.why}`,
            blocksWrites: false,
            ...(way.estimateMs === undefined ? {} : { expectedMs: way.estimateMs }),
          },
          { text: `${name} follows the primary`, blocksWrites: false },
        ]
      : [],
    risks: [loss],
  }
}

export const returnRoutes = {
  'server.way-back': route({
    methods: ['GET'],
    paths: [`${base}/way-back`],
    summary:
      'What is wrong with a server that does not follow, what only it has, and every way back: possible or not and why, bytes, estimate, load on the source. The cheapest safe one is `chosen`. `method`: as if that was asked for (db-restore).',
    grant: 'db-restore',
    query: z.object({ method: z.enum(methodNames).optional() }),
    reply: { status: 200, type: 'json', schema: planSchema },
    failures: { ...serverNotFound, ...asked, ...usual('no-primary', 'is-primary', 'wrong-state', 'bad-request') },
    example: { reply: examplePlan },
    answer: ({ cluster, server, query: { method = 'cheapest' } }) =>
      cluster.ask('plan-return', { server: server.id, ...meant[method] }, { deadlineMs: 2 * MINUTE }),
  }),

  'server.reseed': route({
    methods: ['GET', 'POST'],
    paths: [`${base}/actions/reseed/:backupMethod`],
    summary:
      'Bring a slave back: undo what only it wrote, or replace its data. What only it has is saved first; where there is any, `confirm` must be the id of `S/way-back`. Methods: logicalbackup, logicalmaster (a dump of the master), physicalbackup, cheapest, or a way of `S/way-back`. `wait=true` answers when it replicates.',
    grant: 'db-restore',
    params: z.object({ cluster: z.string(), server: z.string(), backupMethod: z.enum(methodNames) }),
    query: z.object({ confirm: z.string().optional(), wait: flag().optional() }),
    reply: { status: 200, type: 'empty', location: jobLocation },
    failures: { ...serverNotFound, ...returnFailures },
    example: {},
    ownsPlan: true,
    plan: async ({ cluster, server, params }) => {
      const wish = meant[params.backupMethod as MethodName]
      const plan = await cluster.ask('plan-return', { server: server.id, ...wish }, { deadlineMs: 2 * MINUTE })
      return plan.ok ? ok(previewOf(plan.value, wish)) : plan
    },
    answer: async ({ cluster, server, params, query, caller }) => {
      const { confirm, wait = false } = query
      const request = {
        user: caller.user,
        server: server.id,
        wait,
        ...meant[params.backupMethod as MethodName],
        ...(confirm ? { plan: confirm } : {}),
      }
      const ticket = await cluster.ask('begin-return', request, { deadlineMs: wait ? 2 * DAY : 2 * MINUTE })
      return ticket.ok ? ok({ cluster: params.cluster, job: ticket.value.job.id }) : ticket
    },
  }),

  'server.reseed-cancel': route({
    methods: ['GET', 'POST'],
    paths: [`${base}/actions/reseed-cancel/:task`],
    summary:
      'End the work that brings a server back, whatever its task is called. A server whose data were removed stays empty, closed and reported until it is filled.',
    grant: ['db-restore', 'cluster-process'],
    params: z.object({ cluster: z.string(), server: z.string(), task: z.string() }),
    reply: { status: 200, type: 'empty' },
    failures: { ...serverNotFound, ...asked, ...usual('unknown-job') },
    example: {},
    plan: ({ cluster, server }) => planWork(cluster, { type: 'cancel-return', server: server.id }),
    answer: async ({ cluster, server, caller }) => {
      const ended = await cluster.ask('cancel-return', { user: caller.user, server: server.id })
      return ended.ok ? ok(undefined) : ended
    },
  }),
}
