// The commits of the configuration, newest first, with their reason and the way back to each.
import { type Commit, readCommits, shortId } from '../../model/configuration/repository.js'
import { useQuery } from '../../parts/address.js'
import { Button } from '../../parts/basic/button.js'
import { Moment } from '../../parts/basic/moment.js'
import { Panel } from '../../parts/basic/panel.js'
import { type Column, Table } from '../../parts/list/table.js'
import { AsOf, NotRead } from '../../parts/reading/as-of.js'
import { ActionButton } from '../../plan/action-button.js'
import { me } from '../../store/me.js'
import { useReading } from '../../store/reading.js'
import { rollBack } from './repository-actions.js'

const COUNT = 50

export interface CommitsPanelProps {
  /** The commits are read again when it is another one. */
  readonly head?: string
}

export function CommitsPanel({ head }: CommitsPanelProps) {
  const { query, setQuery } = useQuery()
  const skip = Number(/^\d{1,6}$/.exec(query.skip ?? '')?.[0] ?? 0)
  return <Page key={`${head ?? ''} ${skip}`} head={head} skip={skip} onSkip={(next) => setQuery({ skip: next })} />
}

interface CommitsProps {
  readonly head: string | undefined
  readonly skip: number
  readonly onSkip: (skip: string | undefined) => void
}

function Page({ head, skip, onSkip }: CommitsProps) {
  const reading = useReading('GET /api/repository/commits', { query: { skip, count: COUNT } })
  const commits = readCommits(reading.value)
  return (
    <Panel title="Commits" stale={reading.isStale} aside={<AsOf reading={reading} />}>
      {reading.value === undefined ? (
        <NotRead reading={reading} />
      ) : (
        <Table
          caption="Commits of the configuration, newest first"
          rows={commits}
          keyOf={({ id }) => id}
          empty={skip === 0 ? 'There is no commit yet.' : 'There is none before.'}
          columns={me.value?.readOnly === false ? [...columns, backColumn(head)] : columns}
        />
      )}
      {(skip > 0 || commits.length === COUNT) && (
        <p class="row">
          {skip > 0 && (
            <Button onClick={() => onSkip(skip > COUNT ? String(skip - COUNT) : undefined)}>Newer commits</Button>
          )}
          {commits.length === COUNT && <Button onClick={() => onSkip(String(skip + COUNT))}>Older commits</Button>}
        </p>
      )}
    </Panel>
  )
}

const columns: readonly Column<Commit>[] = [
  { key: 'at', head: 'When', cell: ({ at }) => at !== undefined && <Moment at={at} as="time" /> },
  {
    key: 'author',
    head: 'Who',
    cell: ({ author, email }) => <span title={email}>{author}</span>,
  },
  {
    key: 'subject',
    head: 'What and why',
    wide: true,
    cell: ({ subject, body }) =>
      body === undefined ? (
        <span class="commit-subject">{subject}</span>
      ) : (
        <details>
          <summary class="commit-subject">{subject}</summary>
          <p class="commit-body muted">{body}</p>
        </details>
      ),
  },
  { key: 'id', head: 'Commit', cell: ({ id }) => <span class="mono">{shortId(id)}</span> },
]

const backColumn = (head: string | undefined): Column<Commit> => ({
  key: 'back',
  head: 'Back',
  cell: ({ id }) =>
    id === head ? <span class="muted">newest</span> : <ActionButton action={rollBack(id)}>Roll back</ActionButton>,
})
