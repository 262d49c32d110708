// The timelines of all clusters and of the manager: fed with events off the hot path, written in bundles, read in pages.

import { readFile } from 'node:fs/promises'
import path from 'node:path'
import type { WriteLog } from '../../../lib/base/log-codes.js'
import { ok, type Result } from '../../../lib/base/result.js'
import { isoTime, MINUTE, SECOND, sleep } from '../../../lib/base/time.js'
import type { ClusterEvent } from '../../../lib/model/event.js'
import type { SettingChangeRecord } from '../../../lib/model/operation/setting-change.js'
import type { Moment, TimelineDraft, TimelinePage, TimelineQuery } from '../../../lib/model/timeline.js'
import type { Settings } from '../../../lib/settings/index.js'
import { atomicWrite, makeDirectory, Timeline } from '../../../lib/store/index.js'
import type { MergedPage, TimelineFace } from '../../protocol/manager/timeline.js'
import { mergeOpen, mergePages } from './merge-pages.js'
import { type Note, notesOf, securityNote, settingDraft } from './note-event.js'

export interface TimelinesParts {
  readonly directory: string
  readonly clusters: () => Iterable<string>
  /** Of a cluster; '' is the server's. */
  readonly settings: (cluster: string) => Pick<Settings, 'timeline-keep' | 'timeline-size'> | undefined
  readonly log: WriteLog<'warn'>
  readonly version: string
  readonly clock?: () => number
  /** After the start. */
  readonly confirmMs?: number
}

/** What was noted within this time is written together. */
const FLUSH_MS = SECOND / 10
/** Timelines that are read or written at once. */
const AT_ONCE = 8
/** How often the manager says that it is running: a gap is known as exactly as this. */
const ALIVE_MS = 5 * SECOND
const SWEEP_MS = 60 * MINUTE
/** A finding of before a restart that is not reported again within this time is over. */
const CONFIRM_MS = 5 * MINUTE

const MEGABYTE = 1_048_576

interface Kept {
  /** Open, with all that was noted before; undefined where its files cannot be read. */
  ready: Promise<Timeline | undefined>
  opened?: Timeline
  /** Noted before it was open. */
  early: ((timeline: Timeline) => void)[]
  /** Findings that lasted when the manager started, until they are reported again. */
  unconfirmed: Set<string>
}

export class Timelines implements TimelineFace {
  readonly #parts: TimelinesParts
  readonly #clock: () => number
  readonly #kept = new Map<string, Kept>()
  readonly #complained = new Set<string>()
  readonly #ending = new AbortController()
  readonly #startedAt: number
  readonly #downSince: Promise<number | undefined>
  #running: Promise<unknown> = Promise.resolve()
  #timers: NodeJS.Timeout[] = []

  constructor(parts: TimelinesParts) {
    this.#parts = parts
    this.#clock = parts.clock ?? Date.now
    this.#startedAt = this.#clock()
    this.#downSince = readAlive(this.#aliveFile)
  }

