// Every setting there is with its meaning, and those of the server scope as they are.
import * as z from 'zod'
import { globalGrants } from '../../../../lib/access/grants.js'
import { ok } from '../../../../lib/base/result.js'
import { describeSettings } from '../../../../lib/settings/index.js'
import { route } from '../../kit/route.js'
import { settingSchema } from '../../schemas/shapes.js'

const describedSchema = z
  .object({
    ...{ name: z.string(), group: z.string(), doc: z.string() },
    kind: z.enum(['boolean', 'integer', 'text', 'choice', 'list', 'hosts', 'shares', 'cron', 'secret']),
    ...{ allowed: z.string(), unit: z.string().optional(), choices: z.array(z.string()).optional() },
    ...{ default: z.string(), scope: z.enum(['server', 'cluster']), apply: z.enum(['live', 'restart']) },
    grant: z.string(),
  })
  .meta({ id: 'DescribedSetting' })

export const catalogueRoutes = {
  'settings.catalogue': route({
    methods: ['GET'],
    paths: ['/api/settings/catalogue'],
    summary:
      'Every setting with its group, meaning, allowed values, default, scope, and whether it acts at once or at the next start.',
    grant: 'token',
    reply: { status: 200, type: 'json', schema: z.array(describedSchema), list: { fields: ['name', 'group'] } },
    failures: {},
    example: {
      reply: [
        {
          ...{ name: 'failover-limit', group: 'failover', doc: 'Failovers before none is automatic.', kind: 'integer' },
          ...{ allowed: 'a whole number from 0', default: '5', scope: 'cluster', apply: 'live' },
          grant: 'cluster-settings',
        },
      ],
    },
    answer: () => ok(described),
  }),

  'settings.list-global': route({
    methods: ['GET'],
    paths: ['/api/settings'],
    summary: 'The settings of the server scope with their origins, secrets masked.',
    grant: globalGrants,
    reply: { status: 200, type: 'json', schema: z.array(settingSchema), list: { fields: ['name', 'origin'] } },
    failures: {},
    example: { reply: [{ name: 'api-token-timeout', value: 48, origin: 'default', immutable: false }] },
    answer: ({ manager }) => ok(manager.settings('').filter(({ name }) => isOfServer.has(name))),
  }),
}

const described = describeSettings()
const isOfServer: ReadonlySet<string> = new Set(
  described.flatMap(({ name, scope }) => (scope === 'server' ? [name] : [])),
)
