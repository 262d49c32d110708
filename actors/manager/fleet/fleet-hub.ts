// The fleet for its readers: lists of rows, and one stream of their changes that is made once for all who listen.
import { createHash } from 'node:crypto'
import { now, SECOND } from '../../../lib/base/time.js'
import type { ClusterEvent } from '../../../lib/model/event.js'
import { changedKeys, type FleetRow } from '../../../lib/model/fleet/row.js'
import type { FleetEvent, FleetFace, FleetList, FleetReader, Sees } from '../../protocol/manager/fleet.js'
import { FleetBoard, type FleetBoardParts } from './fleet-board.js'
import { noteOf } from './fleet-note.js'
import { FleetRing } from './fleet-ring.js'

/** How often version words are compared while anyone listens. */
const POLL_MS = 125
/** Events go out together: a change after a pause at the next poll, those of a busy fleet this far apart, at every second one. */
const FLUSH_MS = 2 * POLL_MS
/** Within a poll, time for rows to arrive; those that take longer come with the next one. */
const PULL_MS = 50
/** A list waits this long for clusters that do not answer. */
const LIST_MS = SECOND
/** How often it is checked what each reader may see, besides after every change of the configuration. */
const CHECK_MS = 10 * SECOND
/** What happened before a reader came, as far as it is shown. */
const NOTES = 50

interface Listening {
  readonly sees: Sees
  readonly reader: FleetReader
  /** Clusters that it knows of. */
  readonly visible: Set<string>
}

export type FleetHubParts = Omit<FleetBoardParts, 'changed'> & {
  /** Names this start of the manager. */
  readonly boot: string
}

export class FleetHub implements FleetFace {
  readonly #parts: FleetHubParts
  readonly #board: FleetBoard
  readonly #ring: FleetRing
  readonly #listening = new Set<Listening>()
  #waiting: FleetEvent[] = []
  #flushedAt = 0
  #checkedAt = 0
  /** Changes of rows so far. */
  #version = 0
  /** All rows at that version. */
  #all: { readonly version: number; readonly rows: readonly FleetRow[] } | undefined
  /** The number of the last event before grants may have changed: what a reader saw then is not known. */
  #accessAt = 0
  #timer: NodeJS.Timeout | undefined
  #polling = false
  #reading: Promise<void> | undefined
  #next: Promise<void> | undefined

  constructor(parts: FleetHubParts) {
    this.#parts = parts
    this.#ring = new FleetRing(parts.boot)
    this.#board = new FleetBoard({ ...parts, changed: (...change) => this.#changed(...change) })
  }

  async list(sees: Sees): Promise<FleetList> {
    await this.#refresh()
    const all = this.#rows()
    const rows = all.filter(({ name }) => sees(name))
    const version = `${this.#parts.boot}.${this.#version}`
    if (rows.length === all.length) return { rows: all, etag: version }
    const names = createHash('sha1')
      .update(rows.map(({ name }) => name).join(' '))
      .digest('base64url')
    return { rows, etag: `${version}.${names}` }
  }

