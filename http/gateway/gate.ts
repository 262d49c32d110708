// Lets a few run at a time and a few more wait: what costs a core must not be had for the asking.
import { fail, type Result } from '../../lib/base/result.js'

export interface GateOptions {
  readonly running: number
  readonly waiting: number
}

/** Runs the work when a place is free; `mailbox-full` at once when too many wait already. */
export type Gate = <T>(work: () => Promise<Result<T>>) => Promise<Result<T>>

export function createGate({ running, waiting }: GateOptions): Gate {
  let busy = 0
  const queue: (() => void)[] = []
  return async (work) => {
    if (busy >= running) {
      if (queue.length >= waiting) return fail('mailbox-full', 'too many logins and new tokens at once')
      await new Promise<void>((resolve) => queue.push(resolve))
    } else {
      busy += 1
    }
    try {
      return await work()
    } finally {
      const next = queue.shift()
      if (next) next()
      else busy -= 1
    }
  }
}
