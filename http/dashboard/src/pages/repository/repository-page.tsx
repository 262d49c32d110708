// The configuration in git: whether all is pushed, what others changed and what would come of it, who changed what and the way back.
import {
  type Incoming,
  type IncomingChange,
  nextSteps,
  type RepositoryState,
  type RepositoryView,
  readRepository,
  shortId,
} from '../../model/configuration/repository.js'
import type { State } from '../../model/state.js'
import { Empty } from '../../parts/basic/empty.js'
import { Moment } from '../../parts/basic/moment.js'
import { Panel } from '../../parts/basic/panel.js'
import { StateMark } from '../../parts/basic/state-mark.js'
import { Facts } from '../../parts/list/facts.js'
import { Table } from '../../parts/list/table.js'
import { AsOf, NotRead } from '../../parts/reading/as-of.js'
import { ActionButton } from '../../plan/action-button.js'
import { useReading } from '../../store/reading.js'
import { CommitsPanel } from './commits-panel.js'
import { applyCommit, push, rejectCommit } from './repository-actions.js'
import './repository.css'

const EVERY_MS = 5_000

const marks: Readonly<Record<RepositoryState, readonly [State, string]>> = {
  off: ['unknown', 'off'],
  starting: ['unknown', 'is compared for the first time'],
  current: ['healthy', 'all is pushed'],
  waiting: ['degraded', 'a change of others waits'],
  refused: ['broken', 'a secret in clear refuses the commit'],
  failed: ['broken', 'cannot be reached'],
}

export function page() {
  const reading = useReading('GET /api/repository', { every: EVERY_MS })
  const view = readRepository(reading.value)
  return (
    <div class="page repository-page">
      <h1>Configuration in git</h1>
      {!view && <NotRead reading={reading} />}
      {view?.state === 'off' && (
        <Empty>
          <span>
            {nextSteps.off} <a href="/settings?q=git-">Settings of git</a>
          </span>
        </Empty>
      )}
      {view && view.state !== 'off' && (
        <>
          <Panel
            title="Repository"
            stale={reading.isStale}
            aside={
              <>
                <AsOf reading={reading} />
                <ActionButton action={push} />
              </>
            }
          >
            <Standing view={view} />
          </Panel>
          {view.incoming && <IncomingPanel incoming={view.incoming} isStale={reading.isStale} />}
          <CommitsPanel {...(view.head === undefined ? {} : { head: view.head })} />
        </>
      )}
    </div>
  )
}

function Standing({ view }: { readonly view: RepositoryView }) {
  const { state, url, head, answeredAt, pushedAt, problem, queued, conflicts, remarks } = view
  const [mark, word] = marks[state]
  return (
    <>
      {nextSteps[state] !== undefined && <p class="next-step">{nextSteps[state]}</p>}
      <Facts
        facts={[
          ['State', <StateMark key="state" state={mark} word={word} />],
          ['Problem', problem],
          ['Address', url !== undefined && <span class="mono">{url}</span>],
          ['Newest commit', head !== undefined && <span class="mono">{shortId(head)}</span>],
          ['Answered', answeredAt !== undefined && <Moment at={answeredAt} />],
          ['Pushed', pushedAt !== undefined && <Moment at={pushedAt} />],
        ]}
      />
      <Lines title="Not pushed yet" lines={queued} />
      <Lines title="Changed on both sides: what runs here was kept" lines={conflicts} />
      <Lines title="Changes of others without effect" lines={remarks} />
    </>
  )
}

const Lines = ({ title, lines }: { readonly title: string; readonly lines: readonly string[] }) =>
  lines.length === 0 ? null : (
    <section class="repository-lines" aria-label={title}>
      <h3>{title}</h3>
      <ul>
        {lines.map((line) => (
          <li key={line} class="mono">
            {line}
          </li>
        ))}
      </ul>
    </section>
  )

const words = { add: 'is added', remove: 'is removed', edit: 'other settings' } as const

const IncomingPanel = ({
  incoming: { commit, changes },
  isStale,
}: {
  readonly incoming: Incoming
  readonly isStale: boolean
}) => (
  <Panel
    title="A change of others"
    stale={isStale}
    aside={
      <>
        <ActionButton action={applyCommit(commit.id)}>Apply</ActionButton>
        <ActionButton action={rejectCommit(commit.id)}>Reject</ActionButton>
      </>
    }
  >
    <Facts
      facts={[
        ['By', commit.email === undefined ? commit.author : `${commit.author} <${commit.email}>`],
        ['When', commit.at !== undefined && <Moment at={commit.at} />],
        [
          'Commit',
          <span key="commit" class="mono">
            {shortId(commit.id)}
          </span>,
        ],
      ]}
    />
    <p class="commit-subject">{commit.subject}</p>
    {commit.body !== undefined && <p class="commit-body muted">{commit.body}</p>}
    <Table
      caption="What the change of others is about"
      rows={changes}
      keyOf={keyOf}
      empty="No setting would be another one."
      columns={[
        {
          key: 'cluster',
          head: 'Of',
          sort: ({ cluster }) => cluster ?? '',
          cell: ({ cluster }) => cluster ?? <span class="muted">the manager</span>,
        },
        { key: 'change', head: 'What', cell: ({ change }) => words[change] },
        {
          key: 'settings',
          head: 'Settings',
          wide: true,
          cell: ({ settings }) => <span class="mono setting-names">{settings.join(', ')}</span>,
        },
      ]}
    />
  </Panel>
)

const keyOf = ({ cluster = '', change }: IncomingChange): string => `${cluster} ${change}`
