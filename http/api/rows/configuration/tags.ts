// The tags that configurations are made of: listed, added to a cluster, dropped from it.
import * as z from 'zod'
import type { TagKind } from '../../../../actors/protocol/manager/configurator.js'
import type { Grant } from '../../../../lib/access/grants.js'
import { ok } from '../../../../lib/base/result.js'
import { flag } from '../../kit/input.js'
import { planChange } from '../../kit/plan/foreseen.js'
import { asked, clusterNotFound, noCluster, usual } from '../../kit/refusals.js'
import { route } from '../../kit/route.js'

const tagsAfter = z
  .object({ tags: z.array(z.string()), added: z.array(z.string()), dropped: z.array(z.string()) })
  .meta({ id: 'TagsAfter' })

const refusals = {
  ...clusterNotFound,
  ...asked,
  ...usual('unknown-tag', 'wrong-value', 'file-unwritable', 'bad-request'),
} as const

interface Words {
  readonly kind: TagKind
  readonly word: 'db' | 'proxy'
  readonly grant: Grant
  readonly example: string
}

const words = {
  database: { kind: 'database', word: 'db', grant: 'db-config-flag', example: 'ssd' },
  proxy: { kind: 'proxy', word: 'proxy', grant: 'proxy-config-flag', example: 'readonmaster' },
} as const satisfies Record<TagKind, Words>

const texts: Readonly<Record<TagKind, string>> = { database: 'databases', proxy: 'proxies' }

const add = ({ kind, word, grant, example }: Words) =>
  route({
    methods: ['GET', 'POST'],
    paths: [`/api/clusters/:cluster/settings/actions/add-${word}-tag/:tag`],
    summary: `Add a tag to the configuration of the ${texts[kind]}; one that contradicts it refuses it, or goes with \`replace=true\`.`,
    grant,
    query: z.object({ replace: flag().optional() }),
    reply: { status: 200, type: 'json', schema: tagsAfter },
    failures: { ...refusals, ...usual('tag-conflict') },
    example: { reply: { tags: ['row', example], added: [example], dropped: [] } },
    plan: ({ manager, params: { cluster, tag }, query: { replace = false }, caller: { user } }) =>
      planChange(manager, 'add-tag', ({ configurator }) => configurator.addTag({ cluster, kind, tag, replace, user })),
    answer: ({ manager, params: { cluster, tag }, query, caller }) =>
      manager.configurator.addTag({ cluster, kind, tag, replace: query.replace ?? false, user: caller.user }),
  })

const drop = ({ kind, word, grant, example }: Words) =>
  route({
    methods: ['GET', 'POST'],
    paths: [`/api/clusters/:cluster/settings/actions/drop-${word}-tag/:tag`],
    summary: `Drop a tag from the configuration of the ${texts[kind]}.`,
    grant,
    reply: { status: 200, type: 'json', schema: tagsAfter },
    failures: refusals,
    example: { reply: { tags: ['row'], added: [], dropped: [example] } },
    plan: ({ manager, params: { cluster, tag }, caller: { user } }) =>
      planChange(manager, 'drop-tag', ({ configurator }) => configurator.dropTag({ cluster, kind, tag, user })),
    answer: ({ manager, params: { cluster, tag }, caller }) =>
      manager.configurator.dropTag({ cluster, kind, tag, user: caller.user }),
  })

export const tagRoutes = {
  'tags.list': route({
    methods: ['GET'],
    paths: ['/api/clusters/:cluster/tags'],
    summary: 'Every tag there is: those of databases, then those of proxies, whose category is `proxy`.',
    grant: 'token',
    reply: {
      status: 200,
      type: 'json',
      schema: z.array(z.object({ id: z.number().int(), name: z.string(), category: z.string() })),
    },
    failures: noCluster,
    example: { reply: [{ id: 1, name: 'ssd', category: 'disk' }] },
    answer: ({ manager }) => ok(manager.configurator.tags()),
  }),
  'tags.add-database': add(words.database),
  'tags.drop-database': drop(words.database),
  'tags.add-proxy': add(words.proxy),
  'tags.drop-proxy': drop(words.proxy),
}
