// `topology`: the servers of a cluster, their states and positions.
import type { Command } from 'commander'
import type { Session } from '../../../../http/client/session.js'
import {
  addressText,
  answers,
  gradeState,
  lagText,
  positionOf,
  semiSyncOf,
  type WireCluster,
  type WireServer,
} from '../../../../http/client/wire.js'
import { branchText, treeOf } from '../../answer/tree.js'
import { call, chooseCluster } from '../../kit/connect.js'
import type { Context } from '../../kit/context.js'
import { present } from '../../kit/present.js'
import { canWatch } from '../../kit/watchable.js'
import { paint, widthOf } from '../../output/paint.js'
import { type Column, renderTable } from '../../output/table.js'
import { cutText, tame } from '../../output/text-width.js'
import { renderValue } from '../../output/value.js'

export interface TopologyReport {
  readonly cluster: string
  readonly topology: string
  /** `failover-mode` of the cluster. */
  readonly mode: string
  /** `monitoring-observe` of the cluster: the manager changes nothing. */
  readonly observed?: boolean
  /** `monitoring-pause` of the cluster: the manager takes no automatic action. */
  readonly paused?: boolean
  /** `failover-readonly-state` of the cluster. */
  readonly closesReplicas?: boolean
  /** As the API shows them. */
  readonly servers: readonly WireServer[]
}

export function addTopology(program: Command, { flags, session }: Context): void {
  canWatch(program.command('topology'))
    .description('the servers of a cluster with their states and positions')
    .option('--tree', 'each server below the one that it replicates from', false)
    .action(async ({ tree }: { readonly tree: boolean }) => {
      const cluster = await chooseCluster(session(), flags())
      const read = () => readTopology(session(), cluster)
      await present(flags(), { read, render: tree ? renderTree : renderTopology, part: renderPart })
    })
}

export async function readTopology(session: Session, cluster: string): Promise<TopologyReport> {
  const [about, servers] = await Promise.all([
    call(session, 'GET /api/clusters/:cluster', { params: { cluster } }),
    call(session, 'GET /api/clusters/:cluster/topology/servers', { params: { cluster } }),
  ])
  const { topology = 'unknown', config = {} } = about as WireCluster
  const { failoverMode = 'unknown', monitoringObserve, monitoringPause, failoverReadOnlyState } = config
  return {
    ...{ cluster, topology, mode: String(failoverMode), servers },
    ...(monitoringObserve ? { observed: true } : {}),
    ...(monitoringPause ? { paused: true } : {}),
    ...(failoverReadOnlyState === undefined ? {} : { closesReplicas: failoverReadOnlyState === true }),
  }
}

export const modeText = ({ mode, observed, paused }: Pick<TopologyReport, 'mode' | 'observed' | 'paused'>): string =>
  [mode, ...(observed ? ['only observed'] : []), ...(paused ? ['paused'] : [])].join(', ')

export const renderTopology = ({ cluster, topology, servers, ...report }: TopologyReport): string =>
  [`${paint('bold', cluster)}  ${topology}, failover ${modeText(report)}`, renderTable(serverColumns, servers)].join(
    '\n',
  )

/** The same as a tree; colours as in the table. */
export const renderTree = ({ cluster, topology, servers, ...report }: TopologyReport): string =>
  [
    `${paint('bold', cluster)}  ${topology}, failover ${modeText(report)}`,
    ...treeOf(servers).map((branch) => {
      const text = cutText(tame(branchText(branch)), widthOf(process.stdout))
      const { state } = branch.server
      return text.replace(`  ${state},`, `  ${paint(colours[gradeState(state)], state)},`)
    }),
  ].join('\n')

/** Servers that `--query` left whole have the columns of all. */
const renderPart = (part: unknown): string =>
  Array.isArray(part) && part.length > 0 && part.every(isServer) ? renderTable(serverColumns, part) : renderValue(part)

const isServer = (entry: unknown): entry is WireServer =>
  typeof entry === 'object' && entry !== null && 'failCount' in entry && 'state' in entry

const colours = { good: 'green', bad: 'red', odd: 'yellow' } as const

export const serverColumns: readonly Column<WireServer>[] = [
  { title: 'server', isKey: true, text: addressText },
  { title: 'state', text: ({ state }) => state, style: ({ state }) => colours[gradeState(state)] },
  { title: 'ro', text: now(({ readOnly }) => readOnly || '-') },
  { title: 'lag', align: 'right', text: now(lagText) },
  { title: 'semi', text: now(semiSyncOf) },
  { title: 'fails', align: 'right', text: ({ failCount }) => String(failCount) },
  { title: 'gtid', keepsEnd: true, text: (server) => positionOf(server) || '-' },
  { title: 'notes', text: notes },
]

/** What only holds while a server answers: one that is gone said it last, and it may be otherwise by now. */
function now(text: (server: WireServer) => string): (server: WireServer) => string {
  return (server) => (answers(server) ? text(server) : '-')
}

function notes({ isMaintenance, prefered, ignored, replicationHealth }: WireServer): string {
  const marks = [isMaintenance && 'maintenance', prefered && 'preferred', ignored && 'ignored', replicationHealth]
  return [...new Set(marks.filter((mark) => typeof mark === 'string' && mark !== ''))].join(', ')
}
