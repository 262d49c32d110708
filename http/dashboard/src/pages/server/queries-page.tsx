// Statements by what they cost: since the counters began, or within the time that one looks; the plan of one.
import { useSignal } from '@preact/signals'
import { compareStatements, readStatements, type Statement } from '../../model/server/statements.js'
import { useQuery } from '../../parts/address.js'
import { Moment } from '../../parts/basic/moment.js'
import { Tag } from '../../parts/basic/tag.js'
import { type Column, Table } from '../../parts/list/table.js'
import type { PageProps } from '../../parts/page-props.js'
import { ActionButton } from '../../plan/action-button.js'
import { renderCount, renderDuration, renderShort } from '../../text/numbers.js'
import { ReadPanel, ServerFrame } from './kit/frame.js'
import { useOfServer, useSubject } from './kit/subject.js'
import { PlanDialog } from './queries/plan-dialog.js'

const sources = {
  pfs: { row: 'GET /api/clusters/:cluster/servers/:server/digest-statements-pfs', title: 'Performance schema' },
  slow: { row: 'GET /api/clusters/:cluster/servers/:server/digest-statements-slow', title: 'Slow log' },
} as const

interface Start {
  readonly at: number
  readonly source: string
  readonly statements: readonly Statement[]
}

export function page(props: PageProps) {
  const subject = useSubject(props)
  const { server, details, cluster } = subject
  const { query, setQuery } = useQuery()
  const source =
    query.source === 'slow' || (query.source === undefined && details?.hasPerformanceSchema === false) ? 'slow' : 'pfs'
  const reading = useOfServer(sources[source].row, subject, { every: 'live' })
  const start = useSignal<Start | undefined>(undefined)
  const begun = start.value?.source === `${subject.name} ${source}` ? start.value : undefined
  const opened = query.digest
  const measure = (statements: readonly Statement[]) => {
    start.value = begun ? undefined : { at: Date.now(), source: `${subject.name} ${source}`, statements }
  }
  return (
    <ServerFrame
      subject={subject}
      aside={
        server &&
        source === 'pfs' && (
          <ActionButton
            action={{
              ...{
                title: `Reset digests of ${server.name}`,
                row: 'POST /api/clusters/:cluster/servers/:server/actions/reset-pfs-queries',
                grant: 'db-analyse',
              },
              ...{ kind: 'destroying', params: { cluster, server: server.name } },
            }}
          >
            Reset digests
          </ActionButton>
        )
      }
    >
      <ReadPanel
        title="Statements"
        reading={reading}
        read={readStatements}
        isEmpty={(statements) => statements.length === 0}
        empty="No statement was recorded."
        aside={
          <span class="row">
            {Object.entries(sources).map(([key, { title }]) => (
              <button
                key={key}
                type="button"
                class="button"
                aria-pressed={key === source}
                onClick={() => setQuery({ source: key, digest: undefined })}
              >
                {title}
              </button>
            ))}
          </span>
        }
      >
        {(all) => {
          const statements = begun ? compareStatements(begun.statements, all) : all
          const shown = narrow(statements, query.q ?? '')
          const total = statements.reduce((sum, { totalMs = 0 }) => sum + totalMs, 0)
          return (
            <>
              <search class="server-filter">
                <input
                  type="search"
                  aria-label="Filter statements"
                  placeholder="text, schema"
                  value={query.q ?? ''}
                  onInput={(event) => setQuery({ q: event.currentTarget.value })}
                />
                {source === 'pfs' && (
                  <button type="button" class="button" aria-pressed={begun !== undefined} onClick={() => measure(all)}>
                    {begun ? 'Show since the counters began' : 'Measure from now'}
                  </button>
                )}
                {begun && (
                  <span class="muted">
                    since <Moment at={begun.at} as="time" />
                  </span>
                )}
                <span class="muted number">{shown.length} digests</span>
              </search>
              <Table
                caption="Statements"
                columns={columnsFor(total)}
                rows={shown}
                keyOf={({ digest, schema, lastSeen }) => `${digest} ${schema} ${source === 'slow' ? lastSeen : ''}`}
                sort={{ key: 'total', down: true }}
                onOpen={({ digest }) => setQuery({ digest })}
                empty={begun ? 'No statement ended since then.' : 'No statement fits.'}
              />
              <PlanDialog
                subject={subject}
                source={source}
                statement={opened === undefined ? undefined : all.find(({ digest }) => digest === opened)}
                onClose={() => setQuery({ digest: undefined })}
              />
            </>
          )
        }}
      </ReadPanel>
    </ServerFrame>
  )
}

function narrow(statements: readonly Statement[], wanted: string): readonly Statement[] {
  const words = wanted.toLowerCase().split(/\s+/).filter(Boolean)
  return statements.filter(({ text, schema = '', digest }) => {
    const all = `${text} ${schema} ${digest}`.toLowerCase()
    return words.every((word) => all.includes(word))
  })
}

const columnsFor = (total: number): readonly Column<Statement>[] => [
  {
    key: 'text',
    head: 'Statement',
    wide: true,
    cell: ({ text, schema, isFullScan, temporaryOnDisk, errors }) => (
      <>
        <code class="statement statement-cut">{text}</code>
        <span class="row">
          {schema !== undefined && <span class="muted">{schema}</span>}
          {isFullScan && <Tag tone="warning">full scan</Tag>}
          {temporaryOnDisk !== undefined && <Tag tone="warning">temporary table on disk</Tag>}
          {errors !== undefined && <Tag tone="error">{renderCount(errors)} errors</Tag>}
        </span>
      </>
    ),
    sort: ({ text }) => text,
  },
  {
    key: 'share',
    head: 'Load',
    align: 'end',
    cell: ({ totalMs }) => (totalMs === undefined || total === 0 ? null : `${((totalMs / total) * 100).toFixed(1)} %`),
    sort: ({ totalMs }) => totalMs,
  },
  { key: 'total', head: 'Time', align: 'end', cell: ({ totalMs }) => ms(totalMs), sort: ({ totalMs }) => totalMs },
  {
    key: 'count',
    head: 'Count',
    align: 'end',
    cell: ({ count }) => (count === undefined ? null : renderShort(count)),
    sort: ({ count }) => count,
  },
  {
    key: 'average',
    head: 'Average',
    align: 'end',
    cell: ({ averageMs }) => ms(averageMs),
    sort: ({ averageMs }) => averageMs,
  },
  { key: 'max', head: 'Longest', align: 'end', cell: ({ maxMs }) => ms(maxMs), sort: ({ maxMs }) => maxMs },
  {
    key: 'examined',
    head: 'Rows read',
    align: 'end',
    cell: ({ rowsExamined }) => (rowsExamined === undefined ? null : renderShort(rowsExamined)),
    sort: ({ rowsExamined }) => rowsExamined,
  },
  {
    key: 'sent',
    head: 'Rows sent',
    align: 'end',
    cell: ({ rowsSent }) => (rowsSent === undefined ? null : renderShort(rowsSent)),
    sort: ({ rowsSent }) => rowsSent,
  },
]

const ms = (value: number | undefined) =>
  value === undefined ? null : value < 10 ? `${value.toFixed(2)} ms` : renderDuration(value)
