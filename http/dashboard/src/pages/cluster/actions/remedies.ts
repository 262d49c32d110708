// Findings that an action of the interface answers: the action, one click and its plan away.
import type { Finding } from '../../../model/cluster/finding.js'
import type { Server } from '../../../model/cluster/server.js'
import type { Action } from '../../../plan/action.js'
import { formReplicas } from './cluster-actions.js'
import { maintenanceOf } from './server-actions.js'

type Remedy = (cluster: string, server: Pick<Server, 'name' | 'isMaintenance'> | undefined) => Action | undefined

const failOver: Remedy = (cluster) => ({
  ...{
    title: 'Fail over',
    row: 'POST /api/clusters/:cluster/actions/failover',
    params: { cluster },
    grant: 'cluster-failover',
  },
  ...{ kind: 'interrupting', follow: 'operation', command: ['failover'] },
})

const resetControl: Remedy = (cluster) => ({
  ...{
    title: 'Reset the failover counter',
    row: 'POST /api/clusters/:cluster/actions/reset-failover-control',
    params: { cluster },
  },
  ...{ grant: 'cluster-settings', kind: 'harmless' },
})

const startReplication: Remedy = (cluster, server) =>
  server && {
    ...{
      title: `Start replication on ${server.name}`,
      row: 'POST /api/clusters/:cluster/servers/:server/actions/start-slave',
      grant: 'db-replication',
    },
    ...{ params: { cluster, server: server.name }, kind: 'harmless' },
  }

const form: Remedy = (cluster) => formReplicas(cluster)

const refill: Remedy = (cluster, server) =>
  server && {
    ...{
      title: `Fill ${server.name} from another server`,
      row: 'POST /api/clusters/:cluster/servers/:server/actions/reseed/:backupMethod',
      grant: 'db-restore',
    },
    ...{ params: { cluster, server: server.name, backupMethod: 'cheapest' }, kind: 'destroying' },
    ...{ follow: 'job', command: ['reseed', server.name] },
  }

const backup =
  (kind: 'logical' | 'physical'): Remedy =>
  (cluster) => ({
    ...{
      title: `Make a ${kind} backup`,
      row: `POST /api/clusters/:cluster/actions/backup-${kind}`,
      params: { cluster },
      grant: 'db-backup',
    },
    ...{ kind: 'harmless', follow: 'job', command: ['backup', `--${kind}`] },
  })

const restartAll: Remedy = (cluster) => ({
  ...{
    title: 'Restart every server, one by one',
    row: 'POST /api/clusters/:cluster/actions/rolling',
    params: { cluster },
  },
  ...{ grant: 'cluster-rolling', kind: 'interrupting', follow: 'rolling', command: ['rolling', 'restart'] },
})

const remedies: Readonly<Record<string, Remedy>> = {
  ERR00002: failOver,
  ERR00010: form,
  ERR00012: form,
  ERR00027: resetControl,
  ERR00029: resetControl,
  ERR00042: startReplication,
  ERR00087: startReplication,
  ERR00114: failOver,
  ERR00117: resetControl,
  ERR00125: refill,
  ERR00126: refill,
  ERR00127: refill,
  ERR00128: refill,
  ERR00140: failOver,
  WARN0101: backup('logical'),
  WARN0111: backup('logical'),
  WARN0112: backup('physical'),
  WARN0179: restartAll,
  WARN0186: refill,
  WARN0190: backup('logical'),
}

/** Undefined where a person has to do something outside of the manager. */
export function remedyOf(cluster: string, finding: Finding, servers: readonly Server[]): Action | undefined {
  const server = servers.find(({ name }) => name === finding.server)
  if (server?.isMaintenance && finding.code === 'WARN0171') return maintenanceOf(cluster, server)
  return remedies[finding.code]?.(cluster, server)
}

/** The same where only the names are known, each action once: several findings of a cluster may have one remedy. */
export function remediesOf(
  code: string,
  places: readonly { readonly cluster: string; readonly server?: string }[],
): readonly Action[] {
  const remedy = remedies[code]
  if (!remedy) return []
  const actions = places.flatMap(({ cluster, server }) =>
    cluster === ''
      ? []
      : (remedy(cluster, server === undefined ? undefined : { name: server, isMaintenance: false }) ?? []),
  )
  return [...new Map(actions.map((action) => [JSON.stringify([action.row, action.params]), action])).values()]
}
