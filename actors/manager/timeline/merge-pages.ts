// Several timelines as one: the newest entries of all, in one order, without reading those that have nothing so new.
import type { TimelineEntry } from '../../../lib/model/timeline.js'
import type { Timeline } from '../../../lib/store/index.js'
import type { MergedEntry, MergedPage, MergedQuery } from '../../protocol/manager/timeline.js'

export interface Source {
  readonly cluster: string
  readonly timeline: Pick<Timeline, 'lastAt' | 'page'>
}

/** Files that one search by user or action reads at most, of all timelines together: 256 KiB each. */
const SEARCHED_FILES = 256

/** The order of all: time, then cluster, then the order of its own timeline; `before` names a place in it. */
export async function mergePages(sources: readonly Source[], query: MergedQuery): Promise<MergedPage> {
  const { before, after, limit, kinds, user, code } = query
  const mark = markOf(before)
  const isSearch = user !== undefined || code !== undefined
  const files = Math.max(1, Math.floor(SEARCHED_FILES / Math.max(sources.length, 1)))
  let best: MergedEntry[] = []
  let reach: number | undefined
  for (const { cluster, timeline } of sources.toSorted((a, b) => b.timeline.lastAt - a.timeline.lastAt)) {
    const worst = best.length > limit ? best.at(-1) : undefined
    if (worst && worst.at > timeline.lastAt) break
    const page = await timeline.page({
      ...{ limit: limit + 1 },
      ...(mark ? { before: mark.at + 1 } : {}),
      ...(after === undefined ? {} : { after }),
      ...(kinds ? { kinds } : {}),
      ...(user === undefined ? {} : { user }),
      ...(code === undefined ? {} : { code }),
      ...(isSearch ? { files } : {}),
    })
    if (page.reach !== undefined) reach = Math.max(reach ?? 0, page.reach)
    const own = page.entries.map((entry): MergedEntry => ({ cluster: cluster === '' ? null : cluster, ...entry }))
    const fitting = own.filter((entry) => !mark || isAfterMark(entry, mark))
    best = [...best, ...fitting].toSorted(newestFirst).slice(0, limit + 1)
  }
  const entries = best.slice(0, limit)
  const last = entries.at(-1)
  // Before the reach some timelines were not read: what others have there would stand in a list with gaps.
  if (reach !== undefined && (best.length <= limit || (last && last.at < reach))) {
    const from = reach
    return { entries: entries.filter(({ at }) => at >= from), next: null, reach }
  }
  return { entries, next: best.length > limit && last ? `${last.at}~${last.cluster ?? ''}~${last.id}` : null }
}

/** What lasts in all of them, newest first; `limit` bounds it, and what is left out is older. */
export function mergeOpen(
  sources: readonly { readonly cluster: string; readonly timeline: Pick<Timeline, 'open'> }[],
  { limit, kinds }: Pick<MergedQuery, 'limit' | 'kinds'>,
): MergedPage {
  const open = sources.flatMap(({ cluster, timeline }) =>
    [...timeline.open.values()]
      .filter(({ kind }) => kinds?.includes(kind) ?? true)
      .map((entry): MergedEntry => ({ cluster: cluster === '' ? null : cluster, ...entry })),
  )
  return { entries: open.toSorted(newestFirst).slice(0, limit), next: null }
}

interface Mark {
  readonly at: number
  readonly cluster: string
  readonly number: number
}

function markOf(before: string | undefined): Mark | undefined {
  const [, at, cluster = '', number] = /^(\d+)(?:~([^~]*)~e(\d+))?$/.exec(before ?? '') ?? []
  if (at === undefined) return undefined
  return number === undefined
    ? { at: Number(at) - 1, cluster: '', number: Number.POSITIVE_INFINITY }
    : { at: Number(at), cluster, number: Number(number) }
}

const placeOf = ({ at, cluster, id }: MergedEntry): Mark => ({ at, cluster: cluster ?? '', number: numberOf({ id }) })

const numberOf = ({ id }: Pick<TimelineEntry, 'id'>): number => Number(id.slice(1))

const isAfterMark = (entry: MergedEntry, mark: Mark): boolean => compare(mark, placeOf(entry)) < 0

const newestFirst = (a: MergedEntry, b: MergedEntry): number => compare(placeOf(a), placeOf(b))

/** Negative: `a` is shown before `b`. */
function compare(a: Mark, b: Mark): number {
  if (a.at !== b.at) return b.at - a.at
  if (a.cluster !== b.cluster) return a.cluster < b.cluster ? -1 : 1
  return b.number - a.number
}
