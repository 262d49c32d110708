// What the cluster consists of and how it does: every answer is a view its owner has rendered.
import * as z from 'zod'
import type { ClusterView } from '../../../../actors/protocol/cluster.js'
import { ok } from '../../../../lib/base/result.js'
import {
  exampleCrash,
  exampleLog,
  exampleMaster,
  exampleOperation,
  exampleProxy,
  exampleSlave,
} from '../../kit/examples.js'
import { asked, noCluster } from '../../kit/refusals.js'
import { type ListTraits, route } from '../../kit/route.js'
import { explainSchema } from '../../schemas/operation.js'
import { serverSchema } from '../../schemas/server.js'
import { alertsSchema, crashSchema, logSchema, proxySchema } from '../../schemas/shapes.js'
import { whole } from '../../schemas/whole.js'

interface Topic {
  readonly cli: `${string} ${string}`
  readonly view: ClusterView
  readonly summary: string
  readonly schema: z.ZodType
  readonly example: unknown
  readonly list?: ListTraits
}

/** The row of `C/topology/<word>`. */
const topic = (word: string, { cli, view, summary, schema, example, list }: Topic) =>
  route({
    cli,
    methods: ['GET'],
    paths: [`/api/clusters/:cluster/topology/${word}`],
    summary,
    grant: 'token',
    reply: { status: 200, type: 'view', schema, ...(list ? { list } : {}) },
    failures: { ...noCluster, ...asked },
    example: { reply: example },
    answer: ({ manager, params }) => manager.view(params.cluster, view),
  })

export const topologyRoutes = {
  'topology.servers': topic('servers', {
    cli: 'server list',
    view: 'servers',
    summary: 'All database servers.',
    schema: z.array(serverSchema),
    example: [exampleMaster, exampleSlave],
  }),
  'topology.master': topic('master', {
    cli: 'cluster master',
    view: 'master',
    summary: 'The master, also while it is down; null when there is none.',
    schema: serverSchema.nullable(),
    example: exampleMaster,
  }),
  'topology.slaves': topic('slaves', {
    cli: 'cluster slaves',
    view: 'slaves',
    summary: 'The slaves, relays among them.',
    schema: z.array(serverSchema),
    example: [exampleSlave],
  }),
  'topology.proxies': topic('proxies', {
    cli: 'proxy list',
    view: 'proxies',
    summary: 'The proxies with their backends.',
    schema: z.array(proxySchema),
    example: [exampleProxy],
  }),
  'topology.alerts': topic('alerts', {
    cli: 'cluster alerts',
    view: 'alerts',
    summary: 'Open errors and warnings.',
    schema: alertsSchema,
    example: { errors: [{ number: 'ERR00012', desc: 'No primary was found.', from: 'TOPO' }], warnings: [] },
  }),
  'topology.logs': topic('logs', {
    cli: 'cluster logs',
    view: 'logs',
    summary: 'The latest log lines, newest first.',
    schema: z.array(z.string()),
    example: ['2026/11/21 07:40:12 [demo] INFO - Monitoring begins'],
    list: {},
  }),
  'topology.http-logs': route({
    cli: 'cluster log-entries',
    methods: ['GET'],
    paths: ['/api/clusters/:cluster/topology/http-logs'],
    summary: 'The same lines as objects: the field `log` of the cluster.',
    grant: 'token',
    reply: { status: 200, type: 'json', schema: logSchema, list: { at: 'buffer', fields: ['level'] } },
    failures: { ...noCluster, ...asked },
    example: { reply: exampleLog },
    answer: async ({ manager, params }) => {
      const view = await manager.view(params.cluster, 'cluster')
      return view.ok ? ok(JSON.parse(view.value.bytes.toString()).log) : view
    },
  }),
  'topology.crashes': topic('crashes', {
    cli: 'cluster crashes',
    view: 'crashes',
    summary: 'Records of masters that lost their role, oldest first.',
    schema: z.array(crashSchema),
    list: { fields: ['URL', 'ElectedMasterURL'] },
    example: [exampleCrash],
  }),

  'failover.explain': route({
    cli: 'cluster explain',
    methods: ['GET'],
    paths: ['/api/clusters/:cluster/failover/explain'],
    summary: 'Whether it would fail over now, rule by rule, with the candidate, the ranking and what would be lost.',
    grant: 'token',
    reply: { status: 200, type: 'view', schema: explainSchema },
    failures: { ...noCluster, ...asked },
    example: {
      reply: whole(explainSchema, {
        wouldFailOver: false,
        primaryDead: false,
        evidence: 'none',
        rows: [{ rule: 'failover-mode', code: 'ERR00002', state: 'clear', sentence: 'Failover is automatic.' }],
        ranking: [
          { server: 'db9876543210', eligible: true, rank: 1, reason: 'received most', received: { '0': [[1, 4711]] } },
        ],
        loss: { kind: 'none', reason: 'every commit is acknowledged by a replica' },
        servers: { db1234567890: 'db1', db9876543210: 'db2' },
        operation: null,
        lastOperation: exampleOperation,
      }),
    },
    answer: ({ manager, params }) => manager.view(params.cluster, 'explain'),
  }),

  'cluster.events': route({
    methods: ['GET'],
    paths: ['/api/clusters/:cluster/events'],
    summary:
      'Findings, states, operations and log lines as server-sent events; Last-Event-ID resumes. One whose reader may not have it any more ends with the event `ended`.',
    grant: 'token',
    reply: { status: 200, type: 'events' },
    failures: noCluster,
    example: { reply: 'id: 17\nevent: state\ndata: {"text":"db1 changed from Slave to Master"}\n\n' },
    answer: ({ manager, params }) =>
      ok((after, listener, signal) => manager.events({ cluster: params.cluster, after, signal }, listener)),
  }),
}
