// Servers that join and leave a cluster's watch.
import { isIPv6 } from 'node:net'
import { z } from 'zod'
import { ok, type Result } from '../../../../lib/base/result.js'
import { addressText } from '../../../../lib/model/server/server.js'
import { splitAddress } from '../../../../lib/settings/kit/address.js'
import { portText } from '../../kit/input.js'
import { clusterNotFound, usual } from '../../kit/refusals.js'
import { route } from '../../kit/route.js'
import { messageSchema } from '../../kit/schemas.js'

/** Names of labels up to 63 characters, IPv4, IPv6 with or without brackets; what is only digits and dots is no name. */
const hostPattern =
  /^(?:(?![\d.]+$)[A-Za-z0-9_](?:[A-Za-z0-9_-]{0,61}[A-Za-z0-9_])?(?:\.[A-Za-z0-9_](?:[A-Za-z0-9_-]{0,61}[A-Za-z0-9_])?)*\.?|(?:(?:25[0-5]|2[0-4]\d|1\d\d|[1-9]?\d)\.){3}(?:25[0-5]|2[0-4]\d|1\d\d|[1-9]?\d)|\[?[0-9A-Fa-f]*:[0-9A-Fa-f:.]*\]?)$/

const host = z
  .string()
  .max(253)
  .regex(hostPattern, 'a host name or address')
  .refine((text) => isHost(text), 'a host name or address')
const port = portText()
const proxyKinds = ['haproxy', 'proxysql', 'maxscale', 'sphinx'] as const
const type = z.enum(['mariadb', 'mysql', 'percona', ...proxyKinds])

/** An IPv6 address may come without its brackets here, since the port stands apart. */
const isHost = (text: string): boolean => isIPv6(text) || splitAddress(text)?.host === text.replace(/^\[|\]$/g, '')

/** Of a type that is one of proxies. */
const proxyKind = (given: string | undefined) => proxyKinds.find((kind) => kind === given)

const address = (params: { readonly host: string; readonly port: string }): string =>
  addressText({ host: params.host.replace(/^\[|\]$/g, ''), port: Number(params.port) })

const dropped = { status: 200, type: 'text', text: 'Monitor dropped' } as const
const dropFailures = {
  ...clusterNotFound,
  'unknown-server': [500, 'Server Not Found'],
  'unknown-proxy': [500, 'Server Not Found'],
  ...usual('bad-request', 'is-primary', 'operation-running', 'file-unwritable', 'actor-gone', 'deadline-passed'),
} as const

export const membershipRoutes = {
  'member.add': route({
    cli: 'server add',
    methods: ['GET', 'POST'],
    paths: [
      '/api/clusters/:cluster/actions/addserver/:host/:port',
      '/api/clusters/:cluster/actions/addserver/:host/:port/:type',
    ],
    summary: 'Add a database server, or a proxy by its administration port.',
    grant: 'cluster-create-monitor',
    params: z.looseObject({ host, port, type: type.optional() }),
    reply: { status: 200, type: 'json', schema: messageSchema },
    failures: {
      ...clusterNotFound,
      'server-exists': [409, 'Error adding new monitor'],
      ...usual('bad-request', 'operation-running', 'file-unwritable', 'actor-gone', 'deadline-passed'),
    },
    example: { reply: { msg: 'Monitor added' } },
    answer: async ({ manager, params, caller }): Promise<Result<unknown>> => {
      const kind = proxyKind(params.type)
      const change = { cluster: params.cluster, address: address(params), user: caller.user }
      const added = kind
        ? await manager.addProxy({ ...change, kind })
        : await manager.addServer(change.cluster, change.address, change.user)
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
    answer: ({ manager, params, caller }) => {
      const kind = proxyKind(params.type)
      const change = { cluster: params.cluster, address: address(params), user: caller.user }
      return kind
        ? manager.dropProxy({ ...change, kind })
        : manager.dropServer(change.cluster, change.address, change.user)
    },
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
    answer: ({ manager, params, server, caller }) =>
      manager.dropServer(params.cluster, addressText(server), caller.user),
  }),
}
