// The proxies of all clusters: what each is, whether it does what it should, where it sends clients.
import { stateOfCondition } from '../../model/cluster/condition.js'
import { type ProxyServer, readProxies, routesOf } from '../../model/cluster/proxy.js'
import { listOf, textOf } from '../../model/wire.js'
import { useQuery } from '../../parts/address.js'
import { Panel } from '../../parts/basic/panel.js'
import { StateMark } from '../../parts/basic/state-mark.js'
import { Tag } from '../../parts/basic/tag.js'
import { Table } from '../../parts/list/table.js'
import { AsOf, NotRead } from '../../parts/reading/as-of.js'
import { useReading } from '../../store/reading.js'
import './proxies.css'

const EVERY_MS = 5_000

interface Row {
  readonly cluster: string
  readonly proxy: ProxyServer
}

/** The worst first. */
const order = ['down', 'error', 'unsure', 'away'] as const

export function page() {
  const reading = useReading('GET /api/proxies', { every: EVERY_MS })
  const { query, setQuery } = useQuery()
  const { q: words = '' } = query
  const wanted = words.trim().toLowerCase()
  const clusters = listOf(reading.value).map(({ cluster }) => textOf(cluster) ?? '')
  const all = readProxies(reading.value).map((proxy, at): Row => ({ cluster: clusters[at] ?? '', proxy }))
  const rows = all
    .filter(({ cluster, proxy }) =>
      [cluster, proxy.name, proxy.kind, proxy.address, proxy.word].some((text) => text.toLowerCase().includes(wanted)),
    )
    .toSorted((one, other) => rankOf(one) - rankOf(other) || one.cluster.localeCompare(other.cluster))
  return (
    <div class="page proxies-page">
      <h1>Proxies</h1>
      {reading.value === undefined ? (
        <NotRead reading={reading} />
      ) : (
        <>
          <search>
            <input
              type="search"
              aria-label="Cluster, proxy, kind, address or state"
              placeholder="Cluster, proxy, kind, address or state"
              value={words}
              onInput={(event) => setQuery({ q: event.currentTarget.value })}
            />
          </search>
          <Panel title={`${rows.length} of ${all.length}`} stale={reading.isStale} aside={<AsOf reading={reading} />}>
            <Table
              caption="Proxies of all clusters"
              rows={rows}
              keyOf={({ cluster, proxy }) => `${cluster} ${proxy.id}`}
              empty={all.length === 0 ? 'No cluster has a proxy.' : 'None fits.'}
              columns={[
                {
                  key: 'state',
                  head: 'State',
                  sort: ({ proxy }) => proxy.word,
                  cell: ({ proxy: { condition, word } }) => (
                    <StateMark state={stateOfCondition[condition]} word={word} />
                  ),
                },
                {
                  key: 'proxy',
                  head: 'Proxy',
                  sort: ({ proxy }) => proxy.name,
                  cell: ({ cluster, proxy }) => <a href={`/c/${encodeURIComponent(cluster)}/proxies`}>{proxy.name}</a>,
                },
                {
                  key: 'cluster',
                  head: 'Cluster',
                  sort: ({ cluster }) => cluster,
                  cell: ({ cluster }) => <a href={`/c/${encodeURIComponent(cluster)}`}>{cluster}</a>,
                },
                {
                  key: 'kind',
                  head: 'Kind',
                  sort: ({ proxy }) => proxy.kind,
                  cell: ({ proxy: { kind, version = '' } }) => `${kind} ${version}`.trim(),
                },
                { key: 'address', head: 'Address', cell: ({ proxy }) => proxy.address },
                {
                  key: 'writes',
                  head: 'Writes to',
                  cell: ({ proxy }) => proxy.writes.map(({ address }) => address).join(', '),
                },
                { key: 'reads', head: 'Reads', align: 'end', cell: ({ proxy }) => <Reads proxy={proxy} /> },
                {
                  key: 'note',
                  head: 'Note',
                  wide: true,
                  cell: ({ proxy }) => (
                    <>
                      {routesOf(proxy).some(({ differs }) => differs) && <Tag tone="warning">routes differ</Tag>}{' '}
                      {proxy.error}
                    </>
                  ),
                },
              ]}
            />
          </Panel>
        </>
      )}
    </div>
  )
}

/** Readers that get connections, of those that should. */
function Reads({ proxy }: { readonly proxy: ProxyServer }) {
  const wanted = proxy.wantedReads?.filter(({ state }) => state === 'ready').length
  return <>{wanted === undefined ? proxy.reads.length : `${proxy.reads.length} seen, ${wanted} wanted`}</>
}

const rankOf = ({ proxy: { condition } }: Row): number => {
  const at = (order as readonly string[]).indexOf(condition)
  return at < 0 ? order.length : at
}
