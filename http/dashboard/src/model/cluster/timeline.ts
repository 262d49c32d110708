// What happened to a cluster as pages show it, and how it was at a moment: from the timeline of the interface.
import { spanKinds, type TimelineKind } from '../../../../../lib/model/timeline.js'
import { type Fields, fieldsOf, listOf, numberOf, present, textOf, wireOf } from '../wire.js'
import { inHouseWords } from '../words.js'
import { type Condition, readState } from './server.js'

export type Tone = 'error' | 'warning' | 'plain'

export interface EntryStep {
  readonly at: number
  readonly text: string
  readonly tone: Tone
  readonly state?: string
  readonly tookMs?: number
}

export interface Entry {
  readonly id: string
  readonly at: number
  /** Absent: it has no duration, or it lasts. */
  readonly until?: number
  readonly lasts: boolean
  readonly kind: TimelineKind
  /** Id. */
  readonly server?: string
  readonly tone: Tone
  readonly code?: string
  readonly text: string
  readonly user?: string
  /** Absent: this kind has none. */
  readonly change?: { readonly name: string; readonly before: string; readonly after: string }
  readonly steps: readonly EntryStep[]
}

export interface EntryPage {
  readonly entries: readonly Entry[]
  /** `before` of the next page; absent: there is none. */
  readonly next?: string
}

export interface ServerThen {
  readonly id: string
  readonly name: string
  readonly role: string
  readonly word: string
  readonly condition: Condition
  /** Names. */
  readonly sources: readonly string[]
  /** Seconds, when it became so. */
  readonly lag?: number
  readonly since?: number
}

export interface Moment {
  readonly time: number
  readonly form?: string
  /** When the topology was recorded; absent: none so old is kept. */
  readonly recordedAt?: number
  /** When another one was recorded; absent: it still holds. */
  readonly until?: number
  readonly servers: readonly ServerThen[]
  readonly open: readonly Entry[]
  /** No manager ran then. */
  readonly down?: { readonly from: number; readonly until: number }
}

/** `timeline`: an entry without id or moment is none. */
export function readTimeline(reply: unknown): EntryPage {
  const { entries, next } = fieldsOf(wireOf<'GET /api/clusters/:cluster/timeline'>(reply))
  return present<EntryPage>({ entries: listOf(entries).flatMap(readEntry), next: textOf(next) })
}

function readEntry(wire: Fields): Entry[] {
  const id = textOf(wire.id)
  const at = numberOf(wire.at)
  if (id === undefined || at === undefined) return []
  const kind = (textOf(wire.kind) ?? 'note') as TimelineKind
  const until = numberOf(wire.until)
  const data = fieldsOf(wire.data)
  const text = textOf(wire.text) ?? ''
  return [
    present<Entry>({
      ...{ id, at, until, kind },
      lasts: spanKinds.has(kind) && until === undefined,
      server: textOf(wire.server),
      tone: toneOf(wire.level),
      code: textOf(wire.code),
      text: kind === 'state' ? inHouseWords(text) : text,
      user: textOf(wire.user),
      change: kind === 'setting' ? readChange(data) : undefined,
      steps: listOf(data.steps).flatMap((step) => readStep(step, textOf(wire.code) ?? '')),
    }),
  ]
}

const toneOf = (level: unknown): Tone =>
  level === 'ERROR' || level === 'ALERT' ? 'error' : level === 'WARN' ? 'warning' : 'plain'

function readChange(data: Fields): Entry['change'] {
  const name = textOf(data.name)
  if (name === undefined) return undefined
  return { name, before: shownValue(data.before), after: shownValue(data.after) }
}

/** Empty where nothing was set. */
const shownValue = (side: unknown): string => {
  const { value } = fieldsOf(side)
  return value === undefined || value === null ? '' : String(value)
}

/** The line of a step begins with the kind of its operation, which its entry says already. */
function readStep(wire: Fields, operation: string): EntryStep[] {
  const at = numberOf(wire.at)
  const text = textOf(wire.text)
  if (at === undefined || text === undefined) return []
  return [
    present<EntryStep>({
      at,
      text: text.startsWith(`${operation} `) ? text.slice(operation.length + 1) : text,
      tone: wire.state === 'failed' ? 'error' : toneOf(wire.level),
      state: textOf(wire.state),
      tookMs: numberOf(wire.tookMs),
    }),
  ]
}

/** `at`. */
export function readMoment(reply: unknown): Moment | undefined {
  const wire = fieldsOf(wireOf<'GET /api/clusters/:cluster/at'>(reply))
  const time = numberOf(wire.time)
  if (time === undefined) return undefined
  const topology = fieldsOf(wire.topology)
  const wires = listOf(topology.servers)
  const names = new Map(wires.map((server) => [textOf(server.id) ?? '', textOf(server.name) ?? '']))
  const { from, until: again } = fieldsOf(wire.down)
  const down =
    numberOf(from) === undefined || numberOf(again) === undefined
      ? undefined
      : { from: Number(from), until: Number(again) }
  const form = textOf(topology.topology)
  return present<Moment>({
    time,
    form: form === undefined || form === 'unknown' ? undefined : inHouseWords(form),
    recordedAt: numberOf(topology.at),
    until: numberOf(wire.until),
    servers: wires.map((server) => readServerThen(server, names)),
    open: listOf(wire.open).flatMap(readEntry),
    down,
  })
}

function readServerThen(wire: Fields, names: ReadonlyMap<string, string>): ServerThen {
  const id = textOf(wire.id) ?? ''
  const sources: readonly unknown[] = Array.isArray(wire.sources) ? wire.sources : []
  return present<ServerThen>({
    ...{ id, name: textOf(wire.name) ?? id, role: inHouseWords(textOf(wire.role) ?? '') },
    ...readState(textOf(wire.state) ?? ''),
    sources: sources.map((source) => names.get(String(source)) ?? String(source)),
    lag: numberOf(wire.lag),
    since: numberOf(wire.since),
  })
}
