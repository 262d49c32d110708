// Bounds work that costs a core: a few run at a time, a few more wait, the rest is refused.
import { createLimit } from '../../../lib/base/limit.js'
import { fail, type Result } from '../../../lib/base/result.js'

export interface ConcurrencyOptions {
  readonly running: number
  readonly waiting: number
}

/** Runs the work when its turn comes; `mailbox-full` at once when too many wait already. */
export type ConcurrencyLimit = <T>(work: () => Promise<Result<T>>) => Promise<Result<T>>

export function limitConcurrency({ running, waiting }: ConcurrencyOptions): ConcurrencyLimit {
  const limit = createLimit(running)
  return async (work) =>
    limit.pending >= running + waiting
      ? fail('mailbox-full', 'too many logins and new tokens at once')
      : limit.run(work)
}
