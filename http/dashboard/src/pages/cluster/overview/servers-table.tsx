// The servers of a cluster as a dense table.
import { useLocation } from 'preact-iso/router'
import { stateOfCondition, urgencyOf } from '../../../model/cluster/condition.js'
import type { Server } from '../../../model/cluster/server.js'
import { StateMark } from '../../../parts/basic/state-mark.js'
import { type Column, Table } from '../../../parts/list/table.js'
import { renderShort } from '../../../text/numbers.js'
import { lagText, stateLine } from '../topology/words.js'

const semiSync = { acknowledged: 'waits for a replica', acknowledging: 'acknowledges', off: 'not in force' } as const

export const serverHref = (cluster: string, name: string): string =>
  `/c/${encodeURIComponent(cluster)}/s/${encodeURIComponent(name)}`

const columnsOf = (cluster: string, servers: readonly Server[]): readonly Column<Server>[] => {
  const all: readonly (Column<Server> & { readonly has?: (server: Server) => boolean })[] = [
    {
      key: 'server',
      head: 'Server',
      sort: ({ name }) => name,
      cell: ({ name }) => <a href={serverHref(cluster, name)}>{name}</a>,
    },
    {
      key: 'state',
      head: 'State',
      sort: ({ condition }) => urgencyOf(condition),
      cell: (server) => <StateMark state={stateOfCondition[server.condition]} word={stateLine(server)} />,
    },
    {
      key: 'lag',
      head: 'Lag',
      align: 'end',
      sort: ({ lag }) => lag,
      cell: ({ lag }) => (lag === undefined ? '' : lagText(lag)),
      has: ({ lag }) => lag !== undefined,
    },
    {
      key: 'gtid',
      head: 'GTID',
      cell: ({ gtid = '' }) => (
        <span class="mono gtid" title={gtid}>
          {gtid.length > 40 ? `…${gtid.slice(-38)}` : gtid}
        </span>
      ),
      has: ({ gtid }) => gtid !== undefined,
    },
    {
      key: 'sync',
      head: 'Semi-sync',
      sort: (server) => server.semiSync,
      cell: (server) => (server.semiSync === undefined ? '' : semiSync[server.semiSync]),
      has: (server) => server.semiSync !== undefined,
    },
    {
      key: 'version',
      head: 'Version',
      sort: ({ version }) => version,
      cell: ({ version }) => version,
      has: ({ version }) => version !== undefined,
    },
    {
      key: 'connections',
      head: 'Connections',
      align: 'end',
      sort: ({ connections }) => connections,
      cell: ({ connections }) => (connections === undefined ? '' : renderShort(connections)),
      has: ({ connections }) => connections !== undefined,
    },
    {
      key: 'rate',
      head: 'Queries/s',
      align: 'end',
      sort: ({ queriesPerSecond }) => queriesPerSecond,
      cell: ({ queriesPerSecond }) => (queriesPerSecond === undefined ? '' : renderShort(queriesPerSecond)),
      has: ({ queriesPerSecond }) => queriesPerSecond !== undefined,
    },
    {
      key: 'note',
      head: 'Note',
      wide: true,
      cell: ({ error, needs, channels }) =>
        [
          ...channels.flatMap((channel) => (channel.error === undefined ? [] : [channel.error])),
          ...(error === undefined ? [] : [error]),
          ...(needs.length > 0 ? [`needs ${needs.join(', ')}`] : []),
        ].join('; '),
      has: ({ error, needs, channels }) =>
        error !== undefined || needs.length > 0 || channels.some((channel) => channel.error !== undefined),
    },
  ]
  return all.filter(({ has }) => has === undefined || servers.some(has))
}

export function ServersTable({ cluster, servers }: { readonly cluster: string; readonly servers: readonly Server[] }) {
  const { route } = useLocation()
  return (
    <Table
      caption="Servers"
      columns={columnsOf(cluster, servers)}
      rows={servers}
      keyOf={({ id }) => id}
      onOpen={({ name }) => route(serverHref(cluster, name))}
    />
  )
}
