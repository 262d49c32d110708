// One life of an actor in its host thread: start, dispatch, crash, stop. Whatever it throws ends this life alone.
import { AsyncLocalStorage } from 'node:async_hooks'
import { setMaxListeners } from 'node:events'
import { fail, type Result } from '../../lib/base/result.js'
import { now } from '../../lib/base/time.js'
import type { Actor, ActorContext, ActorFactory } from '../protocol/actor.js'
import type { Protocol } from '../protocol/envelope.js'
import { beginLife, boardWords, raiseVersion, readVersion, writeAnswer, writeFlags } from './board.js'
import { bounded } from './bounded.js'
import { describeFault } from './fault.js'
import type { LatenessGauge } from './lateness.js'
import type { EventOutlet } from './outlet.js'
import { beat, display } from './pulse.js'
import type { Envelope, Fault, PulledView, StartOrder, ToMain } from './wire.js'

/** How long a crashed actor may take to end what it started before its next life may start, milliseconds. */
const CLEANUP_MS = 500

/** Faults of an ended life that are still reported; a forgotten timer could throw endlessly. */
const MOST_STRAYS = 5

const owner = new AsyncLocalStorage<Cell | undefined>()

/** The cell whose code is running, through every await, timer and socket it started; undefined for the kernel's own. */
export const currentCell = (): Cell | undefined => owner.getStore()

/** What a cell needs of its thread. */
export interface CellSurroundings {
  readonly pulse: Int32Array
  readonly gauge: LatenessGauge
  readonly outlet: EventOutlet
  readonly views: readonly string[]
  readonly send: (message: ToMain, transfer?: readonly ArrayBuffer[]) => void
  /** The life has ended, nothing of it is left. */
  readonly onGone: (cell: Cell) => void
}

export class Cell {
  readonly order: StartOrder
  readonly #around: CellSurroundings
  readonly #scope = new AbortController()
  readonly #words: Int32Array
  #phase: 'starting' | 'running' | 'stopping' | 'ended' = 'starting'
  #actor: Actor<Protocol> | undefined
  #handling = 0
  #strays = 0
  #ending: Promise<void> | undefined
  #startFailed: (fault: Fault) => void = () => undefined

