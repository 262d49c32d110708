// What can be done with a server, in three groups: what harms nobody, what interrupts clients, what destroys something.
import type { Server } from '../../../model/cluster/server.js'
import type { Details } from '../../../model/server/details.js'
import type { Action, ActionFor, ActionKind } from '../../../plan/action.js'
import { maintenanceOf, type Offer, offersOf, switchoverTo } from '../../cluster/actions/server-actions.js'

export interface Group {
  readonly kind: ActionKind
  readonly title: string
  readonly meaning: string
  readonly offers: readonly Offer[]
}

type Toggle = ActionFor<'cluster' | 'server' | 'state'>

/** An action of a server; one that toggles something says to which state. */
type Row = (
  | (ActionFor<'cluster' | 'server'> & { readonly state?: never })
  | (Toggle & { readonly state: 'on' | 'off' })
) & {
  /** Only such servers are offered it. */
  readonly when?: (server: Server) => boolean
  readonly refused?: (server: Server) => string | undefined
}

const isFollowing = ({ channels }: Server): boolean => channels.length > 0
const isDown = ({ condition }: Server): boolean => condition === 'down'
const needsAnswer = (server: Server): string | undefined => (isDown(server) ? 'It does not answer.' : undefined)

const table: readonly Row[] = [
  {
    row: 'POST /api/clusters/:cluster/servers/:server/actions/backup-logical',
    title: 'Logical backup',
    grant: 'db-backup',
    kind: 'harmless',
    follow: 'job',
    refused: needsAnswer,
  },
  {
    row: 'POST /api/clusters/:cluster/servers/:server/actions/backup-physical',
    title: 'Physical backup',
    grant: 'db-backup',
    kind: 'harmless',
    follow: 'job',
    refused: needsAnswer,
  },
  {
    row: 'POST /api/clusters/:cluster/servers/:server/actions/analyze-tables',
    title: 'Refresh table statistics',
    grant: 'db-maintenance',
    kind: 'harmless',
    refused: needsAnswer,
  },
  {
    row: 'POST /api/clusters/:cluster/servers/:server/actions/flush-logs',
    title: 'Rotate the logs',
    grant: 'db-backup',
    kind: 'harmless',
    refused: needsAnswer,
  },
  {
    row: 'POST /api/clusters/:cluster/servers/:server/actions/fetch-logs',
    title: 'Fetch the logs from the host',
    grant: ['db-backup', 'db-logs'],
    kind: 'harmless',
  },
  {
    row: 'POST /api/clusters/:cluster/servers/:server/actions/wait-innodb-purge',
    title: 'Wait for the InnoDB purge',
    grant: 'db-maintenance',
    kind: 'harmless',
    refused: needsAnswer,
  },
  {
    row: 'POST /api/clusters/:cluster/servers/:server/actions/run-jobs',
    title: 'Run the job script',
    grant: 'cluster-process',
    kind: 'harmless',
  },
  {
    row: 'POST /api/clusters/:cluster/servers/:server/actions/apply-config',
    title: 'Deliver the configuration',
    grant: 'prov-db-provision',
    kind: 'harmless',
  },
  {
    row: 'POST /api/clusters/:cluster/servers/:server/actions/start',
    title: 'Start the server',
    grant: 'db-start',
    kind: 'harmless',
    when: isDown,
    follow: 'job',
  },
  {
    row: 'POST /api/clusters/:cluster/servers/:server/actions/toogle-read-only/:state',
    title: 'Make read-only',
    grant: 'db-readonly',
    kind: 'interrupting',
    state: 'on',
    when: ({ readOnly }) => readOnly === false,
    refused: needsAnswer,
  },
  {
    row: 'POST /api/clusters/:cluster/servers/:server/actions/toogle-read-only/:state',
    title: 'Make writable',
    grant: 'db-readonly',
    kind: 'destroying',
    state: 'off',
    when: ({ readOnly }) => readOnly === true,
    refused: needsAnswer,
  },
  {
    row: 'POST /api/clusters/:cluster/servers/:server/actions/restart',
    title: 'Restart the server',
    grant: 'db-start',
    kind: 'interrupting',
    follow: 'job',
    refused: needsAnswer,
  },
  {
    row: 'POST /api/clusters/:cluster/servers/:server/actions/stop',
    title: 'Stop the server',
    grant: 'db-stop',
    kind: 'interrupting',
    follow: 'job',
    refused: needsAnswer,
  },
  {
    row: 'POST /api/clusters/:cluster/servers/:server/actions/optimize',
    title: 'Rebuild its tables',
    grant: 'db-maintenance',
    kind: 'interrupting',
    follow: 'job',
    refused: needsAnswer,
  },
  {
    row: 'POST /api/clusters/:cluster/servers/:server/actions/skip-replication-event',
    title: 'Skip the failed transaction',
    grant: 'db-replication',
    kind: 'destroying',
    when: (server) => server.channels.some(({ error }) => error !== undefined),
    refused: needsAnswer,
  },
  {
    row: 'POST /api/clusters/:cluster/servers/:server/actions/reset-slave-all',
    title: 'Forget its source',
    grant: 'db-replication',
    kind: 'destroying',
    when: isFollowing,
    query: { force: true },
    refused: needsAnswer,
  },
  {
    row: 'POST /api/clusters/:cluster/servers/:server/actions/reset-master',
    title: 'Empty the binary log',
    grant: 'db-replication',
    kind: 'destroying',
    query: { force: true },
    refused: needsAnswer,
  },
  {
    row: 'POST /api/clusters/:cluster/servers/:server/actions/reprovision',
    title: 'Rebuild from another server',
    grant: 'prov-db-provision',
    kind: 'destroying',
    when: isFollowing,
    follow: 'job',
  },
  {
    row: 'POST /api/clusters/:cluster/servers/:server/actions/unprovision',
    title: 'Remove the server with its data',
    grant: 'prov-db-unprovision',
    kind: 'destroying',
    follow: 'job',
  },
]

