// What a cluster is busy with, and how its proxies route.
import * as z from 'zod'
import { fail, ok, type Result } from '../../../../lib/base/result.js'
import { emptyBecause } from '../../kit/empty.js'
import { findMember } from '../../kit/member.js'
import { asked, noCluster, usual } from '../../kit/refusals.js'
import { type Download, route } from '../../kit/route.js'
import { processSchema, queryRuleSchema, topSchema } from '../../schemas/shapes.js'
import { whole } from '../../schemas/whole.js'
import { renderTop } from '../../views/server/top.js'

const milliseconds = z.string().regex(/^\d{1,15}$/, 'milliseconds since the epoch')

export const clusterReadRoutes = {
  'clusters.top': route({
    methods: ['GET'],
    paths: ['/api/clusters/:cluster/top'],
    summary:
      'Active sessions (60 per server) and charts of counters per second, of every server that answers or the one named.',
    grant: ['cluster-process', 'db-show-process'],
    query: z.object({ serverName: z.string().optional() }),
    reply: { status: 200, type: 'json', schema: z.array(topSchema) },
    failures: { ...noCluster, ...usual('unknown-server'), ...asked },
    example: {
      reply: [
        {
          id: 'db1234567890',
          url: 'db1:3306',
          header: { graphs: [{ name: 'Queries', data: [{ name: 'Select', value: 112 }] }] },
          processlist: [whole(processSchema, { id: 7, user: 'app', host: '10.0.0.5:51234', command: 'Query' })],
        },
      ],
    },
    answer: async ({ cluster, manager, params, query }) => {
      const { serverName } = query
      const view = manager.members(params.cluster)
      const member = serverName && view ? findMember(view, serverName) : undefined
      if (serverName && !member) return fail('unknown-server', `${params.cluster} has no server ${serverName}`)
      const busy = await cluster.ask('read-busy', member ? { server: member.id } : {})
      return busy.ok ? ok(renderTop(busy.value)) : busy
    },
  }),

  'clusters.recording': route({
    cli: 'cluster recording',
    methods: ['GET'],
    paths: ['/api/clusters/:cluster/recording'],
    summary:
      'The messages that the decisions of the cluster were made by, without secrets and statements of users, as a file for `manager replay` (`monitoring-recording`). `from` and `until` choose the parts of the recording that reach into this time.',
    grant: 'cluster-debug',
    query: z.object({
      from: milliseconds.optional().describe('Milliseconds since the epoch; the oldest, unless given.'),
      until: milliseconds.optional().describe('Milliseconds since the epoch; now, unless given.'),
    }),
    reply: { status: 200, type: 'bytes' },
    failures: { ...noCluster, ...usual('bad-request', 'nothing-recorded', 'file-unreadable'), ...asked },
    example: { reply: 'demo-recording.jsonl.gz: lines of JSON, gzip' },
    answer: async ({ cluster, params, query: { from, until } }): Promise<Result<Download>> => {
      const read = await cluster.ask('read-recording', {
        ...(from === undefined ? {} : { from: Number(from) }),
        ...(until === undefined ? {} : { until: Number(until) }),
      })
      if (!read.ok) return read
      const { buffer, byteOffset, byteLength } = read.value
      const bytes = Buffer.from(buffer, byteOffset, byteLength)
      if (byteLength === 0) return fail('nothing-recorded', `nothing of ${params.cluster} is recorded of this time`)
      // The checksum and the length that a gzip file ends with.
      const etag = `${byteLength}-${bytes.subarray(-8).toString('hex')}`
      return ok({ bytes, etag, name: `${params.cluster}-recording.jsonl.gz` })
    },
  }),

  'clusters.shardclusters': route({
    methods: ['GET'],
    paths: ['/api/clusters/:cluster/shardclusters'],
    summary: 'Clusters that hold shards of this one, by name: none, since the manager divides no tables.',
    grant: 'cluster-sharding',
    reply: { status: 200, type: 'json', schema: z.record(z.string(), z.looseObject({})) },
    failures: noCluster,
    example: { reply: {} },
    answer: () => ok(emptyBecause({}, 'the manager divides no tables among clusters')),
  }),

  'clusters.queryrules': route({
    methods: ['GET'],
    paths: ['/api/clusters/:cluster/queryrules'],
    summary: 'Query rules of the proxies that have such; one line for all that agree on it.',
    grant: 'cluster-show-routes',
    reply: {
      status: 200,
      type: 'view',
      schema: z.array(queryRuleSchema),
      list: { fields: ['schemaName', 'userName'] },
    },
    failures: { ...noCluster, ...asked },
    example: {
      reply: [
        {
          ...{
            ruleId: 10,
            active: 1,
            userName: { String: '', Valid: false },
            schemaName: { String: '', Valid: false },
          },
          ...{ digest: { String: '', Valid: false }, matchDigest: { String: '^SELECT', Valid: true } },
          ...{ matchPattern: { String: '', Valid: false }, destinationHostgroup: { Int64: 20, Valid: true } },
          ...{
            mirrorHostgroup: { Int64: 0, Valid: false },
            multiplex: { Int64: 0, Valid: false },
            proxies: 'lb1:6032',
          },
        },
      ],
    },
    answer: ({ manager, params }) => manager.view(params.cluster, 'queryrules'),
  }),
}
