// What servers run with against what their tags say: discovered, compared, decided, applied.
import * as z from 'zod'
import type {
  DiscoveryView,
  DriftRequest,
  DriftView,
  DynamicView,
  ProposedSettingView,
} from '../../../../actors/protocol/manager/configurator.js'
import { fail, ok, type Result } from '../../../../lib/base/result.js'
import type { Preview } from '../../../../lib/model/operation/preview.js'
import { flag } from '../../kit/input.js'
import { listed } from '../../kit/plan/planned.js'
import { asked, clusterNotFound, noCluster, notStated, serverNotFound, usual } from '../../kit/refusals.js'
import { route } from '../../kit/route.js'
import { variableDifference } from '../../schemas/cluster.js'
import { renderVariableDiffs } from '../../views/server/variable-diff.js'

const value = z.union([z.string(), z.number()])
const seen = {
  ...notStated,
  ...usual('bad-configuration', 'operation-running'),
}

const discoverySchema = z
  .object({
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
  .meta({ id: 'Discovery' })

const dynamicSchema = z
  .object({
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
  .meta({ id: 'AppliedConfiguration' })

const driftSchema = z
  .object({
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
  .meta({ id: 'Drift' })

const exampleDrift = {
  server: 'db1',
  watched: true,
  differences: [
    { name: 'max_connections', expected: '1000', running: '1500', origin: 'statement', state: 'undecided' as const },
  ],
}

function previewDiscovery({ tags, settings, remarks }: DiscoveryView): Preview {
  const steps = [
    ...tags.added.map((tag) => `Add the tag ${tag}`),
    ...tags.dropped.map((tag) => `Drop the tag ${tag}`),
    ...settings.filter(({ kept }) => kept === undefined).map(changeText),
  ]
  return {
    ...{ kind: 'discover', possible: true },
    steps: steps.map((text) => ({ text, blocksWrites: false })),
    risks: remarks,
  }
}

const changeText = ({ name, before, after }: ProposedSettingView): string => `Set ${name} from ${before} to ${after}`

function previewApply({ refused, servers }: DynamicView): Preview {
  const steps = servers.flatMap(({ server, statements }) =>
    statements.filter((each) => each.refused === undefined).map(({ sql }) => `${server}: ${sql}`),
  )
  const waits = servers.flatMap(({ server, restart }) =>
    restart.map(({ name, expected }) => `${server}: ${name}=${expected} needs a restart`),
  )
  const failed = servers.flatMap(({ server, failure }) => (failure === undefined ? [] : [`${server}: ${failure}`]))
  return {
    ...{ kind: 'apply-dynamic-config', possible: refused === undefined },
    ...(refused === undefined ? {} : { refusal: refused }),
    steps: steps.map((text) => ({ text, blocksWrites: false })),
    risks: [...waits, ...failed],
  }
}

const decidedAs = { accept: 'agreed', preserve: 'preserved', clear: 'cleared' } as const

const decidedTexts: Readonly<Record<DriftRequest['decision'], string>> = {
  accept: 'is kept for as long as the tags say the same as now',
  preserve: 'is kept whatever the tags say',
  clear: 'gives way to the tags at the next start',
}

/** What is decided about each difference, and what the server has then. */
function previewDecision(
  { server, differences }: DriftView,
  { decision, variable, everywhere }: Pick<DriftRequest, 'decision' | 'variable' | 'everywhere'>,
): Result<Preview> {
  const meant = differences.filter(({ name }) => variable === 'all' || name === variable.toLowerCase())
  const judged = meant.length === 0 ? fail('unknown-variable', `${variable} does not differ on ${server}`) : ok(meant)
  const texts = meant.map(({ name, running }) => `${name} = ${running} ${decidedTexts[decision]}`)
  return listed(`${decision}-difference`, judged, {
    texts: texts,
    changes: meant.map(({ name, state }) => ({
      what: `${name} of ${server}`,
      before: state,
      after: decidedAs[decision],
    })),
    follows: [
      everywhere && decision !== 'accept'
        ? 'Every server of the cluster gets the decision with its next archive.'
        : `The archive of ${server} is built again.`,
      ...(decision === 'clear'
        ? meant.map(({ name, expected }) => `${server} has ${name} = ${expected} after its next start.`)
        : []),
    ],
  })
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
    plan: async ({ manager, params: { cluster, variable }, server, query: { everywhere = false } }) => {
      const drift = await manager.configurator.drift({ cluster, server: server.id })
      return drift.ok ? previewDecision(drift.value, { decision, variable, everywhere }) : drift
    },
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
    plan: async ({ manager, params: { cluster }, caller }) => {
      const found = await manager.configurator.discover({ cluster, plan: true, user: caller.user })
      return found.ok ? ok({ ...found.value, ...previewDiscovery(found.value) }) : found
    },
    answer: ({ manager, params: { cluster }, caller }) =>
      manager.configurator.discover({ cluster, plan: false, user: caller.user }),
  }),

  'configuration.diff': route({
    methods: ['GET'],
    paths: ['/api/clusters/:cluster/diffvariables'],
    summary: 'Variables in which slaves differ from the master, those left out that differ by their nature.',
    grant: 'token',
    reply: {
      status: 200,
      type: 'json',
      schema: z.array(variableDifference),
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
    reply: { status: 200, type: 'json', schema: dynamicSchema },
    failures: { ...clusterNotFound, ...asked, ...usual('wrong-state', 'observing', 'other-manager') },
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
    plan: async ({ manager, params: { cluster }, caller }) => {
      const found = await manager.configurator.applyDynamic({ cluster, plan: true, user: caller.user })
      return found.ok ? ok({ ...found.value, ...previewApply(found.value) }) : found
    },
    answer: ({ manager, params: { cluster }, caller }) =>
      manager.configurator.applyDynamic({ cluster, plan: false, user: caller.user }),
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
