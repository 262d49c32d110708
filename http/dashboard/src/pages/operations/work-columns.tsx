// The columns of work, whether it runs or has ended.
import type { State } from '../../model/state.js'
import type { Work, WorkState } from '../../model/upkeep/work.js'
import { Moment } from '../../parts/basic/moment.js'
import { StateMark } from '../../parts/basic/state-mark.js'
import type { Column } from '../../parts/list/table.js'

const marks: Readonly<Record<WorkState, readonly [state: State, word: string]>> = {
  waiting: ['unknown', 'waits'],
  running: ['healthy', 'runs'],
  succeeded: ['healthy', 'succeeded'],
  lossy: ['degraded', 'incomplete'],
  undone: ['degraded', 'undone'],
  failed: ['broken', 'failed'],
  cancelled: ['unknown', 'cancelled'],
  interrupted: ['degraded', 'interrupted'],
}

export const stateColumn: Column<Work> = {
  key: 'state',
  head: 'State',
  sort: ({ state }) => state,
  cell: ({ state }) => {
    const [mark, word] = marks[state]
    return <StateMark state={mark} word={word} />
  },
}

export const whatColumn: Column<Work> = {
  key: 'what',
  head: 'Work',
  wide: true,
  sort: ({ title }) => title,
  cell: ({ cluster, title, text, at }) => (
    <>
      <a href={`/c/${encodeURIComponent(cluster)}/timeline?at=${at}`}>{title}</a>
      <div class="muted work-text">{text}</div>
    </>
  ),
}

export const clusterColumn: Column<Work> = {
  key: 'cluster',
  head: 'Cluster',
  sort: ({ cluster }) => cluster,
  cell: ({ cluster }) => <a href={`/c/${encodeURIComponent(cluster)}`}>{cluster}</a>,
}

export const userColumn: Column<Work> = {
  key: 'user',
  head: 'By',
  sort: ({ user }) => user ?? '',
  cell: ({ user }) => user,
}

export const momentColumn = (head: string, of: 'at' | 'until'): Column<Work> => ({
  ...{ key: of, head },
  sort: (work) => work[of] ?? 0,
  cell: (work) => {
    const at = work[of]
    return at !== undefined && <Moment at={at} />
  },
})
