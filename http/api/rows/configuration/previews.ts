// What the configuration of a cluster is made of, and what other tags and resources would change in its files.
import * as z from 'zod'
import { ok } from '../../../../lib/base/result.js'
import { flag } from '../../kit/input.js'
import { clusterNotFound, usual } from '../../kit/refusals.js'
import { route } from '../../kit/route.js'

const count = z.number().min(0)

const memorySchema = z
  .object({
    ...{ usableMb: count, workingConnections: count, sumKb: count },
    figures: z.array(z.object({ name: z.string(), kb: count, why: z.string() })),
  })
  .meta({ id: 'MemorySplit' })

const configurationSchema = z
  .object({
    tags: z.array(
      z.object({
        ...{ name: z.string(), category: z.string(), doc: z.string(), chosen: z.boolean() },
        ...{ includes: z.array(z.string()), excludes: z.array(z.string()) },
      }),
    ),
    memory: memorySchema,
  })
  .meta({ id: 'Configuration' })

const texts = z.array(z.string())

const previewSchema = z
  .object({
    tags: z.object({ tags: texts, added: texts, dropped: texts }),
    memory: z.object({ before: memorySchema, after: memorySchema }),
    servers: z.array(
      z.object({
        server: z.string(),
        differences: z.array(
          z.object({ name: z.string(), before: z.string().optional(), after: z.string().optional() }),
        ),
        ...{ restart: z.boolean(), reprov: z.boolean(), statements: texts },
        files: z.array(z.object({ path: z.string(), before: z.string(), after: z.string() })),
      }),
    ),
  })
  .meta({ id: 'ConfigurationPreview' })

/** The settings of resources that may be given another value. */
const resource = z.string().max(200).optional()
const resourceFields = {
  ...{ 'prov-db-memory': resource, 'prov-db-memory-shared-pct': resource, 'prov-db-memory-threaded-pct': resource },
  ...{ 'prov-db-iops': resource, 'prov-db-cores': resource, 'prov-db-max-connections': resource },
  ...{ 'prov-db-disk': resource, 'prov-db-expire-log-days': resource },
}

const query = z.object({
  add: z.string().max(2_000).optional().describe('Tags to add, with commas.'),
  drop: z.string().max(2_000).optional().describe('Tags to drop, with commas.'),
  replace: flag().optional().describe('Drop the tags that contradict an added one.'),
  ...resourceFields,
})

const exampleMemory = {
  ...{ usableMb: 192, workingConnections: 12, sumKb: 190_464 },
  figures: [{ name: 'innodbBufferPool', kb: 131_072, why: 'innodb 60 % of 192 MB (256 less 64)' }],
}

const split = (text = ''): readonly string[] => text.split(',').flatMap((each) => each.trim() || [])

export const previewRoutes = {
  'configuration.parts': route({
    methods: ['GET'],
    paths: ['/api/clusters/:cluster/configuration'],
    summary: 'Every tag of databases with its purpose, and the split of the memory with the reason for each size.',
    grant: 'token',
    reply: { status: 200, type: 'json', schema: configurationSchema },
    failures: { ...clusterNotFound, ...usual('bad-configuration') },
    example: {
      reply: {
        tags: [
          {
            ...{ name: 'ssd', category: 'disk', doc: 'Disks without seeks.', chosen: true },
            ...{ includes: [], excludes: ['hdd'] },
          },
        ],
        memory: exampleMemory,
      },
    },
    answer: ({ manager, params }) => manager.configurator.configuration(params.cluster),
  }),

  'configuration.preview': route({
    methods: ['GET'],
    paths: ['/api/clusters/:cluster/configuration/preview'],
    summary:
      'What other tags and resources would change: options, files, split of the memory, and whether a restart or a new data folder is needed. Nothing is changed.',
    grant: ['db-config-flag', 'db-show-variables', 'cluster-settings'],
    query,
    reply: { status: 200, type: 'json', schema: previewSchema },
    failures: {
      ...clusterNotFound,
      ...usual('bad-configuration', 'unknown-tag', 'tag-conflict', 'wrong-value', 'unknown-setting'),
    },
    example: {
      reply: {
        tags: { tags: ['row', 'ssd'], added: ['ssd'], dropped: [] },
        memory: { before: exampleMemory, after: exampleMemory },
        servers: [
          {
            ...{ server: 'db1:3306', restart: false, reprov: false },
            ...{ statements: ['SET GLOBAL innodb_flush_neighbors = 0'] },
            differences: [{ name: 'innodb_flush_neighbors', after: '0' }],
            files: [
              {
                ...{ path: 'etc/mysql/conf.d/ssd.cnf', before: '' },
                after: '[mysqld]\ninnodb_flush_neighbors = 0\n',
              },
            ],
          },
        ],
      },
    },
    answer: async ({ manager, params: { cluster }, query: { add, drop, replace = false, ...resources } }) => {
      const given = Object.entries(resources).flatMap(([name, text]) => (text === undefined ? [] : [[name, text]]))
      const preview = await manager.configurator.preview({
        ...{ cluster, add: split(add), drop: split(drop), replace },
        resources: Object.fromEntries(given),
      })
      return preview.ok ? ok(preview.value) : preview
    },
  }),
}
