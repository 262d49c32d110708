// `status`: whether the manager, or one cluster, is well.
import type { Command } from 'commander'
import type { Session } from '../../../../http/client/session.js'
import type { WireAlerts } from '../../../../http/client/wire.js'
import { renderAlerts } from '../../answer/alerts.js'
import { call, readClusters } from '../../kit/connect.js'
import type { Context } from '../../kit/context.js'
import { present } from '../../kit/present.js'
import { canWatch } from '../../kit/watchable.js'

export interface StatusReport {
  /** `running`, `starting` or, of a cluster, `errors`. */
  readonly alive: string
  /** Open errors and warnings by cluster; absent unless asked for. */
  readonly alerts?: Readonly<Record<string, WireAlerts>>
}

export interface StatusRequest {
  readonly cluster: string | undefined
  readonly withErrors: boolean
}

export function addStatus(program: Command, { flags, session }: Context): void {
  canWatch(program.command('status'))
    .description('state of the manager: running or starting; with --cluster: running or errors')
    .option('--with-errors', 'also list the open errors and warnings; requires a login', false)
    .action(async ({ withErrors }: { readonly withErrors: boolean }) => {
      const { cluster } = flags()
      await present(flags(), { read: () => readStatus(session(), { cluster, withErrors }), render: renderStatus })
    })
}

/** The word alone needs no login. */
export async function readStatus(session: Session, { cluster, withErrors }: StatusRequest): Promise<StatusReport> {
  const { alive } = await (cluster === undefined
    ? call(session, 'GET /api/status', { anonymous: true })
    : call(session, 'GET /api/clusters/:cluster/status', { params: { cluster }, anonymous: true }))
  if (!withErrors) return { alive }
  const clusters = cluster === undefined ? await readClusters(session) : [cluster]
  const alerts: Record<string, WireAlerts> = {}
  for (const name of clusters)
    alerts[name] = await call(session, 'GET /api/clusters/:cluster/topology/alerts', { params: { cluster: name } })
  return { alive, alerts }
}

export const renderStatus = ({ alive, alerts }: StatusReport): string =>
  [alive, ...(alerts === undefined ? [] : ['', renderAlerts(ofClusters(alerts))])].join('\n')

/** All of them with their clusters. */
function ofClusters(alerts: Readonly<Record<string, WireAlerts>>): WireAlerts {
  const every = (kind: keyof WireAlerts) =>
    Object.entries(alerts).flatMap(([cluster, each]) => each[kind].map((alert) => ({ ...alert, cluster })))
  return { errors: every('errors'), warnings: every('warnings') }
}
