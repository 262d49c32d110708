// Scans of a cluster's schema: tables of replicas that are not as the primary's, and what changed from scan to scan.
import {
  type NotedChange,
  readSchemaReport,
  type SchemaDifference,
  type SchemaReport,
  type TableChange,
} from '../../model/upkeep/schema-scan.js'
import { Empty } from '../../parts/basic/empty.js'
import { Moment } from '../../parts/basic/moment.js'
import { Panel } from '../../parts/basic/panel.js'
import { Tag } from '../../parts/basic/tag.js'
import { Facts } from '../../parts/list/facts.js'
import { type Column, Table } from '../../parts/list/table.js'
import type { PageProps } from '../../parts/page-props.js'
import { AsOf, NotRead } from '../../parts/reading/as-of.js'
import { ActionButton } from '../../plan/action-button.js'
import { useReading } from '../../store/reading.js'
import { renderCount } from '../../text/numbers.js'
import { scanSchema } from './checksum-actions.js'
import { RunLine, useOpenJob } from './run-line.js'
import { TablesFrame } from './tables-frame.js'

/** A scan is a job of minutes. */
const EVERY_MS = 10_000

export function page({ params: { cluster = '' } }: PageProps) {
  const reading = useReading('GET /api/clusters/:cluster/schema-changes', { params: { cluster }, every: EVERY_MS })
  const job = useOpenJob(cluster, 'schema-scan')
  const report = readSchemaReport(reading.value)
  return (
    <TablesFrame cluster={cluster} view="/schema">
      <Panel
        title="Scan of the schema"
        stale={reading.isStale}
        aside={
          <>
            <AsOf reading={reading} />
            <ActionButton action={scanSchema(cluster)} refused={job ? `Job ${job.id} scans it already.` : undefined} />
          </>
        }
      >
        {job && <RunLine cluster={cluster} job={job} what="scan" />}
        {reading.value === undefined ? <NotRead reading={reading} /> : <Latest report={report} />}
      </Panel>
      {report.differences.length > 0 && (
        <Panel title="Replicas that differ" stale={reading.isStale}>
          <Table
            caption="Tables of replicas that are not as the primary's"
            rows={report.differences}
            keyOf={({ server, schema, table }) => `${server} ${schema} ${table}`}
            columns={[
              { key: 'server', head: 'Server', sort: ({ server }) => server, cell: ({ server }) => server },
              ...tableColumns<SchemaDifference>({ created: 'only there', dropped: 'missing there', altered: 'other' }),
            ]}
          />
        </Panel>
      )}
      {report.changes.length > 0 && (
        <Panel title="Changes" stale={reading.isStale}>
          <Table
            caption="Tables of the primary that changed from scan to scan, newest first"
            rows={report.changes.map((change, index) => ({ ...change, index }))}
            keyOf={({ index }) => String(index)}
            columns={[
              {
                key: 'at',
                head: 'Noticed',
                sort: ({ at }) => at,
                cell: ({ at }) => at !== undefined && <Moment at={at} as="time" />,
              },
              ...tableColumns<NotedChange & { readonly index: number }>({
                created: 'new',
                dropped: 'gone',
                altered: 'altered',
              }),
            ]}
          />
        </Panel>
      )}
    </TablesFrame>
  )
}

function Latest({ report: { at, primary, tables, unread, changes, differences } }: { readonly report: SchemaReport }) {
  if (at === undefined) return <Empty>The schema was not scanned yet. A scan opens no table for its rows.</Empty>
  return (
    <>
      <Facts
        facts={[
          ['Scanned', <Moment key="at" at={at} />],
          ['Tables', renderCount(tables)],
          ['Primary', primary],
          ['Replicas', differences.length === 0 && unread.length === 0 && 'have the tables of the primary'],
          ['Changes', changes.length === 0 && 'none was noticed'],
        ]}
      />
      {unread.length > 0 && (
        <>
          <p class="unread-head">
            <Tag tone="warning">not read</Tag>
          </p>
          <ul class="unread">
            {unread.map((text) => (
              <li key={text}>{text}</li>
            ))}
          </ul>
        </>
      )}
    </>
  )
}

const tableColumns = <Row extends TableChange>(
  words: Readonly<Record<TableChange['kind'], string>>,
): readonly Column<Row>[] => [
  {
    key: 'table',
    head: 'Table',
    sort: ({ schema, table }) => `${schema}.${table}`,
    cell: ({ schema, table }) => (
      <span class="mono table-name">
        {schema}.{table}
      </span>
    ),
  },
  { key: 'kind', head: 'Is', sort: ({ kind }) => words[kind], cell: ({ kind }) => words[kind] },
  { key: 'lines', head: 'What', wide: true, cell: ({ lines }) => <Lines lines={lines} /> },
]

const classOf = (line: string): string | undefined =>
  line.startsWith('-') ? 'diff-removed' : line.startsWith('+') ? 'diff-added' : undefined

/** As in a diff. */
const Lines = ({ lines }: { readonly lines: readonly string[] }) => (
  <div class="mono schema-lines">
    {lines.map((line, index) => (
      <div key={`${index} ${line}`} class={classOf(line)}>
        {line}
      </div>
    ))}
  </div>
)
