// Refuses work when too much of it waits already: what costs a core must not be had for the asking.
import { createLimit } from '../../lib/base/limit.js'
import { fail, type Result } from '../../lib/base/result.js'

export interface GateOptions {
  readonly running: number
  readonly waiting: number
}

/** Runs the work when there is room; `mailbox-full` at once when too much waits already. */
export type Gate = <T>(work: () => Promise<Result<T>>) => Promise<Result<T>>

export function createGate({ running, waiting }: GateOptions): Gate {
  const limit = createLimit(running)
  return async (work) =>
    limit.pending < running + waiting ? limit.run(work) : fail('mailbox-full', 'too many logins and new tokens at once')
}
