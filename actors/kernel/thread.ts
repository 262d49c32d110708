// One host thread as the main thread sees it: its worker, its two channels, its pulse, and its one end.
import type { EventLoopUtilization } from 'node:perf_hooks'
import { MessageChannel, type ResourceLimits, Worker } from 'node:worker_threads'
import type { Result } from '../../lib/base/result.js'
import { type Control, openControl } from './control.js'
import { Link, type Notice } from './link.js'
import { createPulse, pulseWords, readBeat, readRunning } from './pulse.js'
import type { HostSeed } from './wire.js'

/** A terminated thread runs no further instruction; its exit may be reported late. Longest wait for it. */
const EXIT_WAIT_MS = 1_000

export interface ThreadEnd {
  readonly reason: string
  /** The life whose code ended or blocked the thread; 0 when unknown. */
  readonly offender: number
}

export interface ThreadOptions {
  /** The module that calls `runHost`. */
  readonly entry: URL
  readonly name: string
  readonly kinds: HostSeed['kinds']
  readonly resourceLimits: ResourceLimits
  readonly onNotice: (notice: Notice) => void
  /** Called once, at the first sign of the end; every pending call and ask has been settled by then. */
  readonly onEnd: (end: ThreadEnd) => void
}

export class HostThread {
  readonly name: string
  readonly control: Control
  readonly link: Link
  /** Resolves when no code of the thread can run any more. */
  readonly gone: Promise<void>
  readonly #worker: Worker
  readonly #pulse: Int32Array
  readonly #onEnd: (end: ThreadEnd) => void
  #utilization: EventLoopUtilization
  #ended = false
  #giveUp: () => void = () => undefined

  constructor({ entry, name, kinds, resourceLimits, onNotice, onEnd }: ThreadOptions) {
    this.name = name
    this.#onEnd = onEnd
    const control = new MessageChannel()
    const link = new MessageChannel()
    const pulse = createPulse()
    this.#pulse = pulseWords(pulse)
    this.control = openControl(control.port1)
    this.link = new Link(link.port1, { onNotice, onDying: (reason, generation) => this.#end(reason, generation) })
    const seed: HostSeed = { control: control.port2, link: link.port2, pulse, kinds }
    this.#worker = new Worker(entry, {
      name,
      workerData: seed,
      transferList: [control.port2, link.port2],
      resourceLimits,
    })
    this.#utilization = this.#worker.performance.eventLoopUtilization()
    this.gone = new Promise((resolve) => {
      this.#giveUp = resolve
      this.#worker.once('exit', (code) => {
        this.#end(`exit with code ${code}`)
        resolve()
      })
    })
    this.#worker.on('error', (error) => this.#end(nameError(error)))
  }

  get ended(): boolean {
    return this.#ended
  }

  /** Rises while the thread's event loop turns. */
  get beat(): number {
    return readBeat(this.#pulse)
  }

  /** Share of the time the event loop was busy since the last call, 0 to 1. */
  utilization(): number {
    const before = this.#utilization
    this.#utilization = this.#worker.performance.eventLoopUtilization()
    return this.#worker.performance.eventLoopUtilization(this.#utilization, before).utilization
  }

  /** Settles when the entry module has called `runHost`. */
  opened(deadlineMs: number): Promise<Result<void>> {
    return this.control.call(deadlineMs, (host) => host.ping())
  }

  /** Ends the thread whatever it is doing. The reported reason: `reason` unless it has ended already. */
  async terminate(reason: string): Promise<void> {
    this.#end(reason)
    const timer = setTimeout(this.#giveUp, EXIT_WAIT_MS)
    void this.#worker.terminate()
    await this.gone
    clearTimeout(timer)
  }

  #end(reason: string, offender = readRunning(this.#pulse)): void {
    if (this.#ended) return
    this.#ended = true
    this.link.end()
    this.control.end()
    this.#onEnd({ reason, offender })
  }
}

function nameError(error: Error): string {
  const code = 'code' in error && typeof error.code === 'string' ? `${error.code}: ` : ''
  return `${code}${error.message}`
}
