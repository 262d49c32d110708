// Rolling operations: start, show, cancel. One at a time per cluster.
import * as z from 'zod'
import { ok, type Result } from '../../../../lib/base/result.js'
import { HOUR } from '../../../../lib/base/time.js'
import { type Roll, type RollKind, rollKinds, rollTitles } from '../../../../lib/model/operation/roll.js'
import { flag } from '../../kit/input.js'
import { planWork } from '../../kit/plan/planned.js'
import { asked, noCluster, serverNotFound, usual } from '../../kit/refusals.js'
import { type Context, route, type WireFailure } from '../../kit/route.js'
import { renderRoll } from '../../views/cluster/roll.js'
import { operationFailures } from './operations.js'

/** Longest wait for a run to end; it continues after the client stops waiting. */
const ROLL_WAIT = 12 * HOUR

const rollSchema = z
  .looseObject({
    id: z.string(),
    kind: z.enum(rollKinds),
    owner: z.string(),
    phase: z.enum(['running', 'succeeded', 'stopped', 'cancelled']),
    startedAt: z.number(),
    endedAt: z.number().optional(),
    primary: z.string(),
    home: z.string(),
    doing: z.string().optional(),
    message: z.string().optional(),
    cancelledBy: z.string().optional(),
    done: z.number().int(),
    total: z.number().int(),
    servers: z.array(
      z.looseObject({
        id: z.string(),
        name: z.string(),
        state: z.enum(['waiting', 'acting', 'returning', 'done', 'skipped', 'failed']),
        startedAt: z.number().optional(),
        endedAt: z.number().optional(),
        message: z.string().optional(),
      }),
    ),
  })
  .meta({ id: 'Rolling' })

const exampleRoll = {
  ...{ id: 'rolling-restart-20261121T074012345', kind: 'restart', owner: 'admin', phase: 'running' },
  ...{ startedAt: 1795246812345, primary: 'db1', home: 'db1', doing: 'db2 catches up: 12 transactions left' },
  ...{ done: 0, total: 2 },
  servers: [
    { id: 'db9876543210', name: 'db2', state: 'returning' },
    { id: 'db1234567890', name: 'db1', state: 'waiting' },
  ],
}

const beginQuery = z.object({ wait: flag().optional(), force: flag().optional() })

/** The started run, and its path. */
const begunReply = {
  status: 200,
  type: 'json',
  schema: rollSchema,
  location: (value: unknown) => (value as { readonly location?: string }).location,
} as const

interface RollRow {
  readonly kind: RollKind
  readonly word: string
  readonly summary: string
  readonly noSuchCluster: WireFailure
}

/** The row of `C/actions/<word>` that begins a run. */
const begin = ({ kind, word, summary, noSuchCluster }: RollRow) =>
  route({
    methods: ['GET', 'POST'],
    paths: [`/api/clusters/:cluster/actions/${word}`],
    summary,
    grant: 'cluster-rolling',
    query: beginQuery,
    reply: begunReply,
    failures: {
      ...operationFailures,
      ...usual('unsupported', 'primary-failed', 'file-unwritable', 'bad-request'),
      'unknown-cluster': noSuchCluster,
    },
    example: { reply: { ...exampleRoll, kind } },
    plan: ({ cluster, query }) => planWork(cluster, { type: 'roll', kind, force: query.force ?? false }),
    answer: async (context) => {
      const { cluster, caller, query, params, manager } = context
      const request = { user: caller.user, kind, wait: query.wait ?? false, force: query.force ?? false }
      await manager.delivered(params.cluster)
      const roll: Result<Roll> = await cluster.ask('begin-roll', request, { deadlineMs: ROLL_WAIT })
      if (!roll.ok) return roll
      return ok({
        ...shown(context, roll.value),
        location: `/api/clusters/${encodeURIComponent(params.cluster)}/rolling`,
      })
    },
  })

