// `status`: whether the manager, or one cluster, is well.
import type { Command } from 'commander'
import type { Session } from '../../../http/client/session.js'
import { clusterPath, type WireAlert, type WireAlerts } from '../../../http/client/wire.js'
import { call, readClusters } from '../kit/connect.js'
import type { Context } from '../kit/context.js'
import { present } from '../kit/present.js'
import { canWatch } from '../kit/watchable.js'
import { paint } from '../output/paint.js'

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
  const path = cluster === undefined ? '/api/status' : clusterPath(cluster, 'status')
  const { alive } = (await call(session, `GET ${path}`, { anonymous: true })) as { readonly alive: string }
  if (!withErrors) return { alive }
  const clusters = cluster === undefined ? await readClusters(session) : [cluster]
  const alerts: Record<string, WireAlerts> = {}
  for (const name of clusters)
    alerts[name] = (await call(session, `GET ${clusterPath(name, 'topology', 'alerts')}`)) as WireAlerts
  return { alive, alerts }
}

export const renderStatus = ({ alive, alerts = {} }: StatusReport): string =>
  [
    alive,
    ...Object.entries(alerts).flatMap(([cluster, { errors, warnings }]) => [
      ...errors.map((alert) => line(cluster, alert, 'red')),
      ...warnings.map((alert) => line(cluster, alert, 'yellow')),
    ]),
    ...(Object.values(alerts).some(({ errors, warnings }) => errors.length + warnings.length > 0) ? [RUNBOOK] : []),
  ].join('\n')

/** Below lists of findings. */
const RUNBOOK = 'manager-cli runbook <code> shows what one means, how to check it and what to do.'

const line = (cluster: string, { number, desc, hint }: WireAlert, style: 'red' | 'yellow'): string =>
  [`${cluster}: ${paint(style, number)} ${desc}`, hint].filter(Boolean).join(' ')
