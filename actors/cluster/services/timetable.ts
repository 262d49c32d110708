// Starts scheduled work by wall-clock time. Nothing is kept: a restarted manager counts again, so
// that no moment comes twice; a run that it left unfinished is gone on with by its own record.

import type { Result } from '../../../lib/base/result.js'
import { isoTime, MINUTE } from '../../../lib/base/time.js'
import { type Entry, scheduledWork, timetable, turn } from '../../../lib/decide/upkeep/timetable.js'
import { type ScheduledKind, scheduledTitles } from '../../../lib/model/operation/scheduled.js'
import type { Cluster } from '../state/message/cluster.js'

export type TimetableHost = Pick<Cluster, 'tell'> & { readonly state: Pick<Cluster['state'], 'settings'> }

type Begin = (request: { readonly user: string; readonly kind: ScheduledKind }) => Promise<Result<unknown>>

/** Who asks for it, as events and records name it. */
const OWNER = 'scheduler'
/** A clock that is set, or a machine that slept, is noticed within this time. */
const LONGEST_SLEEP_MS = MINUTE

export class Timetable {
  readonly #host: TimetableHost
  readonly #begin: Begin
  readonly #clock: () => number
  #entries: readonly Entry[] = []
  #timer: NodeJS.Timeout | undefined

  /** `clock` is that of the wall, unlike the one that measures: patterns speak of its hours. */
  constructor(host: TimetableHost, begin: Begin, clock: () => number = Date.now) {
    this.#host = host
    this.#begin = begin
    this.#clock = clock
  }

  /** Takes the settings as they are now. */
  reconfigured(): void {
    const before = this.#entries
    this.#entries = timetable(scheduledWork(this.#host.state.settings), before, this.#clock())
    for (const entry of this.#entries)
      if (!before.includes(entry)) this.#note('INFO', `${title(entry)}: ${next(entry)}`)
    for (const { kind } of before)
      if (!this.#entries.some((entry) => entry.kind === kind))
        this.#note('INFO', `The ${scheduledTitles[kind]} is no longer done by schedule`)
    this.#sleep()
  }

  close(): void {
    clearTimeout(this.#timer)
    this.#entries = []
  }

  #sleep(): void {
    clearTimeout(this.#timer)
    if (this.#entries.length === 0) return
    const first = Math.min(...this.#entries.map(({ due }) => due))
    const left = Math.min(Math.max(first - this.#clock(), 1), LONGEST_SLEEP_MS)
    this.#timer = setTimeout(() => void this.#wake(), left)
  }

  async #wake(): Promise<void> {
    const { begin, missed, entries } = turn(this.#entries, this.#clock())
    this.#entries = entries
    this.#sleep()
    for (const entry of missed)
      this.#note(
        'WARN',
        `${title(entry)}: ${isoTime(entry.due)} was missed and is not made up for; ${this.#next(entry)}`,
      )
    for (const entry of begin) {
      const started = await this.#begin({ user: OWNER, kind: entry.kind })
      if (!started.ok)
        this.#note('WARN', `${title(entry)}: it did not begin: ${started.failure.message}; ${this.#next(entry)}`)
    }
  }

  #next({ kind }: Entry): string {
    const entry = this.#entries.find((each) => each.kind === kind)
    return entry ? next(entry) : 'never again'
  }

  #note(level: 'INFO' | 'WARN', text: string): void {
    this.#host.tell('noted', { level, text, module: 'task' })
  }
}

const title = ({ kind, pattern }: Entry): string => `By schedule (${pattern}) a ${scheduledTitles[kind]}`

const next = ({ due }: Entry): string => `next at ${isoTime(due)}`
