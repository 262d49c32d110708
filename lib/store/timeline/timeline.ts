// The timeline of a cluster or of the manager on disk: entries and spans in one order, kept over restarts, bounded.
import { done, fail, type Result } from '../../base/result.js'
import { DAY } from '../../base/time.js'
import type {
  Moment,
  TimelineChange,
  TimelineDraft,
  TimelineEntry,
  TimelinePage,
  TimelineQuery,
  TopologySeen,
  TopologyThen,
} from '../../model/timeline.js'
import { reasonOf } from '../kit/atomic-write.js'
import {
  applyTopology,
  type ChangeLine,
  changeEntry,
  compareTopologies,
  type HeadLine,
  type Line,
  numberOf,
  type OpenSpan,
  parseLines,
  renderLine,
} from './line.js'
import { readMoment, readPage } from './reading.js'
import { appendSegment, endsTorn, listSegments, readSegment, removeSegments, surplusOf } from './segments.js'

export interface TimelineLimits {
  readonly days: number
  readonly bytes: number
}

/** Lines that wait for the disk; what comes beyond is counted and left out. */
const MOST_WAITING = 5_000
/** A segment ends at this share of the bytes and of the days, but not within a day. */
const SEGMENTS = 16
const LEAST_SEGMENT = 8 * 1_024

/** What lasts, and the topology. */
interface Held {
  readonly open: readonly OpenSpan[]
  readonly topology: TopologyThen | null
}

interface Position {
  readonly number: number
  readonly bytes: number
  readonly begunAt: number
}

export class Timeline {
  readonly directory: string
  readonly #limits: () => TimelineLimits
  readonly #clock: () => number
  #next = 1
  #open = new Map<string, TimelineEntry>()
  #topology: TopologyThen | null = null
  #position: Position = { number: 0, bytes: 0, begunAt: 0 }
  #waiting: Line[] = []
  #dropped = 0
  #writing: Promise<Result<void>> = Promise.resolve(done)
  #lastAt = 0
  /** As of the last line that is on disk. */
  #held: Held = { open: [], topology: null }
  #isClosed = false

  private constructor(directory: string, limits: () => TimelineLimits, clock: () => number) {
    this.directory = directory
    this.#limits = limits
    this.#clock = clock
  }

  /** Goes on where the last manager stopped, whatever it left of its last line. Failure: `file-unreadable`. */
  static async open(
    directory: string,
    limits: () => TimelineLimits,
    clock: () => number = Date.now,
  ): Promise<Result<Timeline>> {
    const timeline = new Timeline(directory, limits, clock)
    try {
      await timeline.#recall()
      return { ok: true, value: timeline }
    } catch (error) {
      return fail('file-unreadable', `${directory}: ${reasonOf(error)}`)
    }
  }

  /** Whether lines wait for the disk. */
  get isDirty(): boolean {
    return this.#waiting.length > 0 || this.#dropped > 0
  }

  /** Of the newest entry; 0 where there is none. */
  get lastAt(): number {
    return this.#lastAt
  }

  get topology(): TopologyThen | null {
    return this.#topology
  }

  /** Spans that last, by key. */
  get open(): ReadonlyMap<string, TimelineEntry> {
    return this.#open
  }

