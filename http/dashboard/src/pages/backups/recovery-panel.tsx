// The way back: find what went wrong in the stored binary logs, choose the point before it, read the plan, confirm it by name.
import { useSignal } from '@preact/signals'
import { call } from '../../client/call.js'
import type { Failure } from '../../client/failure.js'
import {
  type Found,
  fieldOf,
  type Point,
  pointFlags,
  pointQuery,
  readFound,
  type SearchForm,
  searchQuery,
  secondsOf,
} from '../../model/upkeep/recovery.js'
import { Button } from '../../parts/basic/button.js'
import { Empty, Failed } from '../../parts/basic/empty.js'
import { Moment } from '../../parts/basic/moment.js'
import { Panel } from '../../parts/basic/panel.js'
import { Table } from '../../parts/list/table.js'
import type { Action } from '../../plan/action.js'
import { ActionButton } from '../../plan/action-button.js'
import { may, me } from '../../store/me.js'
import { renderFullMoment } from '../../text/moments.js'

/** Stored logs are read from their begin: of days of writes this takes minutes. */
const SEARCH_MS = 10 * 60_000

const fields = [
  ['schema', 'Schema', { type: 'text' }],
  ['table', 'Table', { type: 'text' }],
  ['from', 'From', { type: 'datetime-local', step: 1 }],
  ['to', 'Until', { type: 'datetime-local', step: 1 }],
] as const

export function RecoveryPanel({ cluster }: { readonly cluster: string }) {
  const form = useSignal<SearchForm>({ schema: '', table: '', from: '', to: '' })
  const found = useSignal<Found | Failure | undefined>(undefined)
  const isBusy = useSignal(false)
  const point = useSignal<Point | undefined>(undefined)
  const address = useSignal('')
  if (me.value?.readOnly !== false) return null
  const permission = may('db-restore', cluster)
  const write = (name: keyof SearchForm, text: string) => {
    form.value = { ...form.value, [name]: text }
  }
  const search = async () => {
    if (!permission.allowed || isBusy.value) return
    isBusy.value = true
    const query = searchQuery(form.value)
    const reply = await call('GET /api/clusters/:cluster/stored-transactions', {
      params: { cluster },
      query,
      timeoutMs: SEARCH_MS,
    })
    isBusy.value = false
    found.value = reply.ok ? readFound(reply.value) : reply.failure
  }
  return (
    <Panel title="Back to a point">
      <div class="recovery">
        <p class="muted">
          All servers go back to one point: a backup, then stored binary logs up to it. What was written after the point
          is undone. Or a new server gets what was there, beside the cluster. Nothing is done before the plan is read
          and confirmed.
        </p>
        <section aria-label="Find the transaction">
          <h3>1. Find what went wrong</h3>
          <form
            class="recovery-search"
            onSubmit={(event) => {
              event.preventDefault()
              void search()
            }}
          >
            {fields.map(([name, title, kind]) => (
              <label key={name}>
                {title}
                <input {...kind} value={form.value[name]} onInput={(event) => write(name, event.currentTarget.value)} />
              </label>
            ))}
            <button
              type="submit"
              class="button"
              aria-disabled={!permission.allowed || isBusy.value}
              title={permission.reason}
            >
              {isBusy.value && <span class="busy" aria-hidden="true" />}
              Search the stored logs
            </button>
          </form>
          {found.value && (
            <FoundView found={found.value} point={point.value} onChoose={(next) => (point.value = next)} />
          )}
        </section>
        <section aria-label="Choose the point">
          <h3>2. Choose the point</h3>
          <div class="recovery-search">
            <label>
              A moment, in the time of this browser
              <input
                type="datetime-local"
                step={1}
                value={fieldOf(point.value)}
                onInput={(event) => {
                  const seconds = secondsOf(event.currentTarget.value)
                  point.value = seconds === undefined ? undefined : { type: 'time', seconds }
                }}
              />
            </label>
            <span class="muted">or a transaction that was found above</span>
          </div>
        </section>
        <section aria-label="Read the plan">
          <h3>3. Read the plan, then confirm it</h3>
          {point.value ? (
            <>
              <p class="row">
                <strong>{renderPoint(point.value)}</strong>
                <ActionButton action={recoveryOf(cluster, point.value)}>All servers: show the plan…</ActionButton>
              </p>
              <div class="recovery-search">
                <label>
                  Or a new server; the others are not touched
                  <input
                    type="text"
                    placeholder="host:port, or a free port"
                    value={address.value}
                    onInput={(event) => (address.value = event.currentTarget.value)}
                  />
                </label>
                <ActionButton action={newServerOf(cluster, point.value, address.value.trim())}>
                  New server: show the plan…
                </ActionButton>
              </div>
            </>
          ) : (
            <p class="muted">No point is chosen.</p>
          )}
        </section>
      </div>
    </Panel>
  )
}

