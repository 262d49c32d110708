// The certificates of all clusters and of the API, what expires first on top.
import { firstToExpire, readFleetCertificates } from '../../model/upkeep/certificates.js'
import { Panel } from '../../parts/basic/panel.js'
import { Tag } from '../../parts/basic/tag.js'
import { Facts } from '../../parts/list/facts.js'
import { Table } from '../../parts/list/table.js'
import { AsOf, NotRead } from '../../parts/reading/as-of.js'
import { useReading } from '../../store/reading.js'
import { Expiry, ValidityMark } from './validity.js'
import './certificates.css'

/** They change by the year. */
const EVERY_MS = 60_000

const uses = { ca: 'authority', server: 'server', client: 'client' } as const

export function page() {
  const reading = useReading('GET /api/certificates', { every: EVERY_MS })
  const { listener, clusters, unread } = readFleetCertificates(reading.value)
  const rows = clusters
    .flatMap((set) => {
      const first = firstToExpire(set)
      return first ? [{ ...set, first }] : []
    })
    .toSorted((one, other) => one.first.notAfter - other.first.notAfter)
  if (reading.value === undefined)
    return (
      <div class="page">
        <h1>Certificates</h1>
        <NotRead reading={reading} />
      </div>
    )
  return (
    <div class="page certificates-page">
      <h1>Certificates</h1>
      {listener && (
        <Panel title="Of this API" stale={reading.isStale} aside={<AsOf reading={reading} />}>
          <Facts
            facts={[
              ['State', <ValidityMark key="state" of={listener} />],
              ['Expires', <Expiry key="expires" of={listener} />],
              ['Of', listener.subject],
              ['Signed by', listener.selfSigned ? 'itself: browsers and clients do not know it' : listener.issuer],
              ['Fingerprint', listener.fingerprint && <span class="mono fingerprint">{listener.fingerprint}</span>],
            ]}
          />
        </Panel>
      )}
      <Panel title="Of clusters" stale={reading.isStale}>
        <Table
          caption="Certificates of clusters, what expires first on top"
          rows={rows}
          keyOf={({ cluster }) => cluster}
          empty="The manager has made no certificate yet, or you may see none."
          columns={[
            { key: 'state', head: 'State', cell: ({ first }) => <ValidityMark of={first} /> },
            {
              key: 'cluster',
              head: 'Cluster',
              sort: ({ cluster }) => cluster,
              cell: ({ cluster }) => <a href={`/c/${encodeURIComponent(cluster)}/certificates`}>{cluster}</a>,
            },
            {
              key: 'first',
              head: 'First to expire',
              sort: ({ first }) => first.notAfter,
              cell: ({ first }) => <Expiry of={first} />,
            },
            { key: 'use', head: 'Which', sort: ({ first }) => first.use, cell: ({ first }) => uses[first.use] },
            {
              key: 'rotating',
              head: 'Rotation',
              wide: true,
              sort: ({ rotating }) => String(rotating),
              cell: ({ rotating }) => rotating && <Tag tone="warning">the former authority is still trusted</Tag>,
            },
          ]}
        />
      </Panel>
      {unread.length > 0 && (
        <Panel title="Not read" stale={reading.isStale}>
          <Table
            caption="Clusters whose certificates could not be read"
            rows={unread}
            keyOf={({ cluster }) => cluster}
            columns={[
              { key: 'cluster', head: 'Cluster', cell: ({ cluster }) => cluster },
              { key: 'problem', head: 'Problem', wide: true, cell: ({ problem }) => problem },
            ]}
          />
        </Panel>
      )}
    </div>
  )
}
