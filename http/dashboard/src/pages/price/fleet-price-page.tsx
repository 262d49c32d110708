// What all clusters cost in a month, and which months have a statement.
import { call } from '../../client/call.js'
import { type ClusterStatement, readServiceMonth, renderAmount, renderUsed } from '../../model/hosted/price.js'
import { useQuery } from '../../parts/address.js'
import { Panel } from '../../parts/basic/panel.js'
import { Tag } from '../../parts/basic/tag.js'
import { CopyRequest } from '../../parts/code/code-block.js'
import { Facts } from '../../parts/list/facts.js'
import { type Column, Table } from '../../parts/list/table.js'
import { AsOf, NotRead } from '../../parts/reading/as-of.js'
import { useReading } from '../../store/reading.js'
import { EVERY_MS, isOff, monthOf, Off, SaveCsv } from './statement-parts.js'
import './price.css'

export function page() {
  const { query, setQuery } = useQuery()
  const month = monthOf(query.month)
  const running = useReading('GET /api/global/price', { every: EVERY_MS, when: month === undefined })
  const named = useReading('GET /api/global/price/:month', {
    ...{ params: { month: month ?? '' }, every: EVERY_MS, when: month !== undefined },
  })
  const reading = month === undefined ? running : named
  const found = readServiceMonth(reading.value)
  const csv = () =>
    month === undefined
      ? call('GET /api/global/price', { query: { form: 'csv' } })
      : call('GET /api/global/price/:month', { params: { month }, query: { form: 'csv' } })
  return (
    <div class="page price-page">
      <h1>Statements</h1>
      {isOff(reading.failure) && <Off />}
      {!isOff(reading.failure) && (
        <Panel
          title={`Statement of ${found?.month ?? month ?? 'this month'}`}
          stale={reading.isStale}
          aside={
            <>
              <AsOf reading={reading} />
              {found && <Tag tone={found.isFinal ? 'good' : 'note'}>{found.isFinal ? 'closed' : 'running'}</Tag>}
              {found && found.months.length > 1 && (
                <select
                  aria-label="Month"
                  value={found.month}
                  onChange={(event) => setQuery({ month: event.currentTarget.value })}
                >
                  {[...new Set([...found.months, found.month])].map((each) => (
                    <option key={each} value={each}>
                      {each}
                    </option>
                  ))}
                </select>
              )}
              {found && <SaveCsv name={`statement-${found.month}`} read={csv} />}
              <CopyRequest
                request={{ method: 'GET', path: `/api/global/price${month === undefined ? '' : `/${month}`}` }}
              />
            </>
          }
        >
          {!found && <NotRead reading={reading} />}
          {found && (
            <>
              <Facts
                facts={[
                  [found.isFinal ? 'Cost' : 'Cost so far', renderAmount(found.cost, found.currency)],
                  [
                    'At the end of the month, if nothing changes',
                    !found.isFinal && renderAmount(found.projected, found.currency),
                  ],
                  ['A whole month as it is now', !found.isFinal && renderAmount(found.rate, found.currency)],
                  ['Passed of the month', found.elapsedPct !== undefined && `${found.elapsedPct} %`],
                ]}
              />
              <Table
                caption="What each cluster costs"
                rows={found.clusters}
                keyOf={({ cluster }) => cluster}
                empty="No cluster was accounted in this month."
                columns={columnsIn(found.currency, found.month)}
              />
            </>
          )}
        </Panel>
      )}
    </div>
  )
}

const columnsIn = (currency: string, month: string): readonly Column<ClusterStatement>[] => [
  {
    key: 'cluster',
    head: 'Cluster',
    sort: ({ cluster }) => cluster,
    cell: ({ cluster }) => <a href={`/c/${encodeURIComponent(cluster)}/price?month=${month}`}>{cluster}</a>,
  },
  {
    key: 'cost',
    head: `Cost (${currency})`,
    align: 'end',
    sort: ({ cost }) => cost,
    cell: ({ cost }) => renderAmount(cost, ''),
  },
  {
    key: 'projected',
    head: 'At the end',
    hint: 'of the month, if nothing changes',
    align: 'end',
    sort: ({ projected }) => projected,
    cell: ({ projected }) => renderAmount(projected, ''),
  },
  { key: 'used', head: 'Used now', cell: renderUsed },
  {
    key: 'sponsors',
    head: 'Sponsors',
    sort: ({ sponsors }) => sponsors[0],
    cell: ({ sponsors }) => <Names names={sponsors} />,
  },
  {
    key: 'partners',
    head: 'Partners',
    wide: true,
    sort: ({ partners }) => partners[0],
    cell: ({ partners }) => <Names names={partners} />,
  },
]

const Names = ({ names }: { readonly names: readonly string[] }) => (
  <>
    {names.map((name) => (
      <div key={name}>{name}</div>
    ))}
  </>
)
