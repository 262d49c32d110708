// The proxies of a cluster with their routes and the connections of each.

import { stateOfCondition } from '../../../model/cluster/condition.js'
import type { Backend, ProxyServer } from '../../../model/cluster/proxy.js'
import type { Server } from '../../../model/cluster/server.js'
import { StateMark } from '../../../parts/basic/state-mark.js'
import { Table } from '../../../parts/list/table.js'
import { renderShort } from '../../../text/numbers.js'

export interface ProxiesTableProps {
  readonly proxies: readonly ProxyServer[]
  readonly servers: readonly Server[]
}

export function ProxiesTable({ proxies, servers }: ProxiesTableProps) {
  const names = new Map(servers.map(({ address, name }) => [address, name]))
  const routes = (backends: readonly Backend[]) =>
    backends.map((backend) => (
      <div key={backend.address}>
        {names.get(backend.address) ?? backend.address}{' '}
        <span class="muted">
          {backend.status}
          {backend.connections !== undefined && `, ${renderShort(backend.connections)} connections`}
        </span>
      </div>
    ))
  return (
    <Table
      caption="Proxies"
      rows={proxies}
      keyOf={({ id }) => id}
      columns={[
        { key: 'proxy', head: 'Proxy', sort: ({ name }) => name, cell: ({ name }) => <strong>{name}</strong> },
        {
          key: 'state',
          head: 'State',
          sort: ({ word }) => word,
          cell: ({ condition, word }) => <StateMark state={stateOfCondition[condition]} word={word} />,
        },
        {
          key: 'kind',
          head: 'Kind',
          sort: ({ kind }) => kind,
          cell: ({ kind, version }) => `${kind}${version === undefined ? '' : ` ${version}`}`,
        },
        {
          key: 'ports',
          head: 'Address',
          cell: ({ address, ports }) => (
            <>
              {address}
              {ports.map((port) => (
                <div key={port.port} class="muted">
                  :{port.port} {port.for}
                </div>
              ))}
            </>
          ),
        },
        { key: 'writes', head: 'Writes to', cell: ({ writes }) => routes(writes) },
        { key: 'reads', head: 'Reads from', cell: ({ reads }) => routes(reads) },
        { key: 'note', head: 'Note', wide: true, cell: ({ error }) => error },
      ]}
    />
  )
}
