// Reads a timeline's files: pages of entries, newest first, and what is known of a moment. A file at a time, never all at once.
import {
  type Moment,
  spanKinds,
  type TimelineEntry,
  type TimelinePage,
  type TimelineQuery,
  type TopologyThen,
} from '../../model/timeline.js'
import { applyTopology, type ChangeLine, changeEntry, type Line, numberOf, parseLines } from './line.js'
import { readSegment, type Segment } from './segments.js'

/** Changes that later files have for entries of earlier ones, oldest first. */
type Changes = Map<string, ChangeLine[]>

export interface PageQuery extends TimelineQuery {
  /** Older entries are over their time, even where their file is still there. */
  readonly oldest: number
}

export async function readPage(segments: readonly Segment[], query: PageQuery): Promise<TimelinePage> {
  const changes: Changes = new Map()
  const found: TimelineEntry[] = []
  let reach: number | undefined
  for (const [index, segment] of segments.toReversed().entries()) {
    if (query.files !== undefined && index >= query.files) break
    const isOldest = index === segments.length - 1
    const lines = parseLines(await readSegment(segment))
    collectChanges(changes, lines)
    const entries = entriesOf(lines, isOldest).map((entry) => withChanges(entry, changes))
    for (const entry of entries.reverse()) if (fits(entry, query)) found.push(entry)
    reach = isOldest ? undefined : (beginOf(lines) ?? reach)
    if (found.length > query.limit) break
  }
  const entries = found.slice(0, query.limit)
  if (found.length > query.limit) return { entries, next: entries.at(-1)?.id ?? null }
  return { entries, next: null, ...(reach === undefined ? {} : { reach }) }
}

/** When a file began. */
function beginOf([first]: readonly Line[]): number | undefined {
  if (first?.type === 'head') return first.at
  return first?.type === 'entry' ? first.entry.at : undefined
}

/** Those of this file are later than those of files before it, and earlier than those collected already. */
function collectChanges(changes: Changes, lines: readonly Line[]): void {
  const own = new Map<string, ChangeLine[]>()
  for (const line of lines) if (line.type === 'change') own.set(line.id, [...(own.get(line.id) ?? []), line])
  for (const [id, list] of own) changes.set(id, [...list, ...(changes.get(id) ?? [])])
}

/** In their order. What lasted when the oldest file began is in its head alone. */
function entriesOf(lines: readonly Line[], isOldest: boolean): TimelineEntry[] {
  const carried = isOldest
    ? lines.flatMap((line) => (line.type === 'head' ? line.open.map(({ entry }) => entry) : []))
    : []
  const own = lines.flatMap((line) => (line.type === 'entry' ? [line.entry] : []))
  return [...carried.toSorted((a, b) => numberOf(a.id) - numberOf(b.id)), ...own]
}

/** What the head carries has its changes up to then already: they are in removed files, or are applied once. */
const withChanges = (entry: TimelineEntry, changes: Changes): TimelineEntry =>
  (changes.get(entry.id) ?? []).reduce(changeEntry, entry)

function fits(entry: TimelineEntry, query: PageQuery): boolean {
  const { before, after, kinds, server, user, code, oldest } = query
  if (before !== undefined && !isBefore(entry, before)) return false
  if (after !== undefined && !isAfter(entry, after)) return false
  if (kinds && kinds.length > 0 && !kinds.includes(entry.kind)) return false
  if (server !== undefined && entry.server !== server) return false
  if (user !== undefined && entry.user !== user) return false
  if (code !== undefined && !entry.code?.toLowerCase().includes(code.toLowerCase())) return false
  const lasts = entry.until === null && spanKinds.has(entry.kind)
  return lasts || Math.max(entry.at, entry.until ?? 0) >= oldest
}

const isBefore = ({ id, at }: TimelineEntry, mark: string | number): boolean =>
  typeof mark === 'number' ? at < mark : numberOf(id) < numberOf(mark)

const isAfter = ({ id, at }: TimelineEntry, mark: string | number): boolean =>
  typeof mark === 'number' ? at > mark : numberOf(id) > numberOf(mark)

/** The last topology that was recorded until then, in the order of the lines. */
export async function readMoment(segments: readonly Segment[], time: number): Promise<Moment> {
  const changes: Changes = new Map()
  let until: number | null = null
  let down: Moment['down'] = null
  for (const segment of segments.toReversed()) {
    const lines = parseLines(await readSegment(segment))
    collectChanges(changes, lines)
    down ??= downAt(lines, time)
    const found = topologyAt(lines, time)
    until = found.next ?? until
    if (found.topology === null && !beganBefore(lines, time)) continue
    return { time, topology: found.topology, until, open: openAt(lines, changes, time), down }
  }
  return { time, topology: null, until, open: [], down }
}

/** Something in it, or what it began with, is from before that moment. */
const beganBefore = (lines: readonly Line[], time: number): boolean =>
  lines.some((line) => line.type === 'entry' && line.entry.at <= time)

interface Found {
  readonly topology: TopologyThen | null
  /** When the one after it was recorded. */
  readonly next: number | null
}

function topologyAt(lines: readonly Line[], time: number): Found {
  let found: TopologyThen | null = null
  let next: number | null = null
  let now: TopologyThen | null = null
  for (const line of lines) {
    if (line.type === 'head') now = line.topology
    else if (line.type === 'topology') now = applyTopology(now, line)
    else continue
    if (!now) continue
    if (now.at <= time) [found, next] = [now, null]
    else next ??= now.at
  }
  return { topology: found, next }
}

/** Spans of the head and of entries until then that had not ended. */
function openAt(lines: readonly Line[], changes: Changes, time: number): readonly TimelineEntry[] {
  const carried = lines.flatMap((line) => (line.type === 'head' ? line.open.map(({ entry }) => entry) : []))
  const begun = lines.flatMap((line) => (line.type === 'entry' && line.key !== undefined ? [line.entry] : []))
  return [...carried, ...begun]
    .filter(({ at }) => at <= time)
    .map((entry) => withChanges(entry, changes))
    .filter(({ until }) => until === null || until > time)
}

/** A start that names since when no manager ran. */
function downAt(lines: readonly Line[], time: number): Moment['down'] {
  for (const line of lines) {
    if (line.type !== 'entry' || line.entry.kind !== 'manager') continue
    const from = line.entry.data.downSince
    if (typeof from === 'number' && from <= time && time < line.entry.at) return { from, until: line.entry.at }
  }
  return null
}
