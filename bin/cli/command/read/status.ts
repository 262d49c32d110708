// `status`: whether the manager and its clusters, or one cluster, are well.
import type { Command } from 'commander'
import { problemOf } from '../../../../http/client/fleet.js'
import type { Session } from '../../../../http/client/session.js'
import type { WireAlerts } from '../../../../http/client/wire.js'
import type { FleetRow } from '../../../../lib/model/fleet/row.js'
import { renderAlerts } from '../../answer/alerts.js'
import { call, connectUnasked, readClusters } from '../../kit/connect.js'
import type { Context } from '../../kit/context.js'
import { present } from '../../kit/present.js'
import { canWatch } from '../../kit/watchable.js'
import { EXIT, Exit } from '../../output/exit.js'
import { talk } from '../../output/output.js'

export interface StatusReport {
  /** `running`, `starting` or, of a cluster, `errors`. */
  readonly alive: string
  /** Of the manager, with a login: a line for each cluster in which an error is open; absent where there is none. */
  readonly troubled?: readonly string[]
  /** What could not be seen, and how it can be; absent where all was seen. */
  readonly unseen?: string
  /** Open errors and warnings by cluster; absent unless asked for. */
  readonly alerts?: Readonly<Record<string, WireAlerts>>
}

export interface StatusRequest {
  readonly cluster: string | undefined
  readonly withErrors: boolean
  /** For what needs a login: a session that never asks for a password. */
  readonly unasked?: Session
}

export function addStatus(program: Command, { flags, session }: Context): void {
  canWatch(program.command('status'))
    .description(
      'state of the manager: running or starting, and with a login the clusters that have errors; with --cluster: running or errors. Ends with 1 where an error is open',
    )
    .option('--with-errors', 'also list the open errors and warnings; requires a login', false)
    .action(async ({ withErrors }: { readonly withErrors: boolean }) => {
      const { cluster } = flags()
      let failed = false
      let unseen: string | undefined
      const read = async () => {
        const report = await readStatus(session(), { cluster, withErrors, unasked: connectUnasked(flags()) })
        failed = hasFailed(report)
        unseen = report.unseen
        return report
      }
      await present(flags(), { read, render: renderStatus })
      // Beside the word, which scripts compare.
      if (unseen !== undefined && flags().output === 'table') talk(unseen)
      if (failed) throw new Exit(EXIT.error, '')
    })
}

/** An error is open in the cluster that was asked for, or in any that may be seen. */
export const hasFailed = ({ alive, troubled }: StatusReport): boolean => alive === 'errors' || troubled !== undefined

/** The word alone needs no login. */
export async function readStatus(
  session: Session,
  { cluster, withErrors, unasked }: StatusRequest,
): Promise<StatusReport> {
  const { alive } = await (cluster === undefined
    ? call(session, 'GET /api/status', { anonymous: true })
    : call(session, 'GET /api/clusters/:cluster/status', { params: { cluster }, anonymous: true }))
  const rows = cluster === undefined && unasked !== undefined ? await readRows(unasked) : []
  const lines = (rows ?? []).flatMap(troubleOf)
  const report = {
    alive,
    ...(lines.length === 0 ? {} : { troubled: lines }),
    ...(rows === undefined ? { unseen: UNSEEN } : {}),
  }
  if (!withErrors) return report
  const clusters = cluster === undefined ? await readClusters(session) : [cluster]
  const alerts: Record<string, WireAlerts> = {}
  for (const name of clusters)
    alerts[name] = await call(session, 'GET /api/clusters/:cluster/topology/alerts', { params: { cluster: name } })
  return { ...report, alerts }
}

const UNSEEN =
  'Without a login the clusters are not seen: whether errors are open there is unknown. `manager-cli login` keeps one.'

/** Undefined without a login. */
const readRows = (session: Session): Promise<readonly FleetRow[] | undefined> =>
  call(session, 'GET /api/fleet').catch((error: unknown) => {
    if (error instanceof Exit && error.status === EXIT.login) return undefined
    throw error
  })

const troubleOf = (row: FleetRow): readonly string[] =>
  row.errors > 0 ? [`${row.name}: ${row.state}. ${problemOf(row)}`] : []

export const renderStatus = ({ alive, troubled = [], alerts }: StatusReport): string =>
  [alive, ...troubled, ...(alerts === undefined ? [] : ['', renderAlerts(ofClusters(alerts))])].join('\n')

/** All of them with their clusters. */
function ofClusters(alerts: Readonly<Record<string, WireAlerts>>): WireAlerts {
  const every = (kind: keyof WireAlerts) =>
    Object.entries(alerts).flatMap(([cluster, each]) => each[kind].map((alert) => ({ ...alert, cluster })))
  return { errors: every('errors'), warnings: every('warnings') }
}
