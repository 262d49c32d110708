// What servers run with against what their tags say: discovered, compared, decided, applied.
import { z } from 'zod'
import type { DriftRequest } from '../../../../actors/protocol/manager/configurator.js'
import { ok } from '../../../../lib/base/result.js'
import { flag } from '../../kit/input.js'
import { asked, clusterNotFound, noCluster, serverNotFound, usual } from '../../kit/refusals.js'
import { route } from '../../kit/route.js'
import { renderVariableDiffs } from '../../views/server/variable-diff.js'

const value = z.union([z.string(), z.number()])
const plan = z.object({ plan: flag().optional() })
const seen = usual('sql-failed', 'sql-silent', 'sql-unresolved', 'sql-refused', 'sql-rejected', 'bad-configuration')

const discoverySchema = z.object({
  applied: z.boolean(),
  tags: z.object({ tags: z.array(z.string()), added: z.array(z.string()), dropped: z.array(z.string()) }),
  proposals: z.array(
    z.object({
      tag: z.string(),
      sign: z.string(),
      evidence: z.array(z.object({ server: z.string(), text: z.string() })),
    }),
  ),
  settings: z.array(
    z.object({ name: z.string(), before: value, after: value, evidence: z.string(), kept: z.string().optional() }),
  ),
  remarks: z.array(z.string()),
})

const dynamicSchema = z.object({
  applied: z.boolean(),
  refused: z.string().optional(),
  servers: z.array(
    z.object({
      server: z.string(),
      statements: z.array(
        z.object({
          sql: z.string(),
          name: z.string().optional(),
          from: z.string().optional(),
          to: z.string().optional(),
          refused: z.string().optional(),
        }),
      ),
      restart: z.array(
        z.object({
          name: z.string(),
          expected: z.string(),
          running: z.string(),
          held: z.enum(['identity', 'durability', 'sql-mode', 'character-set', 'memory']).optional(),
        }),
      ),
      failure: z.string().optional(),
    }),
  ),
})

const driftSchema = z.object({
  server: z.string(),
  watched: z.boolean(),
  differences: z.array(
    z.object({
      name: z.string(),
      expected: z.string(),
      running: z.string(),
      deployed: z.string().optional(),
      origin: z.string().optional(),
      state: z.enum(['undecided', 'preserved', 'agreed', 'cleared', 'pending']),
    }),
  ),
})

const exampleDrift = {
  server: 'db1',
  watched: true,
  differences: [
    { name: 'max_connections', expected: '1000', running: '1500', origin: 'statement', state: 'undecided' as const },
  ],
}

interface Decided {
  readonly decision: DriftRequest['decision']
  readonly summary: string
}

/** The row of `S/actions/variables-<decision>/{variable}`. */
const decide = ({ decision, summary }: Decided) =>
  route({
    methods: ['GET', 'POST'],
    paths: [`/api/clusters/:cluster/servers/:server/actions/variables-${decision}/:variable`],
    summary,
    grant: 'db-config-flag',
    query: z.object({ everywhere: flag().optional() }),
    reply: { status: 200, type: 'json', schema: driftSchema },
    failures: {
      ...serverNotFound,
      ...asked,
      ...seen,
      ...usual('unknown-variable', 'file-unreadable', 'file-unwritable', 'bad-request'),
    },
    example: { reply: exampleDrift },
    answer: ({ manager, params, server, query, caller }) =>
      manager.configurator.decideDrift({
        ...{ cluster: params.cluster, server: server.id, decision, variable: params.variable },
        ...{ everywhere: query.everywhere ?? false, user: caller.user },
      }),
  })

