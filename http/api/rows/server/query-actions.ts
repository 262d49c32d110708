// What can be done with one statement of a server: explain it, kill it.
import * as z from 'zod'
import type { ClusterProtocol } from '../../../../actors/protocol/cluster.js'
import type { Grant } from '../../../../lib/access/grants.js'
import { ok } from '../../../../lib/base/result.js'
import { SECOND } from '../../../../lib/base/time.js'
import { listed } from '../../kit/plan/planned.js'
import { asked, notStated, serverNotFound, usual } from '../../kit/refusals.js'
import { route } from '../../kit/route.js'
import { killedSchema, planRowSchema } from '../../schemas/shapes.js'
import { renderPlan } from '../../views/server/plan.js'

type Explain = ClusterProtocol['explain-statement']['in']
type Kill = ClusterProtocol['kill-statement']['in']

/** Longer than a statement may run for its plan, with those before it. */
const PLAN_WAIT = 40 * SECOND

const path = <const Word extends string>(word: Word) =>
  `/api/clusters/:cluster/servers/:server/queries/:digest/actions/${word}` as const

const digestShape = z
  .string()
  .regex(/^[0-9a-fA-F]{32}(?:[0-9a-fA-F]{32})?$/, 'a digest has 32 or 64 hexadecimal digits')
const params = z.object({ digest: digestShape.transform((text) => text.toLowerCase()) })
const digestOrThread = z.object({
  digest: z
    .union([z.string().regex(/^\d{1,20}$/), digestShape], 'a digest, or the number of a thread')
    .transform((text) => text.toLowerCase()),
})

interface Plan {
  readonly summary: string
  readonly grant: Grant | readonly Grant[]
  readonly source: Explain['source']
  readonly run: boolean
}

const none = { String: '', Valid: false }

const planRow = {
  id: { Int64: 1, Valid: true },
  ...{ selectType: { String: 'SIMPLE', Valid: true }, table: { String: 'orders', Valid: true } },
  ...{ type: { String: 'ALL', Valid: true }, possibleKeys: none, key: none, keyLen: none, ref: none },
  ...{ rows: { Int64: 1200, Valid: true }, filtered: { Float64: 0, Valid: false } },
  extra: { String: 'Using where', Valid: true },
}

const planOf = (word: string, { summary, grant, source, run }: Plan) =>
  route({
    methods: ['GET', 'POST'],
    paths: [path(word)],
    summary,
    grant,
    params,
    query: z.object({
      schema: z.string().max(64).optional().describe('The schema, for a statement that is used in several.'),
    }),
    reply: { status: 200, type: 'json', schema: z.array(planRowSchema) },
    failures: {
      ...serverNotFound,
      ...asked,
      ...notStated,
      ...usual('no-sample', 'unsafe-statement', 'unsupported'),
      ...(source === 'slow-log' ? usual('file-unreadable', 'ssh-unreachable', 'ssh-rejected', 'script-failed') : {}),
    },
    example: { reply: [planRow] },
    answer: async ({ cluster, server, params, query }) => {
      const request = { server: server.id, source, digest: params.digest, run }
      const schema = query.schema === undefined ? {} : { schema: query.schema }
      const rows = await cluster.ask('explain-statement', { ...request, ...schema }, { deadlineMs: PLAN_WAIT })
      return rows.ok ? ok(renderPlan(rows.value)) : rows
    },
  })

const kill = (word: string, end: Kill['end'], summary: string) =>
  route({
    methods: ['GET', 'POST'],
    paths: [path(word)],
    summary,
    grant: 'db-kill',
    params: digestOrThread,
    reply: { status: 200, type: 'json', schema: z.array(killedSchema) },
    failures: { ...serverNotFound, ...asked, ...notStated, ...usual('nothing-runs', 'protected-thread') },
    example: {
      reply: [
        { id: 7, user: 'app', host: '10.0.0.5:51234', db: 'shop', command: 'Query', info: 'SELECT * FROM orders' },
      ],
    },
    plan: async ({ cluster, server, params, caller }) => {
      const request = { user: caller.user, server: server.id, target: params.digest, end, dry: true } as const
      const found = await cluster.ask('kill-statement', request)
      const threads = found.ok ? found.value : []
      const what = end === 'session' ? 'session' : 'statement'
      return listed(
        word,
        found,
        threads.map(({ id, user, host, info }) => `End the ${what} of thread ${id} (${user}@${host}): ${info}`),
      )
    },
    answer: ({ cluster, server, params, caller }) =>
      cluster.ask('kill-statement', { user: caller.user, server: server.id, target: params.digest, end }),
  })

export const queryActionRoutes = {
  'query.kill-query': kill(
    'kill-query',
    'statement',
    'End every running statement of a digest, or the one of a thread by its number; the answer names them.',
  ),
  'query.kill-thread': kill(
    'kill-thread',
    'session',
    'End the session of a thread by its number, or every one that runs the digest; the answer names them.',
  ),
  'query.explain-pfs': planOf('explain-pfs', {
    summary: 'The plan of a statement that the performance schema sampled for the digest; nothing runs.',
    grant: 'db-logs',
    source: 'performance-schema',
    run: false,
  }),
  'query.explain-slowlog': planOf('explain-slowlog', {
    summary: 'The plan of the latest statement of the digest in the slow log; nothing runs.',
    grant: 'db-logs',
    source: 'slow-log',
    run: false,
  }),
  'query.analyze-pfs': planOf('analyze-pfs', {
    summary:
      'The same, and what was met: the statement runs, for at most ten seconds, when it is proven that it only reads.',
    grant: ['db-optimize', 'db-analyse'],
    source: 'performance-schema',
    run: true,
  }),
  'query.analyze-slowlog': planOf('analyze-slowlog', {
    summary: 'The same of the latest statement of the digest in the slow log.',
    grant: 'db-analyse',
    source: 'slow-log',
    run: true,
  }),
}
