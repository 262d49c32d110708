// The lines of a timeline's files: a head with what lasts, entries, changes of spans, and changes of the topology. JSON.
import type { ServerThen, TimelineChange, TimelineEntry, TopologySeen, TopologyThen } from '../../model/timeline.js'
import { parseObject } from '../kit/state-file.js'

/** An entry that lasts, and the name by which its end is found. */
export interface OpenSpan {
  readonly key: string
  readonly entry: TimelineEntry
}

/** First line of each file: it alone is needed to go on, and it holds what earlier files said that still lasts. */
export interface HeadLine {
  readonly type: 'head'
  /** When the file was begun. */
  readonly at: number
  /** Number of the next entry. */
  readonly next: number
  readonly open: readonly OpenSpan[]
  readonly topology: TopologyThen | null
}

export interface EntryLine {
  readonly type: 'entry'
  readonly entry: TimelineEntry
  /** Of a span. */
  readonly key?: string
}

export interface ChangeLine {
  readonly type: 'change'
  readonly id: string
  readonly change: TimelineChange
  /** Of an operation: one more step. */
  readonly step?: unknown
}

/** What differs from the topology before: servers that changed, and the names of those that there are. */
export interface TopologyLine {
  readonly type: 'topology'
  readonly at: number
  readonly topology: string
  readonly primary: string | null
  readonly ids: readonly string[]
  readonly changed: readonly ServerThen[]
}

export type Line = HeadLine | EntryLine | ChangeLine | TopologyLine

export const renderLine = (line: Line): string => `${JSON.stringify(line)}\n`

/** Lines that can be read; a torn or foreign one is left out. */
export const parseLines = (text: string): readonly Line[] =>
  text
    .split('\n')
    .map(parseLine)
    .filter((line) => line !== undefined)

function parseLine(text: string): Line | undefined {
  const value = text === '' ? undefined : parseObject(text)
  if (!value) return undefined
  const isKnown =
    (value.type === 'head' && typeof value.next === 'number' && Array.isArray(value.open)) ||
    (value.type === 'entry' && isEntry(value.entry)) ||
    (value.type === 'change' && typeof value.id === 'string' && isObject(value.change)) ||
    (value.type === 'topology' && Array.isArray(value.ids) && Array.isArray(value.changed))
  return isKnown ? (value as unknown as Line) : undefined
}

const isObject = (value: unknown): value is Readonly<Record<string, unknown>> =>
  typeof value === 'object' && value !== null

const isEntry = (value: unknown): boolean =>
  isObject(value) && typeof value.id === 'string' && typeof value.at === 'number' && typeof value.kind === 'string'

export const numberOf = (id: string): number => Number(id.slice(1))

export function changeEntry(
  entry: TimelineEntry,
  { change, step }: Pick<ChangeLine, 'change' | 'step'>,
): TimelineEntry {
  const { data = {}, ...rest } = change
  const steps = step === undefined ? {} : { steps: [...stepsOf(entry), step] }
  return { ...entry, ...rest, data: { ...entry.data, ...data, ...steps } }
}

const stepsOf = ({ data }: TimelineEntry): readonly unknown[] => (Array.isArray(data.steps) ? data.steps : [])

/** The line that leads from one topology to the next; undefined where nothing but the lag differs. */
export function compareTopologies(before: TopologyThen | null, after: TopologySeen): TopologyLine | undefined {
  const was = new Map(before?.servers.map((server) => [server.id, server]))
  const changed = after.servers
    .filter((server) => !isSame(was.get(server.id), server))
    .map((server): ServerThen => ({ ...server, since: after.at }))
  const ids = after.servers.map(({ id }) => id)
  const isEqual =
    changed.length === 0 &&
    before?.primary === after.primary &&
    before.topology === after.topology &&
    before.servers.length === ids.length
  const { at, topology, primary } = after
  return isEqual ? undefined : { type: 'topology', at, topology, primary, ids, changed }
}

function isSame(before: ServerThen | undefined, after: TopologySeen['servers'][number]): boolean {
  if (!before) return false
  const { name, role, state, sources } = after
  const isLike = before.name === name && before.role === role && before.state === state
  return isLike && before.sources.join() === sources.join()
}

export function applyTopology(before: TopologyThen | null, line: TopologyLine): TopologyThen {
  const { at, topology, primary, ids, changed } = line
  const known = new Map([...(before?.servers ?? []), ...changed].map((server) => [server.id, server]))
  const servers = ids.map((id) => known.get(id)).filter((server) => server !== undefined)
  return { at, topology, primary, servers }
}