export const configurationRoutes = {
  'configuration.discover': route({
    methods: ['GET', 'POST'],
    paths: ['/api/clusters/:cluster/settings/actions/discover'],
    summary:
      'Derive tags, memory, cores and disk operations from what the running servers show, and take them over; `plan=true` only says what was found.',
    grant: 'cluster-settings',
    query: plan,
    reply: { status: 200, type: 'json', schema: discoverySchema },
    failures: { ...clusterNotFound, ...asked, ...seen, ...usual('wrong-value', 'file-unwritable') },
    example: {
      reply: {
        applied: true,
        tags: { tags: ['innodb', 'row', 'nodurable'], added: ['nodurable'], dropped: ['slow'] },
        proposals: [
          {
            tag: 'nodurable',
            sign: 'INNODB_FLUSH_LOG_AT_TRX_COMMIT not 1',
            evidence: [{ server: 'db1', text: 'innodb_flush_log_at_trx_commit = 2' }],
          },
        ],
        settings: [
          { name: 'prov-db-memory', before: 256, after: 8192, evidence: 'innodb_buffer_pool_size = 5153960755' },
        ],
        remarks: [],
      },
    },
    answer: ({ manager, params: { cluster }, query, caller }) =>
      manager.configurator.discover({ cluster, plan: query.plan ?? false, user: caller.user }),
  }),

  'configuration.diff': route({
    methods: ['GET'],
    paths: ['/api/clusters/:cluster/diffvariables'],
    summary: 'Variables in which slaves differ from the master, those left out that differ by their nature.',
    grant: 'token',
    reply: {
      status: 200,
      type: 'json',
      schema: z.array(
        z.object({
          variableName: z.string(),
          diffValues: z.array(z.object({ serverName: z.string(), variableValue: z.string() })),
        }),
      ),
    },
    failures: { ...noCluster, ...asked },
    example: {
      reply: [
        {
          variableName: 'MAX_CONNECTIONS',
          diffValues: [
            { serverName: 'db1', variableValue: '1000' },
            { serverName: 'db2', variableValue: '500' },
          ],
        },
      ],
    },
    answer: async ({ manager, cluster, params }) => {
      const differences = await cluster.ask('diff-variables', {})
      if (!differences.ok) return differences
      return ok(renderVariableDiffs(differences.value, manager.members(params.cluster)?.servers ?? []))
    },
  }),
  'configuration.apply-dynamic': route({
    methods: ['GET', 'POST'],
    paths: ['/api/clusters/:cluster/settings/actions/apply-dynamic-config'],
    summary:
      'Set what the configuration says on the running servers, replicas first; the rest becomes the need of a restart. Identity, sql_mode, character sets, and durability and memory downwards are never set on a running server (`held`). `plan=true` only lists each value now and then, per server. Refused where a switchover would break replication afterwards.',
    grant: 'db-config-flag',
    query: plan,
    reply: { status: 200, type: 'json', schema: dynamicSchema },
    failures: { ...clusterNotFound, ...asked, ...usual('wrong-state', 'observing') },
    example: {
      reply: {
        applied: true,
        servers: [
          {
            server: 'db1',
            statements: [
              {
                sql: 'SET GLOBAL innodb_io_capacity_max = 4000',
                name: 'innodb_io_capacity_max',
                from: '2000',
                to: '4000',
              },
            ],
            restart: [{ name: 'innodb_doublewrite', expected: 'OFF', running: 'ON' }],
          },
        ],
      },
    },
    answer: ({ manager, params: { cluster }, query, caller }) =>
      manager.configurator.applyDynamic({ cluster, plan: query.plan ?? false, user: caller.user }),
  }),
  'configuration.drift': route({
    methods: ['GET'],
    paths: ['/api/clusters/:cluster/servers/:server/variables-drift'],
    summary: 'What the server runs with against what its tags say, and what was decided about each difference.',
    grant: 'db-show-variables',
    reply: { status: 200, type: 'json', schema: driftSchema },
    failures: { ...serverNotFound, ...asked, ...seen, ...usual('file-unreadable', 'file-unwritable') },
    example: { reply: exampleDrift },
    answer: ({ manager, params: { cluster }, server }) => manager.configurator.drift({ cluster, server: server.id }),
  }),
  'configuration.accept': decide({
    decision: 'accept',
    summary:
      'Accept what the server runs with, for as long as its tags say the same as now; `all` takes every difference.',
  }),
  'configuration.preserve': decide({
    decision: 'preserve',
    summary:
      'Keep what the server runs with whatever its tags say; `all` takes every difference, `everywhere=true` every server.',
  }),
  'configuration.clear': decide({
    decision: 'clear',
    summary:
      'Let the tags win at the next start; `all` takes every difference, `everywhere=true` what is preserved on every server too.',
  }),
  'configuration.preserved': route({
    methods: ['GET'],
    paths: ['/api/clusters/:cluster/preserved-variables-cnf'],
    summary: 'The variables that are preserved on every server of the cluster, as an option file.',
    grant: 'db-show-variables',
    reply: { status: 200, type: 'text' },
    failures: { ...clusterNotFound, ...usual('file-unreadable') },
    example: { reply: '[mysqld]\nmax_connections = 1500\n' },
    answer: ({ manager, params: { cluster } }) => manager.configurator.preservedVariables(cluster),
  }),
}
