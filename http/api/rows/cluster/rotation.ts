// New passwords for the accounts of the manager and of replicas.
import * as z from 'zod'
import { fail, ok } from '../../../../lib/base/result.js'
import { rotationPhases } from '../../../../lib/model/operation/rotation.js'
import { flag } from '../../kit/input.js'
import { listed } from '../../kit/plan/planned.js'
import { clusterNotFound, noCluster, usual } from '../../kit/refusals.js'
import { route } from '../../kit/route.js'
import { renderRotation } from '../../views/cluster/rotation.js'
import { operationFailures } from './operations.js'

const rotationSchema = z
  .looseObject({
    id: z.string(),
    owner: z.string(),
    phase: z.enum(rotationPhases),
    startedAt: z.number(),
    endedAt: z.number().optional(),
    users: z.array(z.string()),
    renewed: z.array(z.string()),
    informed: z.array(z.string()).optional(),
    turn: z.string().optional(),
    waitsFor: z.string().optional(),
    message: z.string().optional(),
    cancelledBy: z.string().optional(),
    back: z.boolean().optional(),
    settling: z.boolean().optional(),
  })
  .meta({ id: 'Rotation' })

const example = {
  ...{ id: 'rotation-20261121T074012345', owner: 'admin', phase: 'renewing', startedAt: 1795246812345 },
  ...{ users: ['monitor', 'replication'], renewed: ['db1'], turn: 'db2' },
}

export const rotationRoutes = {
  'passwords.rotate': route({
    methods: ['GET', 'POST'],
    paths: ['/api/clusters/:cluster/actions/rotate-passwords'],
    summary:
      'New passwords for the accounts that monitor and that replicate, on every server, in the source definition of every slave, one after the other, and in ProxySQL and MaxScale where they log in with one of the accounts. Old and new ones are both good until all use the new ones; a manager that is killed goes on. `wait=true` answers when it has ended; `C/rotation` shows how far it is.',
    grant: 'cluster-rotate-passwords',
    query: z.object({ wait: flag().optional() }),
    reply: {
      status: 200,
      type: 'json',
      schema: rotationSchema,
      location: (value) => (value as { readonly location?: string }).location,
    },
    failures: { ...clusterNotFound, ...operationFailures, ...usual('unsupported', 'file-unwritable', 'bad-request') },
    example: { reply: example },
    plan: async ({ manager, params }) => {
      const planned = await manager.planRotation(params.cluster)
      const accounts = planned.ok ? planned.value.users.join(', ') : ''
      const servers = manager.members(params.cluster)?.servers ?? []
      return listed('rotate-passwords', planned, [
        `Give ${accounts} a second password on every server; the old one stays valid`,
        ...servers.map(
          ({ name }) => `Set the new replication password in the source definition of ${name}, where it replicates`,
        ),
        'Set the new passwords in the settings of this manager, and in proxies that log in with one of the accounts',
        `Remove the old passwords of ${accounts} on every server`,
      ])
    },
    answer: async ({ manager, params, query, caller, asker }) => {
      const request = { user: caller.user, asker, wait: query.wait ?? false }
      const started = await manager.rotatePasswords(params.cluster, request)
      if (!started.ok) return started
      const location = `/api/clusters/${encodeURIComponent(params.cluster)}/rotation`
      return ok({ ...renderRotation(started.value, manager.members(params.cluster)?.servers ?? []), location })
    },
  }),

  'passwords.cancel': route({
    methods: ['GET', 'POST'],
    paths: ['/api/clusters/:cluster/actions/cancel-rotate-passwords'],
    summary:
      'Ends a rotation of passwords that waits. As long as nothing uses the new passwords it goes back to the old ones. After that the new ones stay in force, and slaves and proxies that were not changed yet go on with the old ones, which stay good: a finding says so until the next rotation. Once the old ones began to go it ends on the servers that answer; the others get the change with the log of the master.',
    grant: 'cluster-rotate-passwords',
    reply: { status: 200, type: 'json', schema: rotationSchema },
    failures: { ...clusterNotFound, ...usual('wrong-state', 'file-unwritable', 'actor-gone') },
    example: { reply: { ...example, cancelledBy: 'admin' } },
    plan: ({ manager, params }) => {
      const rotation = manager.rotation(params.cluster)
      const judged =
        rotation && rotation.endedAt === undefined
          ? ok(rotation)
          : fail('wrong-state', 'no rotation of passwords is running')
      return listed('cancel-rotate-passwords', judged, {
        texts: rotation ? [`End ${rotation.id} of ${rotation.users.join(', ')}`] : [],
        changes: rotation ? [{ what: rotation.id, before: rotation.phase, after: 'cancelled' }] : [],
        follows: [
          'As long as nothing uses the new passwords, the old ones are restored.',
          'After that the new ones stay in force; what was not changed yet goes on with the old ones, which stay valid.',
        ],
      })
    },
    answer: async ({ manager, params, caller }) => {
      const cancelled = await manager.cancelRotation(params.cluster, caller.user)
      if (!cancelled.ok) return cancelled
      return ok(renderRotation(cancelled.value, manager.members(params.cluster)?.servers ?? []))
    },
  }),

  'passwords.rotation': route({
    methods: ['GET'],
    paths: ['/api/clusters/:cluster/rotation'],
    summary:
      'The latest rotation of passwords: how far it is, what it waits for, or why it stopped; null when there never was one.',
    grant: 'token',
    reply: { status: 200, type: 'json', schema: rotationSchema.nullable() },
    failures: noCluster,
    example: { reply: example },
    answer: async ({ manager, params }) => {
      const rotation = manager.rotation(params.cluster)
      return ok(rotation ? renderRotation(rotation, manager.members(params.cluster)?.servers ?? []) : null)
    },
  }),
}
