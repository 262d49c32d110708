// Servers that join and leave a cluster's watch.
import { z } from 'zod'
import { ok, type Result } from '../../lib/base/result.js'
import { addressText } from '../../lib/model/server.js'
import { clusterNotFound, usual } from './refusals.js'
import { route } from './route.js'
import { messageSchema } from './schemas.js'

const host = z.string().regex(/^[A-Za-z0-9_.:[\]-]{1,253}$/, 'a host name or address')
const port = z
  .string()
  .regex(/^\d{1,5}$/, 'a port number')
  .refine((text) => Number(text) >= 1 && Number(text) <= 65_535, 'a port number')
const type = z.enum(['mariadb', 'mysql', 'percona'])

const address = (params: { readonly host: string; readonly port: string }): string =>
  addressText({ host: params.host.replace(/^\[|\]$/g, ''), port: Number(params.port) })

const dropped = { status: 200, type: 'text', text: 'Monitor dropped' } as const
const dropFailures = {
  ...clusterNotFound,
  'unknown-server': [500, 'Server Not Found'],
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
    summary: 'Watch one more database server.',
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
      const added = await manager.addServer(params.cluster, address(params), caller.user)
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
    summary: 'Stop watching a server; it goes on running.',
    grant: 'cluster-drop-monitor',
    params: z.looseObject({ host, port, type: type.optional() }),
    reply: dropped,
    failures: dropFailures,
    example: { reply: 'Monitor dropped' },
    answer: ({ manager, params, caller }) => manager.dropServer(params.cluster, address(params), caller.user),
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