/** The row of `C/actions/cancel-rolling-<word>`. */
const cancel = (kind: RollKind) =>
  route({
    methods: ['GET', 'POST'],
    paths: [`/api/clusters/:cluster/actions/cancel-rolling-${kind}`],
    summary: `End the ${rollTitles[kind]} that runs as soon as the server that has its turn is back${kind === 'reprov' ? ', on its old data if it is not filled yet' : ''}; where none runs, dismiss the servers’ need for one and the reason the last one stopped for.`,
    grant: 'cluster-rolling',
    reply: { status: 200, type: 'json', schema: rollSchema.nullable() },
    failures: { ...noCluster, ...asked, ...usual('wrong-state') },
    example: { reply: { ...exampleRoll, kind, phase: 'cancelled', message: 'cancelled by admin' } },
    plan: ({ cluster }) => planWork(cluster, { type: 'cancel-roll', kind }),
    answer: async (context) => {
      const roll = await context.cluster.ask('cancel-roll', { user: context.caller.user, kind })
      return roll.ok ? ok(roll.value ? shown(context, roll.value) : null) : roll
    },
  })

type InCluster = Pick<Context<{ readonly cluster: string }, unknown, unknown>, 'manager' | 'params'>

const shown = ({ manager, params }: InCluster, roll: Roll) =>
  renderRoll(roll, manager.members(params.cluster)?.servers ?? [])

export const rollingRoutes = {
  'cluster.rolling': begin({
    kind: 'restart',
    word: 'rolling',
    summary:
      'Restart every server, slaves first, each back and caught up before the next, then the former master after a switchover, and switch back. `wait=true` answers when it has ended; `C/rolling` shows the progress.',
    noSuchCluster: [500, 'No cluster'],
  }),
  'cluster.rolling-reprov': begin({
    kind: 'reprov',
    word: 'rolling-reprov',
    summary:
      'Rebuild every server in the same order, each filled from another one before the next: for changes that need a new data directory. The old data are kept until a server has caught up, and are restored when that fails. `force=true`: also when the master is temporarily the only other server with the data.',
    noSuchCluster: [500, 'No cluster'],
  }),
  'server.reprovision': route({
    methods: ['GET', 'POST'],
    paths: ['/api/clusters/:cluster/servers/:server/actions/reprovision'],
    summary:
      'Rebuild one slave from its configuration archive and fill it from another server. Its old data are kept until it has caught up, and are restored when that fails. A rolling reprovision of this server alone: `C/rolling` shows the progress, `cancel-rolling-reprov` ends it.',
    grant: 'prov-db-provision',
    query: beginQuery,
    reply: begunReply,
    failures: {
      ...serverNotFound,
      ...operationFailures,
      ...usual('unsupported', 'primary-failed', 'file-unwritable', 'bad-request', 'is-primary', 'not-replicating'),
    },
    example: { reply: { ...exampleRoll, id: 'rolling-reprov-20261121T074012345', kind: 'reprov' } },
    plan: ({ cluster, query, server }) =>
      planWork(cluster, { type: 'roll', kind: 'reprov', force: query.force ?? false, only: server.id }),
    answer: async (context) => {
      const { cluster, caller, query, params, manager, server } = context
      const { wait = false, force = false } = query
      await manager.delivered(params.cluster)
      const request = { user: caller.user, kind: 'reprov', wait, force, only: server.id } as const
      const roll: Result<Roll> = await cluster.ask('begin-roll', request, { deadlineMs: ROLL_WAIT })
      if (!roll.ok) return roll
      return ok({
        ...shown(context, roll.value),
        location: `/api/clusters/${encodeURIComponent(params.cluster)}/rolling`,
      })
    },
  }),
  'cluster.optimize': begin({
    kind: 'optimize',
    word: 'optimize',
    summary: 'Rebuild the tables of every slave, one slave after the other; the master is left alone.',
    noSuchCluster: [400, 'No cluster found'],
  }),
  'cluster.cancel-rolling-restart': cancel('restart'),
  'cluster.cancel-rolling-reprov': cancel('reprov'),
  'cluster.cancel-rolling-optimize': cancel('optimize'),
  'cluster.rolling-state': route({
    methods: ['GET'],
    paths: ['/api/clusters/:cluster/rolling'],
    summary:
      'The latest rolling work: how far it is, what it waits for, or why it ended; null when there never was any.',
    grant: 'token',
    reply: { status: 200, type: 'json', schema: rollSchema.nullable() },
    failures: { ...noCluster, ...asked },
    example: { reply: exampleRoll },
    answer: async (context) => {
      const roll = await context.cluster.ask('roll', {})
      return roll.ok ? ok(roll.value ? shown(context, roll.value) : null) : roll
    },
  }),
}
