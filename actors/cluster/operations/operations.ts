// Runs the plans of one cluster, one at a time.
import { now } from '../../../lib/base/time.js'
import type { Perform, TripMs } from '../../../lib/effect/index.js'
import { runPlan } from '../../../lib/effect/plan/run-plan.js'
import type { Crash } from '../../../lib/model/operation/crash.js'
import type { Operation, Plan } from '../../../lib/model/operation/operation.js'
import type { Journal } from '../../../lib/store/index.js'

export interface OperateHost {
  readonly perform: Perform
  readonly tripMs: TripMs
  readonly journal: Journal
  stepped(operation: Operation): void
  /** Resolves when the end is known to the cluster. */
  ended(operation: Operation, crash: Crash | undefined): Promise<void>
}

export class Operations {
  readonly #host: OperateHost
  #running: { readonly controller: AbortController; readonly end: Promise<void> } | undefined
  #crash: Crash | undefined

  constructor(host: OperateHost) {
    this.#host = host
  }

  /** Begins a plan; the caller has made sure that none is running. */
  begin(operation: Operation, plan: Plan): void {
    const controller = new AbortController()
    this.#crash = undefined
    this.#running = { controller, end: this.#run(operation, plan, controller.signal) }
  }

  /** Ends the running operation early; what it has started is undone or finished as its journal allows. */
  abort(): void {
    this.#running?.controller.abort()
  }

  /** The crash record that the running operation completed. */
  crashRecorded(crash: Crash): void {
    this.#crash = crash
  }

  /** Ends early what runs and waits for it, at most `graceMs`. */
  async close(graceMs: number): Promise<void> {
    this.abort()
    const timeout = new Promise<void>((resolve) => setTimeout(resolve, graceMs).unref())
    await Promise.race([this.#running?.end, timeout])
  }

  async #run(operation: Operation, plan: Plan, signal: AbortSignal): Promise<void> {
    const { perform, tripMs, journal, stepped } = this.#host
    const ended = await runPlan({ plan, operation, perform, tripMs, journal, signal, now, onStep: stepped })
    this.#running = undefined
    await this.#host.ended(ended, this.#crash)
  }
}
