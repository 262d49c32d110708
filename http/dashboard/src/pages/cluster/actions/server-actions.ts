// What can be done with one server of a cluster, in the order of a menu. Which of it fits its state is said here; whether it would work, by its plan.
import type { Server } from '../../../model/cluster/server.js'
import type { Action } from '../../../plan/action.js'

/** An action that is offered, and why not now where that is known. */
export interface Offer {
  readonly action: Action
  readonly refused?: string
}

export const switchoverTo = (cluster: string, { name }: Pick<Server, 'name'>): Action => ({
  title: `Switch over to ${name}`,
  row: 'POST /api/clusters/:cluster/servers/:server/actions/switchover',
  params: { cluster, server: name },
  grant: 'cluster-switchover',
  kind: 'interrupting',
  follow: 'operation',
  command: ['switchover', '--to', name],
})

export const relocateTo = (cluster: string, server: Pick<Server, 'name'>, source: Pick<Server, 'name'>): Action => ({
  title: `Replicate ${server.name} from ${source.name}`,
  row: 'POST /api/clusters/:cluster/servers/:server/actions/relocate/:source',
  params: { cluster, server: server.name, source: source.name },
  grant: 'db-replication',
  kind: 'interrupting',
  follow: 'operation',
  command: ['relocate', server.name, '--to', source.name],
})

export const maintenanceOf = (
  cluster: string,
  { name, isMaintenance }: Pick<Server, 'name' | 'isMaintenance'>,
): Action =>
  isMaintenance
    ? {
        ...{
          title: `End the maintenance of ${name}`,
          row: 'POST /api/clusters/:cluster/servers/:server/actions/del-maintenance',
          kind: 'harmless',
        },
        ...{ params: { cluster, server: name }, grant: 'db-maintenance' },
        command: ['server', 'del-maintenance', name],
      }
    : {
        ...{
          title: `Put ${name} into maintenance`,
          row: 'POST /api/clusters/:cluster/servers/:server/actions/set-maintenance',
          kind: 'interrupting',
        },
        ...{ params: { cluster, server: name }, grant: 'db-maintenance' },
        command: ['server', 'set-maintenance', name],
      }

/** Actions beside those that move the server: harmless first, interrupting after them. */
export function offersOf(cluster: string, server: Server): readonly Offer[] {
  const { name, rating, role, channels } = server
  const params = { cluster, server: name }
  const rate = (
    title: string,
    row:
      | 'POST /api/clusters/:cluster/servers/:server/actions/set-prefered'
      | 'POST /api/clusters/:cluster/servers/:server/actions/set-ignored'
      | 'POST /api/clusters/:cluster/servers/:server/actions/set-unrated',
  ): Offer => ({
    action: { title, row, params, grant: 'cluster-failover', kind: 'harmless' },
  })
  const isRunning = channels.some(({ io, sql }) => io !== 'stopped' || sql !== 'stopped')
  const replication: Action = isRunning
    ? {
        ...of(params, 'Stop replication', 'POST /api/clusters/:cluster/servers/:server/actions/stop-slave'),
        kind: 'interrupting',
      }
    : {
        ...of(params, 'Start replication', 'POST /api/clusters/:cluster/servers/:server/actions/start-slave'),
        kind: 'harmless',
      }
  const offers: Offer[] = []
  if (rating !== 'preferred')
    offers.push(rate(`Prefer ${name} in elections`, 'POST /api/clusters/:cluster/servers/:server/actions/set-prefered'))
  if (rating !== 'ignored')
    offers.push(rate(`Never elect ${name}`, 'POST /api/clusters/:cluster/servers/:server/actions/set-ignored'))
  if (rating !== undefined)
    offers.push(
      rate(`Neither prefer nor ignore ${name}`, 'POST /api/clusters/:cluster/servers/:server/actions/set-unrated'),
    )
  if (channels.length > 0 && role !== 'member') offers.push({ action: replication })
  return offers
}

type ReplicationRow =
  | 'POST /api/clusters/:cluster/servers/:server/actions/stop-slave'
  | 'POST /api/clusters/:cluster/servers/:server/actions/start-slave'

const of = (params: { readonly cluster: string; readonly server: string }, words: string, row: ReplicationRow) =>
  ({ title: `${words} on ${params.server}`, row, params, grant: 'db-replication' }) as const