interface FoundViewProps {
  readonly found: Found | Failure
  readonly point: Point | undefined
  readonly onChoose: (point: Point) => void
}

function FoundView({ found, point, onChoose }: FoundViewProps) {
  if ('status' in found) return <Failed failure={found} />
  const { transactions, hasMore, storedFrom, storedTo } = found
  const isChosen = (gtid: string, type: Point['type']) =>
    point !== undefined && point.type === type && point.type !== 'time' && point.gtid === gtid
  return (
    <>
      {storedFrom === undefined || storedTo === undefined ? (
        <Empty>No binary log is stored.</Empty>
      ) : (
        <p class="muted">
          Stored: {renderFullMoment(storedFrom)} to {renderFullMoment(storedTo)}.
          {hasMore && ' More were found than are shown: narrow the search.'}
        </p>
      )}
      <Table
        caption="Transactions that were found, oldest first"
        rows={transactions}
        keyOf={({ gtid, at }) => `${gtid} ${at}`}
        empty="No stored transaction fits."
        limit={50}
        columns={[
          { key: 'at', head: 'When', cell: ({ at }) => <Moment at={at} as="time" /> },
          { key: 'gtid', head: 'Transaction', cell: ({ gtid }) => <code>{gtid}</code> },
          {
            key: 'what',
            head: 'What it did',
            wide: true,
            cell: ({ lines }) => lines.map((line) => <div key={line}>{line}</div>),
          },
          {
            key: 'choose',
            head: 'Go back to',
            cell: ({ gtid, at }) => (
              <span class="recovery-choose">
                {(['before', 'after'] as const).map((type) => (
                  <Button
                    key={type}
                    pressed={isChosen(gtid, type)}
                    label={`${type === 'before' ? 'Before it' : 'After it'}: ${gtid}`}
                    onClick={() => onChoose({ type, gtid, at })}
                  >
                    {type === 'before' ? 'Before it' : 'After it'}
                  </Button>
                ))}
              </span>
            ),
          },
        ]}
      />
    </>
  )
}

function renderPoint(point: Point): string {
  if (point.type === 'time') return `Everything up to ${renderFullMoment(point.seconds * 1_000)}`
  return `${point.type === 'before' ? 'Just before' : 'Just after'} ${point.gtid} of ${renderFullMoment(point.at)}`
}

const recoveryOf = (cluster: string, point: Point): Action => ({
  ...{
    title: 'All servers back to a point',
    row: 'POST /api/clusters/:cluster/actions/pitr',
    params: { cluster },
    grant: 'db-restore',
  },
  ...{ kind: 'destroying', follow: 'job', query: pointQuery(point), command: ['pitr', ...pointFlags(point)] },
})

const newServerOf = (cluster: string, point: Point, address: string): Action => ({
  ...{ title: 'A new server at a point', row: 'POST /api/clusters/:cluster/actions/pitr-new-server' },
  ...{ params: { cluster }, grant: 'db-restore' },
  ...{ kind: 'interrupting', follow: 'job', query: { ...pointQuery(point), ...(address === '' ? {} : { address }) } },
  command: ['pitr', '--new-server', ...(address === '' ? [] : [address]), ...pointFlags(point)],
})
