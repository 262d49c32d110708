// The list of a timeline: its kinds in words, its days, and where a moment stands in it. Pure.
import type { TimelineKind } from '../../../../../../lib/model/timeline.js'
import type { Entry } from '../../../model/cluster/timeline.js'

export const kindWords: Readonly<Record<TimelineKind, string>> = {
  finding: 'Finding',
  state: 'State',
  primary: 'Primary',
  operation: 'Operation',
  step: 'Step',
  setting: 'Setting',
  job: 'Job',
  backup: 'Backup',
  login: 'Login',
  note: 'Action',
  manager: 'Manager',
}

export interface KindGroup {
  readonly title: string
  readonly kinds: readonly TimelineKind[]
}

/** What a reader chooses by. */
export const kindGroups: readonly KindGroup[] = [
  { title: 'Findings', kinds: ['finding'] },
  { title: 'Operations', kinds: ['operation'] },
  { title: 'States', kinds: ['state', 'primary'] },
  { title: 'Jobs', kinds: ['job', 'backup'] },
  { title: 'Settings', kinds: ['setting'] },
  { title: 'Users', kinds: ['login', 'note'] },
  { title: 'Manager', kinds: ['manager'] },
]

/** The kinds of the address; those that do not exist are none. */
export const kindsOf = (text: string | undefined): readonly TimelineKind[] =>
  (text ?? '').split(',').filter((kind): kind is TimelineKind => Object.hasOwn(kindWords, kind))

export const isChosen = ({ kinds }: KindGroup, chosen: readonly TimelineKind[]): boolean =>
  kinds.some((kind) => chosen.includes(kind))

/** The address's kinds with the group turned on or off; undefined: all. */
export function turnGroup(group: KindGroup, chosen: readonly TimelineKind[]): string | undefined {
  const rest = chosen.filter((kind) => !group.kinds.includes(kind))
  const next = isChosen(group, chosen) ? rest : [...rest, ...group.kinds]
  return next.length === 0 ? undefined : next.join(',')
}

export interface Day {
  /** Its first entry's day: "Tuesday, 24 November 2026". */
  readonly title: string
  readonly entries: readonly Entry[]
}

const dayFormat = new Intl.DateTimeFormat('en-GB', { weekday: 'long', day: 'numeric', month: 'long', year: 'numeric' })

/** In the order of the entries: an entry that the clock dates before its elder begins a day of its own. */
export function groupByDay(entries: readonly Entry[]): readonly Day[] {
  const days: { title: string; entries: Entry[] }[] = []
  for (const entry of entries) {
    const title = dayFormat.format(entry.at)
    const last = days.at(-1)
    if (last?.title === title) last.entries.push(entry)
    else days.push({ title, entries: [entry] })
  }
  return days
}

/** The id of the first entry, newest first, that is not after the moment: the moment's line stands before it. */
export const entryBefore = (entries: readonly Entry[], at: number): string | undefined =>
  entries.find((entry) => entry.at <= at)?.id

/** Whether a span lasted at the moment. */
export const lastedAt = ({ at, until, lasts }: Entry, moment: number): boolean =>
  at <= moment && (lasts || (until !== undefined && until >= moment))

/** A moment of the address: milliseconds, nothing else. */
export function momentOf(text: string | undefined): number | undefined {
  return /^\d{1,15}$/.test(text ?? '') ? Number(text) : undefined
}

/** A link to a moment that keeps the filter. */
export function momentAddress(cluster: string, at: number, query: Readonly<Record<string, string>> = {}): string {
  const { kind, server } = query
  const values = { ...(kind ? { kind } : {}), ...(server ? { server } : {}), at: String(at) }
  return `/c/${encodeURIComponent(cluster)}/timeline?${new URLSearchParams(values)}`
}

/** What was read last, before what was read earlier and reaches further back. */
export function joinOlder(shown: readonly Entry[], older: readonly Entry[]): readonly Entry[] {
  const known = new Set(shown.map(({ id }) => id))
  return [...shown, ...older.filter(({ id }) => !known.has(id))]
}
