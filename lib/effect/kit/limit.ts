// The time an operation may take before its point of no return, and what ends it early.
import type { Failure } from '../../base/result.js'
import { startTimer, type Timer } from '../../base/time.js'
import type { Operation } from '../../model/operation/operation.js'

export interface Limit {
  readonly signal: AbortSignal
  failure(): Failure
  close(): void
}

export interface LimitRequest {
  readonly operation: Operation
  /** Ends the operation early. */
  readonly signal: AbortSignal
  readonly now: () => number
  /** The machine's when absent. */
  readonly timer?: Timer
}

/** Aborts at the operation's deadline or with `signal`, until it is closed. */
export function openLimit({ operation, signal, now, timer = startTimer }: LimitRequest): Limit {
  const controller = new AbortController()
  const end = () => controller.abort()
  const cancel = timer(Math.max(0, operation.deadlineAt - now()), end)
  if (signal.aborted) end()
  signal.addEventListener('abort', end, { once: true })
  return {
    signal: controller.signal,
    failure: () =>
      signal.aborted
        ? {
            code: 'deadline-passed',
            message: 'the operation was ended early: another one is more urgent, or the manager stops',
          }
        : {
            code: 'deadline-passed',
            message: `not done within ${Math.round(operation.deadlineAt - operation.startedAt)} ms`,
          },
    close: () => {
      cancel()
      signal.removeEventListener('abort', end)
    },
  }
}