  constructor(order: StartOrder, around: CellSurroundings) {
    this.order = order
    this.#around = around
    this.#words = boardWords(order.board)
    setMaxListeners(0, this.#scope.signal) // every connection and timer of an actor may listen: that is no leak
  }

  /** Settles with the factory, or when the life ends before it. */
  async start(factory: ActorFactory<Protocol>): Promise<Fault | undefined> {
    beginLife(this.#words, this.order.generation)
    const fault = await new Promise<Fault | undefined>((resolve) => {
      this.#startFailed = resolve
      this.#run(() => factory(this.#context(), this.order.init)).then(
        (actor) => {
          this.#begin(actor)
          resolve(undefined)
        },
        (error) => this.crash(error),
      )
    })
    if (fault) await this.#ending
    return fault
  }

  /** Runs one ask or pull and replies. Never throws. */
  deliver(envelope: Envelope): void {
    if (this.#phase !== 'running' || now() > envelope.deadline) return
    try {
      if (envelope.kind === 'view') this.#pull(envelope)
      else if (this.#handling < this.order.mailboxBound) this.#receive(envelope)
      else this.#answer(envelope.id, fail('mailbox-full', `${this.order.id} is handling ${this.#handling} messages`))
    } catch (error) {
      this.crash(error)
    }
  }

  /** This actor threw: its life ends, the supervisor decides about the next one. */
  crash(error: unknown): void {
    const fault = describeFault(error)
    const { generation } = this.order
    const phase = this.#phase
    if (phase === 'starting') {
      this.#ending = this.#end(CLEANUP_MS, 'at once')
      this.#startFailed(fault)
    } else if (phase === 'running') {
      this.#around.send({ kind: 'failed', generation, fault })
      this.#ending = this.#end(CLEANUP_MS, 'at once').then(() => this.#around.send({ kind: 'gone', generation }))
    } else {
      this.#reportStray(fault)
    }
  }

  /** Lets the actor finish its work, for at most `graceMs`; its scope ends in any case. */
  stop(graceMs: number): Promise<void> {
    if (!this.#ending) {
      this.#startFailed({ reason: `${this.order.id} was stopped while it started` })
      this.#ending = this.#end(graceMs, 'after stop')
    }
    return this.#ending
  }

  async #end(graceMs: number, abort: 'at once' | 'after stop'): Promise<void> {
    this.#phase = abort === 'at once' ? 'ended' : 'stopping'
    if (abort === 'at once') this.#dispose()
    await bounded(this.#stopActor(), graceMs)
    this.#phase = 'ended'
    this.#dispose()
    this.#around.onGone(this)
  }

  #dispose(): void {
    this.#guarded(() => owner.run(this, () => this.#scope.abort()))
  }

  #stopActor(): Promise<void> {
    const actor = this.#actor
    this.#actor = undefined
    if (!actor) return Promise.resolve()
    return this.#run(() => actor.stop()).catch((error) => this.#reportStray(describeFault(error)))
  }

  #begin(actor: Actor<Protocol>): void {
    this.#actor = actor
    if (this.#phase === 'starting') this.#phase = 'running'
    else void this.#stopActor() // its life ended while the factory was running
  }

  /** Replies in the same turn when the actor does. */
  #receive({ id, type, payload }: Envelope): void {
    const reply = this.#enter(() => this.#actor?.receive(type, payload))
    if (!(reply instanceof Promise)) {
      if (reply) this.#answer(id, reply)
      return
    }
    this.#handling += 1
    reply.then(
      (result) => {
        this.#handling -= 1
        if (this.#phase !== 'ended') this.#answer(id, result)
      },
      (error) => this.crash(error),
    )
  }

  #pull({ id, type }: Envelope): void {
    const view = this.#viewIndex(type)
    const version = readVersion(this.#words, view) // before the bytes: they may be newer than it says, never older
    const bytes = this.#enter(() => this.#actor?.view(type))
    if (!bytes) return
    // A copy: the actor may keep its bytes, and pooled buffers cannot be given away.
    const copy = new Uint8Array(bytes).buffer
    const pulled: PulledView = { generation: this.order.generation, version, bytes: copy }
    this.#around.send({ kind: 'reply', id, result: { ok: true, value: pulled } }, [copy])
  }

  #answer(id: number, result: Result<unknown>): void {
    try {
      this.#around.send({ kind: 'reply', id, result })
    } catch (error) {
      const { reason } = describeFault(error)
      this.#around.send({ kind: 'reply', id, result: fail('internal', `the answer is not plain data: ${reason}`) })
    }
  }

  #context(): ActorContext {
    const { gauge, outlet } = this.#around
    const alive = () => this.#phase !== 'ended'
    return {
      id: this.order.id,
      signal: this.#scope.signal,
      changed: (view) => {
        const index = this.#viewIndex(view)
        beat(this.#around.pulse) // handling one cluster after the other is no hang either
        if (alive()) raiseVersion(this.#words, index)
      },
      setFlags: (slot, flags) => {
        if (alive()) writeFlags(this.#words, slot, flags)
      },
      setAnswered: (slot, agoMs) => {
        if (alive()) writeAnswer(this.#words, slot, agoMs)
      },
      emit: (event) => {
        if (alive()) outlet.put(this.order.generation, event)
      },
      lateness: (windowMs) => gauge.worst(windowMs, now()),
      lost: () => {
        beat(this.#around.pulse) // nor is reading one server after the other
        return gauge.lost(now())
      },
    }
  }

  #viewIndex(view: string): number {
    const index = this.#around.views.indexOf(view)
    if (index < 0) throw new RangeError(`${this.order.kind} has no view ${view}`)
    return index
  }

  /** Runs the actor's code on its behalf. A beat: hundreds of starts and messages in one turn of the loop are no hang. */
  #enter<T>(work: () => T): T {
    beat(this.#around.pulse)
    return owner.run(this, () => display(this.#around.pulse, this.order.generation, work))
  }

  /** The same, where a synchronous throw must become a rejection. */
  async #run<T>(work: () => Promise<T>): Promise<T> {
    return this.#enter(work)
  }

  #guarded(work: () => void): void {
    try {
      work()
    } catch (error) {
      this.#reportStray(describeFault(error))
    }
  }

  #reportStray(fault: Fault): void {
    this.#strays += 1
    if (this.#strays > MOST_STRAYS) return
    const { id, generation } = this.order
    this.#around.send({ kind: 'stray', id, generation, fault })
  }
}
