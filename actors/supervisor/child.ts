// One supervised actor over all its lives: its seat, its start parameters, the phase of its current life.
import { boardWords, clearFlags, createBoard, readAnswerAge, readFlags } from '../kernel/board.js'
import { Outbox } from '../kernel/outbox.js'
import type { ChildSpec } from '../kernel/restart.js'
import type { HostThread } from '../kernel/thread.js'
import { ViewShelf } from '../kernel/views.js'
import type { Fault } from '../kernel/wire.js'
import type { CrashCause } from './crash-record.js'
import type { Standing } from './quarantine.js'
import type { Guest, Seat } from './seat.js'

export interface ChildOptions {
  readonly spec: ChildSpec
  readonly kind: string
  readonly init: unknown
  readonly seat: Seat
  readonly views: readonly string[]
  readonly boot: string
  readonly mailboxBound: number
  /** Deadline of the factory, milliseconds. */
  readonly startMs: number
  /** A number that no earlier life of any actor had. */
  readonly nextGeneration: () => number
  readonly onFault: (child: Child, cause: CrashCause, fault: Fault) => void
}

/** `idle`: no life and none due: stopped, quarantined, or about to be judged. */
type Phase = 'waiting' | 'resting' | 'starting' | 'running' | 'stopping' | 'idle' | 'removed'

/** Slack over an actor's own grace for the order to come back, milliseconds. */
const STOP_SLACK_MS = 500

export class Child implements Guest {
  readonly spec: ChildSpec
  readonly kind: string
  readonly outbox: Outbox
  readonly shelf: ViewShelf
  /** The parameters of the next life. */
  init: unknown
  standing: Standing = { offences: [], alone: false }
  readonly #options: ChildOptions
  readonly #board: SharedArrayBuffer
  readonly #words: Int32Array
  #seat: Seat
  #phase: Phase = 'waiting'
  #generation = 0
  #thread: HostThread | undefined
  /** The last life has crashed and may still be running somewhere: the next must not start. */
  #remains = false
  #timer: NodeJS.Timeout | undefined

  constructor(options: ChildOptions) {
    const { spec, kind, init, seat, views, boot, mailboxBound } = options
    this.#options = options
    this.spec = spec
    this.kind = kind
    this.init = init
    this.#seat = seat
    seat.add(this)
    this.#board = createBoard(views.length)
    this.#words = boardWords(this.#board)
    this.outbox = new Outbox(spec.id, mailboxBound)
    this.shelf = new ViewShelf({ words: this.#words, views, outbox: this.outbox, boot })
  }

  get id(): string {
    return this.spec.id
  }

  get seat(): Seat {
    return this.#seat
  }

  get generation(): number {
    return this.#generation
  }

  /** It is being removed, or has been. */
  get removed(): boolean {
    return this.#phase === 'removed'
  }

  flags(slot: number): number {
    return readFlags(this.#words, slot)
  }

  answerAge(slot: number): number | undefined {
    return readAnswerAge(this.#words, slot)
  }

  /** Moves to another seat with its next life. */
  move(seat: Seat): void {
    this.#seat.guests.delete(this)
    this.#seat = seat
    seat.add(this)
  }

  /** Starts a life, if one is due and the thread is up. */
  launch(): void {
    const { thread } = this.#seat
    if (this.#phase !== 'waiting' || this.#remains || !thread) return
    this.#phase = 'starting'
    this.#thread = thread
    this.#generation = this.#options.nextGeneration()
    void this.#start(thread, this.#generation)
  }

  /** Another life after `delayMs`. */
  rest(delayMs: number): void {
    if (this.#phase !== 'idle') return
    this.#phase = 'resting'
    const wake = () => {
      this.#phase = 'waiting'
      this.launch()
    }
    if (delayMs > 0) this.#timer = setTimeout(wake, delayMs)
    else wake()
  }

  /** Its thread reports that it threw. */
  failed(fault: Fault): void {
    if (this.#phase !== 'running' && this.#phase !== 'starting') return
    this.outbox.hold(`${this.id} failed: ${fault.reason}`)
    this.#phase = 'idle'
    this.#remains = true
    this.#options.onFault(this, 'threw', fault)
  }

  /** Its thread reports that nothing of the crashed life is left. */
  cleaned(): void {
    this.#remains = false
    this.launch()
  }

  /** Its thread has ended; returns whether that ended a life of this actor. */
  lose(thread: HostThread): boolean {
    if (this.#thread !== thread) return false
    this.#thread = undefined
    this.#remains = false
    if (this.#phase !== 'running' && this.#phase !== 'starting') return false
    this.outbox.hold(`the thread of ${this.id} ended`)
    this.#phase = 'idle'
    return true
  }

  /** Ends the current life, with grace, and starts no other until `rest`. Asks are held. */
  async stop(): Promise<void> {
    const thread = this.#halt('stopping')
    this.outbox.hold(`${this.id} was stopped`)
    await this.#endLife(thread, this.spec.shutdownMs)
    if (this.#phase === 'stopping') this.#phase = 'idle'
  }

  /** Ends it permanently; its open asks fail with `actor-gone`. */
  async remove(): Promise<void> {
    const thread = this.#halt('removed')
    this.#seat.guests.delete(this)
    this.outbox.close('actor-gone', `${this.id} was removed`)
    await this.#endLife(thread, this.spec.shutdownMs)
    clearFlags(this.#words)
  }

  /** No further life until it is pardoned. */
  quarantine(reason: string): void {
    this.outbox.close('quarantined', reason)
    clearFlags(this.#words)
  }

  /** A clean record, and its mailbox opens again. */
  pardon(): void {
    this.standing = { offences: [], alone: false }
    this.outbox.reopen()
  }

  /** The thread that has to end the current life; undefined when there is none. */
  #halt(phase: 'stopping' | 'removed'): HostThread | undefined {
    clearTimeout(this.#timer)
    const alive = this.#phase === 'running' || this.#phase === 'starting' || this.#phase === 'stopping' || this.#remains
    if (this.#phase !== 'removed') this.#phase = phase
    return alive ? this.#thread : undefined
  }

  async #endLife(thread: HostThread | undefined, graceMs: number): Promise<void> {
    const generation = this.#generation
    await thread?.control.call(graceMs + STOP_SLACK_MS, (host) => host.stop(generation, graceMs))
  }

  async #start(thread: HostThread, generation: number): Promise<void> {
    const { kind, startMs, mailboxBound } = this.#options
    const order = { id: this.id, kind, generation, board: this.#board, init: this.init, mailboxBound }
    const answer = await thread.control.call(startMs, (host) => host.start(order))
    const isPresent = () => this.#generation === generation && this.#phase === 'starting'
    if (!isPresent()) return
    if (answer.ok && !answer.value) {
      this.#phase = 'running'
      this.outbox.connect(thread.link, generation)
      return
    }
    if (!answer.ok) await this.#endLife(thread, 0)
    if (!isPresent()) return
    this.#phase = 'idle'
    const fault = answer.ok ? answer.value : { reason: `did not start: ${answer.failure.message}` }
    if (fault) this.#options.onFault(this, 'start-failed', fault)
  }
}