  follow({ since, sees, signal }: Parameters<FleetFace['follow']>[0], reader: FleetReader): void {
    void this.#refresh().then(() => {
      if (signal.aborted) return
      this.#flush()
      const listening = { sees, reader, visible: new Set(this.#rows().flatMap(({ name }) => (sees(name) ? name : []))) }
      this.#begin(listening, since)
      this.#listening.add(listening)
      this.#timer ??= setInterval(() => void this.#poll(), POLL_MS)
      signal.addEventListener('abort', () => this.#end(listening), { once: true })
    })
  }

  /** Takes over what concerns the whole fleet of a cluster's events. */
  note(event: ClusterEvent): void {
    const data = noteOf(event)
    if (data) this.#add({ kind: 'note', data })
  }

  /** Grants may be others now. */
  accessChanged(): void {
    this.#accessAt = this.#ring.last
    for (const listening of this.#listening) this.#check(listening)
  }

  #end(listening: Listening): void {
    this.#listening.delete(listening)
    if (this.#listening.size > 0) return
    clearInterval(this.#timer)
    this.#timer = undefined
    this.#waiting = []
  }

  /** What a new reader is given first. */
  #begin({ reader, sees, visible }: Listening, since: string | undefined): void {
    const number = since === undefined ? undefined : this.#ring.numberOf(since)
    const missed = number === undefined || number < this.#accessAt ? undefined : this.#ring.after(number)
    if (missed) {
      const seen = missed.filter(({ data }) => visible.has(data.c) || (isGone(data) && sees(data.c)))
      if (seen.length > 0) reader.events(seen)
      return
    }
    if (since !== undefined) reader.reset('what happened since then is not kept')
    const all = this.#rows()
    reader.snapshot(visible.size === all.length ? all : all.filter(({ name }) => visible.has(name)), this.#ring.id)
    const notes = this.#ring.latest('note', NOTES).filter(({ data }) => visible.has(data.c))
    if (notes.length > 0) reader.events(notes.map(({ id: _, ...note }) => note as FleetEvent))
  }

  async #poll(): Promise<void> {
    const at = now()
    // What is read between two flushes would go out with the second of them all the same; a timer is a little early or late.
    if (this.#polling || at - this.#flushedAt < FLUSH_MS - POLL_MS / 2) return
    this.#polling = true
    try {
      await this.#board.refresh(PULL_MS, false)
      if (now() - this.#checkedAt >= CHECK_MS) {
        this.#checkedAt = now()
        for (const listening of this.#listening) this.#check(listening)
      }
      this.#flush(at)
    } finally {
      this.#polling = false
    }
  }

  /** Sees every change before it: of requests during a read all wait for the next one. */
  #refresh(): Promise<void> {
    if (this.#reading) {
      this.#next ??= this.#reading.then(() => {
        this.#next = undefined
        return this.#refresh()
      })
      return this.#next
    }
    this.#reading = this.#board.refresh(LIST_MS, true).finally(() => {
      this.#reading = undefined
    })
    return this.#reading
  }

  #rows(): readonly FleetRow[] {
    if (this.#all?.version !== this.#version) this.#all = { version: this.#version, rows: this.#board.rows() }
    return this.#all.rows
  }

  #changed(cluster: string, before: FleetRow | undefined, after: FleetRow | undefined): void {
    const changed = before && after ? changedKeys(before, after) : (after ?? null)
    if (changed && Object.keys(changed).length === 0) return
    this.#version += 1
    this.#add({ kind: 'delta', data: { c: cluster, k: changed } })
  }

  #add(event: FleetEvent): void {
    const numbered = this.#ring.add(event)
    if (this.#listening.size > 0) this.#waiting.push(numbered)
  }

  #flush(at = now()): void {
    const events = this.#waiting
    if (events.length === 0) return
    this.#waiting = []
    this.#flushedAt = at
    for (const { reader, sees, visible } of this.#listening) {
      for (const { data } of events) if (isNew(data) && sees(data.c)) visible.add(data.c)
      const isForAll = events.every(({ data }) => visible.has(data.c))
      const seen = isForAll ? events : events.filter(({ data }) => visible.has(data.c))
      for (const { data } of seen) if (isGone(data)) visible.delete(data.c)
      if (seen.length > 0) reader.events(seen)
    }
  }

  /** Clusters that a reader sees from now on, or not any more. */
  #check({ reader, sees, visible }: Listening): void {
    this.#flush()
    const events: FleetEvent[] = []
    for (const row of this.#rows()) {
      const isSeen = sees(row.name)
      if (isSeen === visible.has(row.name)) continue
      events.push({ kind: 'delta', data: { c: row.name, k: isSeen ? row : null } })
      if (isSeen) visible.add(row.name)
      else visible.delete(row.name)
    }
    if (events.length > 0) reader.events(events)
  }
}

const isGone = (data: FleetEvent['data']): boolean => 'k' in data && data.k === null

/** A delta with its name is a whole row: of a cluster that was not there. */
const isNew = (data: FleetEvent['data']): boolean => 'k' in data && data.k?.name !== undefined
