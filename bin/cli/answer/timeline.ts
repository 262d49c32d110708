// What happened to a cluster, a line an entry, newest first.
import type { TimelinePage } from '../../../http/client/api/generated.js'
import { isoTime, SECOND } from '../../../lib/base/time.js'
import { type Column, renderTable } from '../output/table.js'

/** The entries of the fleet name their cluster, null for the manager itself. */
type Entry = TimelinePage['entries'][number] & { readonly cluster?: string | null }

/** A page of one cluster or of the fleet; `reach` (milliseconds): how far back a search went that did not read all. */
type Page = Pick<TimelinePage, 'next'> & { readonly entries: readonly Entry[]; readonly reach?: number }

const columns: readonly Column<Entry>[] = [
  { title: 'time', isKey: true, text: ({ at }) => isoTime(at) },
  { title: 'seconds', align: 'right', text: secondsText },
  { title: 'cluster', text: ({ cluster }) => cluster || '(manager)' },
  { title: 'kind', text: ({ kind }) => kind },
  { title: 'user', text: ({ user }) => user ?? '' },
  { title: 'what', text: ({ code, kind, text }) => (kind === 'finding' && code !== null ? `${code} ${text}` : text) },
]

/** How long a span lasted, with one digit; empty for what has no duration, or lasts. */
function secondsText({ at, until }: Entry): string {
  return until === null ? '' : ((until - at) / SECOND).toFixed(1)
}

export function renderTimeline({ entries, next, reach }: Page): string {
  const isOfFleet = entries.some(({ cluster }) => cluster !== undefined)
  const shown = columns.filter(({ title }) => title !== 'cluster' || isOfFleet)
  const more = [
    ...(next === null ? [] : [`There are older entries: --before ${next}`]),
    ...(reach === undefined ? [] : [`The search went back to ${isoTime(reach)}, not further.`]),
  ]
  const table = entries.length === 0 ? 'No entries.' : renderTable(shown, entries)
  return [table, ...(more.length === 0 ? [] : ['', ...more])].join('\n')
}