  /** Notes the start in every timeline, with the time in which no manager ran, and begins to write. */
  async start(): Promise<void> {
    const draft = this.#startDraft(await this.#downSince)
    await makeDirectory(path.join(this.#parts.directory, '.timeline'))
    await this.#writeAlive()
    this.#with('', (timeline) => timeline.add(draft))
    for (const name of this.#parts.clusters()) this.#with(name, () => undefined)
    this.#running = this.#writeAll()
    this.#timers = [
      setInterval(() => void this.#writeAlive(), ALIVE_MS),
      setInterval(() => void this.#sweep(), SWEEP_MS),
      setTimeout(() => void this.#endUnconfirmed(), this.#parts.confirmMs ?? CONFIRM_MS),
    ]
  }

  note(event: ClusterEvent): void {
    const notes = notesOf(event)
    if (notes.length > 0) this.#with(event.cluster, (timeline, kept) => this.#apply(timeline, kept, notes))
  }

  noteSetting(record: SettingChangeRecord): void {
    this.#with(record.cluster, (timeline) => timeline.add(settingDraft(record)))
  }

  noteSecurity(code: string, fields: Readonly<Record<string, unknown>>): void {
    const note = securityNote(code, fields, this.#clock())
    if (!note) return
    const isKnown = note.cluster === '' || this.#parts.settings(note.cluster) !== undefined
    this.#with(isKnown ? note.cluster : '', (timeline) => timeline.add(note.draft))
  }

  async page(cluster: string, query: TimelineQuery): Promise<Result<TimelinePage>> {
    const timeline = await this.#open(cluster).ready
    return ok(timeline ? await timeline.page(query) : { entries: [], next: null })
  }

  async at(cluster: string, time: number): Promise<Result<Moment>> {
    const timeline = await this.#open(cluster).ready
    return ok(timeline ? await timeline.at(time) : { time, topology: null, until: null, open: [], down: null })
  }

  /** Of several clusters in one order; '' is the manager's own. */
  async merged(...[clusters, query]: Parameters<TimelineFace['merged']>): Promise<Result<MergedPage>> {
    const sources = await Promise.all(
      clusters.map(async (cluster) => {
        const timeline = await this.#open(cluster).ready
        return timeline ? [{ cluster, timeline }] : []
      }),
    )
    return ok(query.open ? mergeOpen(sources.flat(), query) : await mergePages(sources.flat(), query))
  }

  /** The cluster is gone, with its files. */
  forget(cluster: string): void {
    this.#kept.get(cluster)?.opened?.discard()
    this.#kept.delete(cluster)
  }

  async close(): Promise<void> {
    for (const timer of this.#timers) clearTimeout(timer)
    this.#with('', (timeline) => timeline.add(this.#draft('manager-stopped', 'The manager was stopped', {})))
    this.#ending.abort()
    await this.#running
    for (const { ready } of this.#kept.values()) await (await ready)?.close()
    await this.#writeAlive()
  }

  #apply(timeline: Timeline, { unconfirmed }: Kept, notes: readonly Note[]): void {
    for (const note of notes) {
      if (note.type === 'topology') timeline.record(note.topology)
      else if (note.type === 'change') timeline.amend(note.key, note.change, note.step)
      else if (note.type === 'end') timeline.end(note.key, note.change)
      else if (!isKnownAlready(timeline, note.draft)) timeline.add(note.draft, note.key)
      if ('key' in note && note.key !== undefined) unconfirmed.delete(note.key)
    }
  }

  /** Now, or as soon as the timeline is open. */
  #with(cluster: string, work: (timeline: Timeline, kept: Kept) => void): void {
    const kept = this.#open(cluster)
    if (kept.opened) work(kept.opened, kept)
    else if (kept.early.length < MOST_EARLY) kept.early.push((timeline) => work(timeline, kept))
  }

  #open(cluster: string): Kept {
    const known = this.#kept.get(cluster)
    if (known) return known
    const kept: Kept = { ready: Promise.resolve(undefined), early: [], unconfirmed: new Set() }
    this.#kept.set(cluster, kept)
    kept.ready = this.#ready(cluster, kept)
    return kept
  }

  async #ready(cluster: string, kept: Kept): Promise<Timeline | undefined> {
    const opened = await this.#turn(() => this.#openNow(cluster))
    const since = await this.#downSince
    if (!opened || this.#kept.get(cluster) !== kept) return undefined
    kept.opened = opened
    if (cluster !== '') this.#resume(opened, kept, since)
    for (const work of kept.early) work(opened)
    kept.early = []
    return opened
  }

  /** Only so many at once: a thousand clusters start together. */
  #turns = 0
  readonly #waiting: (() => void)[] = []
  async #turn<T>(work: () => Promise<T>): Promise<T> {
    if (this.#turns >= AT_ONCE) await new Promise<void>((resolve) => this.#waiting.push(resolve))
    this.#turns += 1
    try {
      return await work()
    } finally {
      this.#turns -= 1
      this.#waiting.shift()?.()
    }
  }

  async #openNow(cluster: string): Promise<Timeline | undefined> {
    const { directory } = this.#parts
    const place = cluster === '' ? path.join(directory, '.timeline') : path.join(directory, cluster, 'timeline')
    const opened = await Timeline.open(place, () => this.#limitsOf(cluster), this.#clock)
    if (opened.ok) return opened.value
    this.#complain(cluster, opened.failure.message)
    return undefined
  }

  #limitsOf(cluster: string) {
    const settings = this.#parts.settings(cluster) ?? this.#parts.settings('')
    const { 'timeline-keep': days = 30, 'timeline-size': megabytes = 4 } = settings ?? {}
    return { days, bytes: megabytes * MEGABYTE }
  }

  /** The manager that stopped did not see how these ended. */
  #resume(timeline: Timeline, kept: Kept, since: number | undefined): void {
    const until = this.#startedAt
    if (timeline.lastAt > 0 || timeline.open.size > 0) timeline.add(this.#startDraft(since))
    for (const [key, { kind, text }] of timeline.open) {
      if (kind === 'finding') kept.unconfirmed.add(key)
      if (!/^(operation|job):/.test(key)) continue
      const change = { until, level: 'WARN', text: `${text}; interrupted: the manager stopped meanwhile` } as const
      timeline.end(key, { ...change, data: { interrupted: true } })
    }
  }

  async #endUnconfirmed(): Promise<void> {
    for (const { ready, unconfirmed } of this.#kept.values()) {
      const opened = await ready
      for (const key of unconfirmed)
        opened?.end(key, { until: this.#startedAt, data: { ended: 'while no manager ran, or at its start' } })
      unconfirmed.clear()
    }
  }

  #startDraft(since: number | undefined): TimelineDraft {
    const gap = since === undefined ? '' : `; none ran since ${isoTime(since)}`
    return {
      ...this.#draft('manager-started', `The manager was started${gap}`, {
        version: this.#parts.version,
        downSince: since ?? null,
      }),
      at: this.#startedAt,
    }
  }

  #draft(code: string, text: string, data: TimelineDraft['data'] & object): TimelineDraft {
    return { at: this.#clock(), kind: 'manager', code, text, data }
  }

  async #writeAll(): Promise<void> {
    while (!this.#ending.signal.aborted) {
      await sleep(FLUSH_MS, this.#ending.signal)
      const dirty = [...this.#kept].flatMap(([cluster, { opened }]) => (opened?.isDirty ? [{ cluster, opened }] : []))
      await Promise.all(dirty.map(({ cluster, opened }) => this.#turn(() => this.#flush(cluster, opened))))
    }
  }

  async #flush(cluster: string, timeline: Timeline): Promise<void> {
    const written = await timeline.flush()
    if (written.ok) this.#complained.delete(cluster)
    else if (this.#kept.get(cluster)?.opened === timeline) this.#complain(cluster, written.failure.message)
  }

  /** Once until it works again. */
  #complain(cluster: string, reason: string): void {
    if (this.#complained.has(cluster)) return
    this.#complained.add(cluster)
    this.#parts.log('warn', 'timeline-unwritten', { cluster, reason })
  }

  async #sweep(): Promise<void> {
    for (const { opened } of this.#kept.values()) await opened?.sweep().catch(() => undefined)
  }

  get #aliveFile(): string {
    return path.join(this.#parts.directory, '.timeline', 'alive')
  }

  async #writeAlive(): Promise<void> {
    await atomicWrite(this.#aliveFile, `${Math.round(this.#clock())}\n`)
  }
}

/** Of a cluster whose timeline is not open yet. */
const MOST_EARLY = 5_000

/** A manager that starts finds what was so before: it is no change. */
function isKnownAlready({ topology }: Timeline, { kind, server, data = {} }: TimelineDraft): boolean {
  if (!topology) return false
  if (kind === 'primary') return topology.primary === data.primary
  return kind === 'state' && topology.servers.find(({ id }) => id === server)?.state === data.to
}

/** When the last manager said last that it runs; undefined when there was none. */
async function readAlive(file: string): Promise<number | undefined> {
  const text = await readFile(file, 'utf8').catch(() => '')
  const at = Number(text.trim())
  return text.trim() !== '' && Number.isFinite(at) ? at : undefined
}
