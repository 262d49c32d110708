// `topology`: the servers of a cluster, their states and positions.
import type { Command } from 'commander'
import type { Session } from '../../../http/client/session.js'
import {
  answers,
  clusterPath,
  gradeState,
  lagOf,
  positionOf,
  semiSyncOf,
  type WireCluster,
  type WireServer,
} from '../../../http/client/wire.js'
import { call, chooseCluster } from '../kit/connect.js'
import type { Context } from '../kit/context.js'
import { present } from '../kit/present.js'
import { canWatch } from '../kit/watchable.js'
import { paint } from '../output/paint.js'
import { type Column, renderTable } from '../output/table.js'

export interface TopologyReport {
  readonly cluster: string
  readonly topology: string
  /** `failover-mode` of the cluster. */
  readonly mode: string
  /** `monitoring-observe` of the cluster: the manager changes nothing. */
  readonly observed?: boolean
  /** As the API shows them. */
  readonly servers: readonly WireServer[]
}

export function addTopology(program: Command, { flags, session }: Context): void {
  canWatch(program.command('topology'))
    .description('the servers of a cluster with their states and positions')
    .action(async () => {
      const cluster = await chooseCluster(session(), flags())
      await present(flags(), { read: () => readTopology(session(), cluster), render: renderTopology })
    })
}

export async function readTopology(session: Session, cluster: string): Promise<TopologyReport> {
  const [about, servers] = await Promise.all([
    call(session, `GET ${clusterPath(cluster)}`),
    call(session, `GET ${clusterPath(cluster, 'topology', 'servers')}`),
  ])
  const { topology = 'unknown', config } = about as WireCluster
  return {
    ...{ cluster, topology, mode: config?.failoverMode ?? 'unknown', servers: servers as readonly WireServer[] },
    ...(config?.monitoringObserve ? { observed: true } : {}),
  }
}

export const modeText = ({ mode, observed }: Pick<TopologyReport, 'mode' | 'observed'>): string =>
  observed ? `${mode}, only observed` : mode

export const renderTopology = ({ cluster, topology, servers, ...report }: TopologyReport): string =>
  [`${paint('bold', cluster)}  ${topology}, failover ${modeText(report)}`, renderTable(serverColumns, servers)].join(
    '\n',
  )

const colours = { good: 'green', bad: 'red', odd: 'yellow' } as const

export const serverColumns: readonly Column<WireServer>[] = [
  { title: 'server', isKey: true, text: ({ host, port }) => `${host}:${port}` },
  { title: 'state', text: ({ state }) => state, style: ({ state }) => colours[gradeState(state)] },
  { title: 'ro', text: now(({ readOnly }) => readOnly || '-') },
  { title: 'lag', align: 'right', text: now((server) => lagText(lagOf(server))) },
  { title: 'semi', text: now(semiSyncOf) },
  { title: 'fails', align: 'right', text: ({ failCount }) => String(failCount) },
  { title: 'gtid', keepsEnd: true, text: (server) => positionOf(server) || '-' },
  { title: 'notes', text: notes },
]

/** What only holds while a server answers: one that is gone said it last, and it may be otherwise by now. */
function now(text: (server: WireServer) => string): (server: WireServer) => string {
  return (server) => (answers(server) ? text(server) : '-')
}

function lagText(lag: number | null | undefined): string {
  if (lag === undefined) return '-'
  return lag === null ? '?' : `${lag} s`
}

function notes({ isMaintenance, prefered, ignored, replicationHealth }: WireServer): string {
  const marks = [isMaintenance && 'maintenance', prefered && 'preferred', ignored && 'ignored', replicationHealth]
  return [...new Set(marks.filter((mark) => typeof mark === 'string' && mark !== ''))].join(', ')
}
