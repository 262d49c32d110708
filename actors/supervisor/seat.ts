// A place for one host thread: when its thread ends, a new one replaces it, after a longer pause each time it ends soon again.
import type { ResourceLimits } from 'node:worker_threads'
import { now } from '../../lib/base/time.js'
import type { Notice } from '../kernel/link.js'
import { type ChildSpec, type Exit, judgeExit } from '../kernel/restart.js'
import { HostThread, type ThreadEnd } from '../kernel/thread.js'
import type { HostSeed } from '../kernel/wire.js'

/** A guest, as the seat needs to know it. */
export interface Guest {
  /** The thread is up: start a life if one is due. */
  launch(): void
}

export interface SeatOptions {
  readonly name: string
  readonly shared: boolean
  readonly entry: URL
  readonly kinds: HostSeed['kinds']
  readonly resourceLimits: ResourceLimits
  /** How soon the entry module is expected to call `runHost`, milliseconds. */
  readonly openMs: number
  /** A thread has not opened for `lateMs` and is waited for. */
  readonly onLate: (thread: string, lateMs: number) => void
  /** `thread`: its name. */
  readonly onNotice: (notice: Notice, thread: string) => void
  /** The thread has ended: its guests accept no more. */
  readonly onEnd: (thread: HostThread, end: ThreadEnd) => void
  /** Nothing of the thread can run any more; the next one starts after this. */
  readonly onGone: (seat: Seat, end: ThreadEnd) => void
}

/**
 * A thread without a processor opens late. Another one in its place would begin to load from the start, and no thread would ever
 * open: it is ended only after this many times the usual deadline.
 */
const OPEN_DEADLINES = 15

/** Slack over an actor's own grace until the thread is ended all the same, milliseconds. */
const DRAIN_SLACK_MS = 250

export class Seat {
  readonly name: string
  readonly shared: boolean
  readonly guests = new Set<Guest>()
  /** When threads of this seat ended for an unknown reason, newest last. */
  deaths: readonly number[] = []
  readonly #options: SeatOptions
  readonly #spec: ChildSpec
  /** Absent until the first guest. */
  #thread: HostThread | undefined
  #up = false
  #exits: readonly Exit[] = []
  #retired: Promise<void> | undefined
  #timer: NodeJS.Timeout | undefined

  constructor(options: SeatOptions) {
    this.name = options.name
    this.shared = options.shared
    this.#options = options
    this.#spec = {
      id: options.name,
      restart: 'permanent',
      intensity: Number.POSITIVE_INFINITY,
      periodMs: 60_000,
      backoffMs: 10,
      shutdownMs: 0,
    }
  }

  /** Accepts a guest; the thread starts with the first one. */
  add(guest: Guest): void {
    this.guests.add(guest)
    if (!this.#retired) this.#thread ??= this.#open()
  }

  get actors(): number {
    return this.guests.size
  }

  /** The thread, while it accepts orders. */
  get thread(): HostThread | undefined {
    return this.#up ? this.#thread : undefined
  }

  get beat(): number | undefined {
    return this.thread?.beat
  }

  hung(silentMs: number): void {
    void this.#thread?.terminate(`no heartbeat for ${silentMs} ms`)
  }

  /** Stops the actors, with grace, then the thread; no other follows. */
  retire(graceMs: number): Promise<void> {
    this.#retired ??= this.#close(graceMs)
    return this.#retired
  }

  async #close(graceMs: number): Promise<void> {
    clearTimeout(this.#timer)
    await this.thread?.control.call(graceMs + DRAIN_SLACK_MS, (host) => host.drain(graceMs))
    await this.#thread?.terminate('retired')
  }

  #open(): HostThread {
    const { name, entry, kinds, resourceLimits, onNotice, openMs } = this.#options
    const onEnd = (end: ThreadEnd) => void this.#ended(thread, end)
    const thread = new HostThread({
      entry,
      name,
      kinds,
      resourceLimits,
      onEnd,
      onNotice: (notice) => onNotice(notice, name),
    })
    void this.#await(thread, openMs)
    return thread
  }

  async #await(thread: HostThread, openMs: number): Promise<void> {
    let opened = await thread.opened(openMs)
    for (let deadlines = 1; !opened.ok && deadlines < OPEN_DEADLINES; deadlines += 1) {
      if (thread.ended || this.#retired) return
      this.#options.onLate(thread.name, deadlines * openMs)
      opened = await thread.opened(openMs)
    }
    if (thread.ended || this.#retired) return
    if (!opened.ok) return thread.terminate(`the thread did not open in ${OPEN_DEADLINES * openMs} ms`)
    this.#up = true
    for (const guest of this.guests) guest.launch()
  }

  async #ended(thread: HostThread, end: ThreadEnd): Promise<void> {
    this.#up = false
    this.#options.onEnd(thread, end)
    await thread.gone
    if (this.#retired) return
    this.#options.onGone(this, end)
    if (this.#retired) return
    const exit: Exit = { at: now(), clean: false, reason: end.reason }
    this.#exits = [...this.#exits, exit].filter(({ at }) => exit.at - at < this.#spec.periodMs)
    const verdict = judgeExit(this.#spec, this.#exits)
    this.#timer = setTimeout(
      () => {
        this.#thread = this.#open()
      },
      verdict.type === 'restart' ? verdict.delayMs : 0,
    )
  }
}
