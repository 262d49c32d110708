// Work on all clusters: what runs and waits, with its end; what has ended, the newest first, further back on request.
import { useSignal } from '@preact/signals'
import { call } from '../../client/call.js'
import type { Failure } from '../../client/failure.js'
import { filterWork, isOpenWork, readWork, WORK_ENTRIES, type Work, workKinds } from '../../model/upkeep/work.js'
import { useQuery } from '../../parts/address.js'
import { Failed } from '../../parts/basic/empty.js'
import { Panel } from '../../parts/basic/panel.js'
import { Table } from '../../parts/list/table.js'
import { AsOf, NotRead } from '../../parts/reading/as-of.js'
import { ActionButton } from '../../plan/action-button.js'
import { me } from '../../store/me.js'
import { useReading } from '../../store/reading.js'
import { renderDuration } from '../../text/numbers.js'
import { cancelOf } from './cancel.js'
import { ProgressCell } from './progress-cell.js'
import { clusterColumn, momentColumn, stateColumn, userColumn, whatColumn } from './work-columns.js'
import './operations.css'

const OPEN_MS = 2_000
const ENDED_MS = 10_000
/** Entries of the timeline that are read at once. */
const PAGE = 100
const MOST_OPEN = 1_000

const kindTitles: Readonly<Record<(typeof workKinds)[number], string>> = {
  ...{ operation: 'Operations', rolling: 'Rolling work', scheduled: 'Scheduled' },
  ...{ job: 'Jobs', backup: 'Backups and recovery' },
}

export function page() {
  const { query, setQuery } = useQuery()
  const { q: words = '', kind = '', only } = query
  const filter = { words, kind, failed: false }
  const open = useReading('GET /api/timeline', {
    query: { kind: WORK_ENTRIES, open: true, limit: MOST_OPEN },
    every: OPEN_MS,
  })
  const latest = useReading('GET /api/timeline', { query: { kind: WORK_ENTRIES, limit: PAGE }, every: ENDED_MS })
  return (
    <div class="page operations-page">
      <h1>Operations</h1>
      <search class="work-filter">
        <label>
          Kind
          <select value={kind} onChange={(event) => setQuery({ kind: event.currentTarget.value })}>
            <option value="">All</option>
            {workKinds.map((each) => (
              <option key={each} value={each}>
                {kindTitles[each]}
              </option>
            ))}
          </select>
        </label>
        <input
          type="search"
          aria-label="Cluster, work, text or user"
          placeholder="Cluster, work, text or user"
          value={words}
          onInput={(event) => setQuery({ q: event.currentTarget.value })}
        />
        <button
          type="button"
          class="button"
          aria-pressed={only === 'failed'}
          onClick={() => setQuery({ only: only === 'failed' ? undefined : 'failed' })}
        >
          Ended badly
        </button>
      </search>
      <Panel title="Running and waiting" stale={open.isStale} aside={<AsOf reading={open} />}>
        {open.value === undefined ? (
          <NotRead reading={open} />
        ) : (
          <OpenWork work={filterWork(readWork(open.value).work.filter(isOpenWork), filter)} />
        )}
      </Panel>
      <Panel title="Ended" stale={latest.isStale} aside={<AsOf reading={latest} />}>
        {latest.value === undefined ? (
          <NotRead reading={latest} />
        ) : (
          <EndedWork reply={latest.value} filter={{ ...filter, failed: only === 'failed' }} />
        )}
      </Panel>
    </div>
  )
}

const OpenWork = ({ work }: { readonly work: readonly Work[] }) => (
  <Table
    caption="Work that runs or waits"
    rows={work}
    keyOf={({ key }) => key}
    empty="Nothing runs or waits."
    columns={[
      stateColumn,
      clusterColumn,
      whatColumn,
      { key: 'progress', head: 'Progress', cell: (each) => <ProgressCell work={each} /> },
      userColumn,
      momentColumn('Begun', 'at'),
      ...(me.value?.readOnly === false
        ? [
            {
              key: 'cancel',
              head: 'Cancel',
              cell: (each: Work) => {
                const action = cancelOf(each)
                return action && <ActionButton action={action}>Cancel</ActionButton>
              },
            },
          ]
        : []),
    ]}
  />
)

interface EndedProps {
  readonly reply: unknown
  readonly filter: Parameters<typeof filterWork>[1]
}

function EndedWork({ reply, filter }: EndedProps) {
  const { work: newest, next } = readWork(reply)
  const older = useSignal<readonly Work[]>([])
  const further = useSignal<{ readonly next: string | undefined } | undefined>(undefined)
  const failure = useSignal<Failure | undefined>(undefined)
  const busy = useSignal(false)
  const before = further.value ? further.value.next : next
  const readOlder = async () => {
    busy.value = true
    const answer = await call('GET /api/timeline', { query: { kind: WORK_ENTRIES, limit: PAGE, before } })
    busy.value = false
    failure.value = answer.ok ? undefined : answer.failure
    if (!answer.ok) return
    const read = readWork(answer.value)
    older.value = [...older.value, ...read.work]
    further.value = { next: read.next }
  }
  // What moved from the newest page into an older one meanwhile is there twice.
  const all = [...new Map([...newest, ...older.value].map((work) => [work.key, work])).values()]
  const shown = filterWork(all, filter).filter(({ until }) => until !== undefined)
  return (
    <>
      <Table
        caption="Work that has ended, newest first"
        rows={shown}
        keyOf={({ key }) => key}
        limit={PAGE}
        empty={all.length === 0 ? 'None is kept.' : 'None of what was read fits.'}
        columns={[
          stateColumn,
          clusterColumn,
          whatColumn,
          userColumn,
          momentColumn('Ended', 'until'),
          {
            key: 'took',
            head: 'Took',
            align: 'end',
            sort: ({ at, until = at }) => until - at,
            cell: ({ at, until }) => until !== undefined && renderDuration(Math.max(0, until - at)),
          },
        ]}
      />
      {failure.value && <Failed failure={failure.value} onRetry={() => void readOlder()} />}
      {before !== undefined && (
        <button type="button" class="button work-older" aria-disabled={busy.value} onClick={() => void readOlder()}>
          {busy.value && <span class="busy" aria-hidden="true" />}Older
        </button>
      )}
    </>
  )
}