const titles: Readonly<Record<ActionKind, readonly [string, string]>> = {
  harmless: ['Harmless', 'Clients notice nothing.'],
  interrupting: ['Interrupting', 'Clients wait, are cut off, or redundancy is reduced.'],
  destroying: ['Destroying', 'Something is gone afterwards.'],
}

export function groupsOf(cluster: string, server: Server): readonly Group[] {
  const offers: readonly Offer[] = [
    ...(isFollowing(server) ? [{ action: switchoverTo(cluster, server), ...reason(needsAnswer(server)) }] : []),
    { action: maintenanceOf(cluster, server) },
    ...offersOf(cluster, server),
    ...table.filter(({ when }) => when?.(server) !== false).map((row) => offer(cluster, server, row)),
  ]
  return (['harmless', 'interrupting', 'destroying'] as const).flatMap((kind) => {
    const [title, meaning] = titles[kind]
    const own = offers.filter(({ action }) => action.kind === kind)
    return own.length === 0 ? [] : [{ kind, title, meaning, offers: own }]
  })
}

function offer(cluster: string, server: Server, { when: _, refused, ...row }: Row): Offer {
  const title = `${row.title}: ${server.name}`
  const params = { cluster, server: server.name }
  if (row.state === undefined) return { action: { ...row, title, params }, ...reason(refused?.(server)) }
  const { state, ...toggle } = row
  return { action: { ...toggle, title, params: { ...params, state } }, ...reason(refused?.(server)) }
}

const reason = (refused: string | undefined) => (refused === undefined ? {} : { refused })

/** A plugin, a log, a sample that is off, where a page needs it. */
export const toggleOf = (
  cluster: string,
  server: Pick<Server, 'name'>,
  what: { readonly row: Toggle['row']; readonly title: string; readonly state: 'on' | 'off' },
): Action => ({
  title: `${what.title} on ${server.name}`,
  row: what.row,
  params: { cluster, server: server.name, state: what.state },
  grant: 'db-logs',
  kind: 'harmless',
})

/** What is off that pages of a server read, so that its panel offers to turn it on. */
export const isOff = (details: Details | undefined, key: 'hasMetadataLocks' | 'hasResponseTimes'): boolean =>
  details !== undefined && !details[key]
