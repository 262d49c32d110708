// Who did what, when: on all clusters and on the manager, newest first, searched by user, cluster and action.
import { useSignal } from '@preact/signals'
import { useEffect } from 'preact/hooks'
import { call } from '../../client/call.js'
import type { Failure } from '../../client/failure.js'
import { type AuditEntry, type AuditPage, auditQuery, readAudit } from '../../model/access/audit.js'
import { useQuery } from '../../parts/address.js'
import { Button } from '../../parts/basic/button.js'
import { Failed, Loading } from '../../parts/basic/empty.js'
import { Panel } from '../../parts/basic/panel.js'
import { Tag } from '../../parts/basic/tag.js'
import { CopyRequest } from '../../parts/code/code-block.js'
import { type Column, Table } from '../../parts/list/table.js'
import { useReading } from '../../store/reading.js'
import { renderFullMoment } from '../../text/moments.js'
import './audit.css'

/** What no event announces is read again this often. */
const EVERY_MS = 15_000

export function page() {
  const { query, setQuery } = useQuery()
  const { user = '', cluster = '', action = '' } = query
  const wish = { user, cluster, action }
  const asked = auditQuery(wish)
  const latest = useReading('GET /api/timeline', { query: asked, every: EVERY_MS })
  const older = useSignal<readonly AuditPage[]>([])
  const isReading = useSignal(false)
  const failure = useSignal<Failure | undefined>(undefined)
  const filter = JSON.stringify(wish)
  useEffect(() => {
    older.value = []
    failure.value = undefined
  }, [filter])
  const first = latest.value === undefined ? undefined : readAudit(latest.value)
  const pages = first ? [first, ...older.value] : []
  const entries = joined(pages)
  const { next, reach } = pages.at(-1) ?? {}
  const more = async () => {
    if (next === undefined) return
    isReading.value = true
    const reply = await call('GET /api/timeline', { query: auditQuery({ ...wish, before: next }) })
    isReading.value = false
    failure.value = reply.ok ? undefined : reply.failure
    if (reply.ok) older.value = [...older.value, readAudit(reply.value)]
  }
  return (
    <div class="page audit">
      <Panel
        title="Audit"
        stale={latest.isStale}
        aside={<CopyRequest request={{ method: 'GET', path: `/api/timeline?${given(asked)}` }} />}
      >
        <search class="audit-search">
          {(
            [
              ['user', 'User', user, 'ann'],
              ['cluster', 'Cluster', cluster, 'every cluster'],
              ['action', 'Action', action, 'switchover, login, db-servers-…'],
            ] as const
          ).map(([key, title, value, hint]) => (
            <label key={key}>
              {title}
              <input
                value={value}
                placeholder={hint}
                spellcheck={false}
                autocomplete="off"
                onChange={(event) => setQuery({ [key]: event.currentTarget.value.trim() })}
              />
            </label>
          ))}
        </search>
        {first === undefined &&
          (latest.failure ? <Failed failure={latest.failure} onRetry={latest.reload} /> : <Loading />)}
        {first && (
          <Table
            caption="Who did what, newest first"
            rows={entries}
            keyOf={keyOf}
            limit={500}
            empty="Nothing that is kept fits."
            columns={columns}
          />
        )}
        {failure.value && <Failed failure={failure.value} onRetry={() => void more()} />}
        {next !== undefined && (
          <p class="row">
            <Button busy={isReading.value} onClick={() => void more()}>
              Older
            </Button>
          </p>
        )}
        {reach !== undefined && (
          <p class="muted">
            Searched back to {renderFullMoment(reach)}. To search further, name a cluster: its timeline is read whole.
          </p>
        )}
      </Panel>
    </div>
  )
}

const keyOf = ({ cluster = '', id }: AuditEntry): string => `${cluster} ${id}`

/** A page that was read again may begin later than the one after it was asked for. */
const joined = (pages: readonly AuditPage[]): readonly AuditEntry[] => [
  ...new Map(pages.flatMap(({ entries }) => entries).map((entry) => [keyOf(entry), entry])).values(),
]

const given = (query: Readonly<Record<string, string | undefined>>): string =>
  String(
    new URLSearchParams(Object.entries(query).flatMap(([key, value]) => (value === undefined ? [] : [[key, value]]))),
  )

const columns: readonly Column<AuditEntry>[] = [
  {
    key: 'at',
    head: 'When',
    cell: ({ at, cluster }) => {
      const text = renderFullMoment(at).slice(0, 19)
      return cluster === undefined ? (
        <span class="number">{text}</span>
      ) : (
        <a class="number" href={`/c/${encodeURIComponent(cluster)}/timeline?at=${at}`}>
          {text}
        </a>
      )
    },
  },
  { key: 'user', head: 'Who', cell: ({ user }) => user ?? <span class="muted">not known</span> },
  {
    key: 'cluster',
    head: 'Where',
    cell: ({ cluster }) =>
      cluster === undefined ? (
        <span class="muted">the manager</span>
      ) : (
        <a href={`/c/${encodeURIComponent(cluster)}`}>{cluster}</a>
      ),
  },
  {
    key: 'what',
    head: 'What',
    wide: true,
    cell: ({ text, change, tone }) => (
      <>
        {tone !== 'plain' && <Tag tone={tone}>{tone === 'error' ? 'failed' : 'warning'}</Tag>}{' '}
        {change ? (
          <>
            <span class="mono">{change.name}</span>: <del>{change.before === '' ? 'nothing' : change.before}</del> →{' '}
            <ins>{change.after === '' ? 'nothing' : change.after}</ins>
          </>
        ) : (
          text
        )}
      </>
    ),
  },
  { key: 'code', head: 'Action', cell: ({ code }) => code !== undefined && <code>{code}</code> },
]
