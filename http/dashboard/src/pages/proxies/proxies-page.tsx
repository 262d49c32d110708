// The proxies of a cluster: what each should do beside what it does, and what the checks of load balancers are answered.
import { stateOfCondition } from '../../model/cluster/condition.js'
import { type ProxyServer, type Route, readProxies, routesOf } from '../../model/cluster/proxy.js'
import { readServers, type Server } from '../../model/cluster/server.js'
import { Empty } from '../../parts/basic/empty.js'
import { Panel } from '../../parts/basic/panel.js'
import { StateMark } from '../../parts/basic/state-mark.js'
import { Tag } from '../../parts/basic/tag.js'
import { Facts } from '../../parts/list/facts.js'
import { type Column, Table } from '../../parts/list/table.js'
import type { PageProps } from '../../parts/page-props.js'
import { AsOf, NotRead } from '../../parts/reading/as-of.js'
import { ActionButton } from '../../plan/action-button.js'
import { me } from '../../store/me.js'
import { useReading } from '../../store/reading.js'
import { renderShort } from '../../text/numbers.js'
import { proxyActions } from './proxy-actions.js'
import { RoleChecks } from './role-checks.js'
import './proxies.css'

export function page({ params: { cluster = '' } }: PageProps) {
  const reading = useReading('GET /api/clusters/:cluster/topology/proxies', { params: { cluster }, every: 'live' })
  const members = useReading('GET /api/clusters/:cluster/topology/servers', { params: { cluster }, every: 'live' })
  const servers = readServers(members.value)
  const proxies = readProxies(reading.value)
  if (reading.value === undefined)
    return (
      <div class="page">
        <NotRead reading={reading} />
      </div>
    )
  return (
    <div class="page proxies-page">
      {proxies.length === 0 && <Empty>The cluster has no proxy.</Empty>}
      {proxies.map((proxy) => (
        <Panel
          key={proxy.id}
          title={proxy.name}
          stale={reading.isStale}
          aside={
            <span class="row">
              <AsOf reading={reading} />
              <StateMark state={stateOfCondition[proxy.condition]} word={proxy.word} />
            </span>
          }
        >
          <One cluster={cluster} proxy={proxy} servers={servers} />
        </Panel>
      ))}
      {servers.length > 0 && (
        <Panel title="Role checks" stale={members.isStale}>
          <RoleChecks cluster={cluster} servers={servers} />
        </Panel>
      )}
    </div>
  )
}

interface OneProps {
  readonly cluster: string
  readonly proxy: ProxyServer
  readonly servers: readonly Server[]
}

function One({ cluster, proxy, servers }: OneProps) {
  const names = new Map(servers.map(({ address, name }) => [address, name]))
  const routes = routesOf(proxy)
  return (
    <>
      <Facts
        facts={[
          ['Kind', `${proxy.kind} ${proxy.version ?? ''}`.trim()],
          ['Administration', proxy.address],
          ...proxy.ports.map(({ port, for: use }) => [`Port for ${use}`, String(port)] as const),
        ]}
      />
      {proxy.error !== undefined && <p class="proxy-error">{proxy.error}</p>}
      {routes.length > 0 && (
        <Table
          caption={`Servers behind ${proxy.name}`}
          rows={routes}
          keyOf={({ group, address }) => `${group} ${address}`}
          columns={columnsFor(routes, names)}
        />
      )}
      {me.value?.readOnly === false && (
        <div class="proxy-actions">
          {proxyActions(cluster, proxy).map((action) => (
            <ActionButton key={action.row} action={action} />
          ))}
        </div>
      )}
    </>
  )
}

function columnsFor(routes: readonly Route[], names: ReadonlyMap<string, string>): readonly Column<Route>[] {
  const hasWeight = routes.some(({ seen }) => seen?.weight !== undefined)
  const hasWanted = routes.some(({ wanted }) => wanted !== undefined)
  return [
    { key: 'group', head: 'For', sort: ({ group }) => group, cell: ({ group }) => group },
    {
      key: 'server',
      head: 'Server',
      sort: ({ address }) => address,
      cell: ({ address }) => {
        const name = names.get(address)
        return (
          <>
            {name ?? address} {name !== undefined && name !== address && <span class="muted">{address}</span>}
          </>
        )
      },
    },
    ...(hasWanted
      ? [{ key: 'wanted', head: 'Wanted', cell: ({ wanted }: Route) => wanted ?? <span class="muted">not here</span> }]
      : []),
    {
      key: 'seen',
      head: 'Seen',
      wide: true,
      cell: ({ seen, differs }) => (
        <span class="row">
          {seen?.status ?? <span class="muted">not there</span>}
          {differs && <Tag tone="warning">differs</Tag>}
        </span>
      ),
    },
    ...(hasWeight
      ? [{ key: 'weight', head: 'Weight', align: 'end' as const, cell: ({ seen }: Route) => seen?.weight }]
      : []),
    {
      key: 'connections',
      head: 'Connections',
      align: 'end',
      sort: ({ seen }) => seen?.connections ?? 0,
      cell: ({ seen }) => seen?.connections !== undefined && renderShort(seen.connections),
    },
  ]
}