  /** Adds an entry; with a key a span, unless one of that key lasts already. */
  add(draft: TimelineDraft, key?: string): TimelineEntry | undefined {
    if (key !== undefined && this.#open.has(key)) return undefined
    const entry: TimelineEntry = { ...blank, ...draft, id: `e${this.#next}` }
    if (!this.#write({ type: 'entry', entry, ...(key === undefined ? {} : { key }) })) return undefined
    this.#next += 1
    this.#lastAt = entry.at
    if (key !== undefined) this.#open.set(key, entry)
    return entry
  }

  /** What becomes known of a span that lasts; `step` is added to its steps. */
  amend(key: string, change: TimelineChange, step?: unknown): void {
    const entry = this.#open.get(key)
    if (!entry) return
    const line: ChangeLine = { type: 'change', id: entry.id, change, ...(step === undefined ? {} : { step }) }
    this.#open.set(key, changeEntry(entry, line))
    this.#write(line)
  }

  /** Ends a span. */
  end(key: string, change: TimelineChange & { readonly until: number }): void {
    this.amend(key, change)
    this.#open.delete(key)
  }

  /** Records the topology where it differs from the last one in more than its lag. */
  record(topology: TopologySeen): void {
    const line = compareTopologies(this.#topology, topology)
    if (!line) return
    this.#topology = applyTopology(this.#topology, line)
    this.#write(line)
  }

  /** Resolves when everything so far is in its file. Failure: `file-unwritable`; what waits is tried again with the next. */
  flush(): Promise<Result<void>> {
    this.#writing = this.#writing.then(() => this.#flushNow())
    return this.#writing
  }

  async page(query: TimelineQuery): Promise<TimelinePage> {
    await this.flush()
    const oldest = this.#clock() - this.#limits().days * DAY
    return readPage(await listSegments(this.directory), { ...query, oldest })
  }

  async at(time: number): Promise<Moment> {
    await this.flush()
    return readMoment(await listSegments(this.directory), time)
  }

  /** Removes what is too old or too much. */
  async sweep(): Promise<void> {
    const { bytes, days } = this.#limits()
    await removeSegments(surplusOf(await listSegments(this.directory), { bytes, before: this.#clock() - days * DAY }))
  }

  /** Writes what waits, and nothing after it. */
  async close(): Promise<void> {
    await this.flush()
    this.#isClosed = true
  }

  /** Its cluster is gone: what waits is not written. */
  discard(): void {
    this.#isClosed = true
    this.#waiting = []
  }

  #write(line: Line): boolean {
    if (this.#isClosed) return false
    if (this.#waiting.length >= MOST_WAITING) {
      this.#dropped += 1
      return false
    }
    this.#waiting.push(line)
    return true
  }

  async #flushNow(): Promise<Result<void>> {
    if (!this.isDirty || this.#isClosed) return done
    const lines = this.#waiting
    const held = this.#now()
    this.#waiting = []
    try {
      await this.#append(lines)
      this.#held = held
      this.#noteDropped()
      return done
    } catch (error) {
      this.#waiting = [...lines, ...this.#waiting].slice(0, MOST_WAITING)
      return fail('file-unwritable', `${this.directory}: ${reasonOf(error)}`)
    }
  }

  async #append(lines: readonly Line[]): Promise<void> {
    const now = this.#clock()
    const { bytes: all, days } = this.#limits()
    const { number, bytes, begunAt } = this.#position
    const isLarge = bytes >= Math.max(all / SEGMENTS, LEAST_SEGMENT)
    const isOld = now - begunAt >= Math.max(1, days / SEGMENTS) * DAY || now < begunAt
    const isFull = number === 0 || isLarge || isOld
    const place = isFull ? { number: number + 1, bytes: 0, begunAt: now } : this.#position
    const text = [...(isFull ? [this.#headBefore(lines, now)] : []), ...lines].map(renderLine).join('')
    await appendSegment(this.directory, place.number, text)
    this.#position = { ...place, bytes: place.bytes + Buffer.byteLength(text) }
    if (isFull) await this.sweep()
  }

  /** What held before these lines: they are not in it twice. */
  #headBefore(lines: readonly Line[], at: number): HeadLine {
    const first = lines.find((line) => line.type === 'entry')
    const next = first ? numberOf(first.entry.id) : this.#next
    return { type: 'head', at, next, ...this.#held }
  }

  #now(): Held {
    return { open: [...this.#open].map(([key, entry]) => ({ key, entry })), topology: this.#topology }
  }

  #noteDropped(): void {
    if (this.#dropped === 0) return
    const text = `${this.#dropped} entries were not recorded: the disk was too slow`
    this.#dropped = 0
    this.add({ at: this.#clock(), kind: 'manager', level: 'WARN', code: 'entries-dropped', text })
  }

  /** From the last file with a readable head; one without any is not gone on with. */
  async #recall(): Promise<void> {
    const segments = await listSegments(this.directory)
    const last = segments.at(-1)
    if (!last) return
    let lines: readonly Line[] = []
    let begunAt: number | undefined
    for (const segment of segments.toReversed()) {
      const own = parseLines(await readSegment(segment))
      lines = [...own, ...lines]
      const [head] = own
      if (head?.type !== 'head') continue
      if (segment === last) begunAt = head.at
      break
    }
    const state = replay(lines)
    this.#next = state.next
    this.#open = state.open
    this.#topology = state.topology
    this.#lastAt = state.lastAt
    this.#held = this.#now()
    if (await endsTorn(last)) await appendSegment(this.directory, last.number, '\n')
    this.#position =
      begunAt === undefined
        ? { number: last.number, bytes: Number.POSITIVE_INFINITY, begunAt: 0 }
        : { number: last.number, bytes: last.bytes, begunAt }
  }
}

const blank = { until: null, server: null, level: 'INFO', code: null, user: null, data: {} } as const

interface Replayed {
  readonly next: number
  readonly open: Map<string, TimelineEntry>
  readonly topology: TopologyThen | null
  readonly lastAt: number
}

/** What a segment leads to. */
function replay(lines: readonly Line[]): Replayed {
  const open = new Map<string, TimelineEntry>()
  const keys = new Map<string, string>()
  let [next, lastAt]: [number, number] = [1, 0]
  let topology: TopologyThen | null = null
  for (const line of lines) {
    if (line.type === 'head') {
      next = Math.max(next, line.next)
      topology = line.topology
      for (const { key, entry } of line.open) {
        open.set(key, entry)
        keys.set(entry.id, key)
      }
    }
    if (line.type === 'entry') {
      next = Math.max(next, numberOf(line.entry.id) + 1)
      lastAt = line.entry.at
      if (line.key !== undefined) {
        open.set(line.key, line.entry)
        keys.set(line.entry.id, line.key)
      }
    }
    if (line.type === 'change') {
      const key = keys.get(line.id)
      const entry = key === undefined ? undefined : open.get(key)
      if (key === undefined || !entry || entry.id !== line.id) continue
      if (typeof line.change.until === 'number') open.delete(key)
      else open.set(key, changeEntry(entry, line))
    }
    if (line.type === 'topology') topology = applyTopology(topology, line)
  }
  return { next, open, topology, lastAt }
}
