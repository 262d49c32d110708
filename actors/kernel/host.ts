// The worker side: hosts many actors in one thread, so that a fault of one restarts that one alone.
import { workerData } from 'node:worker_threads'
import { now } from '../../lib/base/time.js'
import type { ActorFactory } from '../protocol/actor.js'
import type { ThreadReads } from '../protocol/envelope.js'
import { Cell, currentCell } from './cell.js'
import { answerControl, transferable } from './control.js'
import { describeFault } from './fault.js'
import { LatenessGauge } from './lateness.js'
import { EventOutlet } from './outlet.js'
import { beat, pulseWords } from './pulse.js'
import type { Fault, HostControl, HostSeed, StartOrder, ToHost, ToMain } from './wire.js'

/** How often the heartbeat rises and the loop's lateness is measured, milliseconds. */
const BEAT_MS = 20

export interface HostOptions {
  /** The factory of each kind of actor. */
  // biome-ignore lint/suspicious/noExplicitAny: factories of any protocol
  readonly kinds: Readonly<Record<string, ActorFactory<any>>>
  /** Reads that the thread answers for all its actors together. */
  // biome-ignore lint/suspicious/noExplicitAny: reads of any protocol
  readonly reads?: ThreadReads<any>
}

/** Turns this worker thread into a host. Called once, by the thread's entry module. */
export function runHost(options: HostOptions): void {
  const host = new Host(options, workerData as HostSeed)
  host.open()
}

class Host implements HostControl {
  readonly #options: HostOptions
  readonly #seed: HostSeed
  readonly #pulse: Int32Array
  readonly #gauge = new LatenessGauge(BEAT_MS, now())
  readonly #cells = new Map<number, Cell>()
  readonly #outlet = new EventOutlet((events) => this.#send({ kind: 'events', events }))

  constructor(options: HostOptions, seed: HostSeed) {
    this.#options = options
    this.#seed = seed
    this.#pulse = pulseWords(seed.pulse)
  }

  open(): void {
    process.on('uncaughtException', (error) => this.#blame(error))
    process.on('unhandledRejection', (error) => this.#blame(error))
    process.on('exit', (code) => this.#lastWords(`exit with code ${code}`))
    setInterval(() => this.#tick(), BEAT_MS)
    this.#seed.link.on('message', (message: ToHost) => this.#take(message))
    answerControl(this.#seed.control, this)
  }

  ping(): void {}

  async start(order: StartOrder): Promise<Fault | undefined> {
    const factory = this.#options.kinds[order.kind]
    if (!factory) return { reason: `this thread hosts no actors of kind ${order.kind}` }
    const cell = new Cell(order, {
      pulse: this.#pulse,
      gauge: this.#gauge,
      outlet: this.#outlet,
      views: this.#seed.kinds[order.kind]?.views ?? [],
      send: (message, transfer) => this.#send(message, transfer),
      onGone: ({ order: { generation } }) => this.#cells.delete(generation),
    })
    this.#cells.set(order.generation, cell)
    return cell.start(factory)
  }

  async stop(generation: number, graceMs: number): Promise<void> {
    await this.#cells.get(generation)?.stop(graceMs)
  }

  async drain(graceMs: number): Promise<void> {
    await Promise.all([...this.#cells.values()].map((cell) => cell.stop(graceMs)))
  }

  stats() {
    return {
      actors: this.#cells.size,
      heapUsedBytes: process.memoryUsage().heapUsed,
      latenessMs: this.#gauge.worst(10_000, now()),
      eventsDropped: this.#outlet.dropped,
    }
  }

  async read(type: string, payload: unknown): Promise<unknown> {
    const read = this.#options.reads?.[type]
    if (!read) throw new RangeError(`this thread answers no ${type}`)
    return handOver(await read(payload))
  }

  #tick(): void {
    this.#gauge.tick(now())
    beat(this.#pulse)
  }

  #take(message: ToHost): void {
    if (message.kind === 'events-taken') this.#outlet.taken()
    else this.#cells.get(message.generation)?.deliver(message)
  }

  /** A fault outside any call: async context names the actor. Without a name the whole thread is in doubt, and ends. */
  #blame(error: unknown): void {
    const cell = currentCell()
    if (cell) {
      cell.crash(error)
    } else {
      this.#lastWords(describeFault(error).reason)
      process.exit(1)
    }
  }

  /** Reported at once, since the end of a thread may be noticed late; the first reason is the cause. */
  #lastWords(reason: string): void {
    this.#send({ kind: 'dying', generation: currentCell()?.order.generation ?? 0, reason })
  }

  #send(message: ToMain, transfer: readonly ArrayBuffer[] = []): void {
    this.#seed.link.postMessage(message, [...transfer])
  }
}

/** The memory of byte arrays at the top of a reply is transferred, not copied. */
function handOver(value: unknown): unknown {
  if (typeof value !== 'object' || value === null) return value
  const buffers = Object.values(value).flatMap((part) =>
    part instanceof Uint8Array && part.buffer instanceof ArrayBuffer ? [part.buffer] : [],
  )
  return transferable(value, buffers)
}
