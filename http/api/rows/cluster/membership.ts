// Servers that join and leave a cluster's watch.
import * as z from 'zod'
import type { Caller, ChangesFace } from '../../../../actors/protocol/manager/face.js'
import { ok, type Result } from '../../../../lib/base/result.js'
import { addressText } from '../../../../lib/model/server/server.js'
import { hostText } from '../../kit/address.js'
import { flag, portText } from '../../kit/input.js'
import { planChange } from '../../kit/plan/foreseen.js'
import { clusterNotFound, usual } from '../../kit/refusals.js'
import { route } from '../../kit/route.js'
import { messageSchema } from '../../schemas/shapes.js'

const host = hostText()
const port = portText()
const proxyKinds = ['haproxy', 'proxysql', 'maxscale', 'sphinx'] as const
const type = z.enum(['mariadb', 'mysql', 'percona', ...proxyKinds])

/** Of a type that is one of proxies. */
const proxyKind = (given: string | undefined) => proxyKinds.find((kind) => kind === given)

const address = (params: { readonly host: string; readonly port: string }): string =>
  addressText({ host: params.host.replace(/^\[|\]$/g, ''), port: Number(params.port) })

const dropped = { status: 200, type: 'text', text: 'Monitor dropped' } as const
const dropFailures = {
  ...clusterNotFound,
  'unknown-server': [500, 'Server Not Found'],
  'unknown-proxy': [500, 'Server Not Found'],
  ...usual(
    'setting-grant',
    'bad-request',
    'is-primary',
    'operation-running',
    'file-unwritable',
    'actor-gone',
    'deadline-passed',
  ),
} as const

export const membershipRoutes = {
  'member.add': route({
    cli: 'server add',
    methods: ['GET', 'POST'],
    paths: [
      '/api/clusters/:cluster/actions/addserver/:host/:port',
      '/api/clusters/:cluster/actions/addserver/:host/:port/:type',
    ],
    summary:
      'Add a database server, or a proxy by its administration port. A server whose name resolves to no address is added with `force=true` only.',
    grant: 'cluster-create-monitor',
    params: z.looseObject({ host, port, type: type.optional() }),
    query: z.object({ force: flag().optional() }),
    reply: { status: 200, type: 'json', schema: messageSchema },
    failures: {
      ...clusterNotFound,
      'server-exists': [409, 'Error adding new monitor'],
      ...usual('setting-grant', 'bad-request', 'operation-running', 'file-unwritable', 'actor-gone', 'deadline-passed'),
    },
    example: { reply: { msg: 'Monitor added' } },
    plan: ({ manager, params, query, caller }) =>
      planChange(manager, 'add-server', (changes) => addMember(changes, { ...params, ...query }, caller)),
    answer: async ({ manager, params, query, caller }): Promise<Result<unknown>> => {
      const added = await addMember(manager, { ...params, ...query }, caller)
      return added.ok ? ok({ msg: 'Monitor added' }) : added
    },
  }),

  'member.drop': route({
    cli: 'server drop-address',
    methods: ['GET', 'POST'],
    paths: [
      '/api/clusters/:cluster/actions/dropserver/:host/:port',
      '/api/clusters/:cluster/actions/dropserver/:host/:port/:type',
      '/cluster/:cluster/actions/dropserver/:host/:port',
      '/cluster/:cluster/actions/dropserver/:host/:port/:type',
    ],
    summary: 'Stop watching a server, or configuring a proxy; it goes on running.',
    grant: 'cluster-drop-monitor',
    params: z.looseObject({ host, port, type: type.optional() }),
    reply: dropped,
    failures: dropFailures,
    example: { reply: 'Monitor dropped' },
    plan: ({ manager, params, caller }) =>
      planChange(manager, 'drop-server', (changes) => dropMember(changes, params, caller)),
    answer: ({ manager, params, caller }) => dropMember(manager, params, caller),
  }),

  'member.drop-named': route({
    cli: 'server drop',
    methods: ['GET', 'POST'],
    paths: ['/api/clusters/:cluster/actions/dropserver/:server'],
    summary: 'Stop watching a server named by id, name or address; it goes on running.',
    grant: 'cluster-drop-monitor',
    reply: dropped,
    failures: dropFailures,
    example: { reply: 'Monitor dropped' },
    plan: ({ manager, params, server, caller }) =>
      planChange(manager, 'drop-server', (changes) =>
        changes.dropServer({ ...requested(params, caller), address: addressText(server) }),
      ),
    answer: ({ manager, params, server, caller }) =>
      manager.dropServer({ ...requested(params, caller), address: addressText(server) }),
  }),
}

interface Named {
  readonly cluster: string
  readonly host: string
  readonly port: string
  readonly type?: string
  readonly force?: boolean | undefined
}

const requested = ({ cluster }: Pick<Named, 'cluster'>, { user, may }: Caller) => ({ cluster, user, may })

function addMember(changes: ChangesFace, params: Named, caller: Caller): Promise<Result<void>> {
  const kind = proxyKind(params.type)
  const change = { ...requested(params, caller), address: address(params) }
  return kind
    ? changes.addProxy({ ...change, kind })
    : changes.addServer(params.force ? { ...change, force: true } : change)
}

function dropMember(changes: ChangesFace, params: Named, caller: Caller): Promise<Result<void>> {
  const kind = proxyKind(params.type)
  const change = { ...requested(params, caller), address: address(params) }
  return kind ? changes.dropProxy({ ...change, kind }) : changes.dropServer(change)
}
