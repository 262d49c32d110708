// Work with a deadline and a signal: whichever comes first ends it.
import { startTimer, type Timer } from './time.js'

export interface Deadline {
  readonly ms: number
  /** The machine's when absent. */
  readonly timer?: Timer | undefined
}

/**
 * Hands `work` a signal that aborts at the deadline, so many milliseconds from now, or with `signal`. A plain timer and
 * listener: a signal combined of others by `AbortSignal.any` may be collected with its timer while nothing listens, and
 * then never aborts.
 */
export async function withDeadline<T>(
  signal: AbortSignal,
  deadline: number | Deadline,
  work: (signal: AbortSignal) => Promise<T>,
): Promise<T> {
  const controller = new AbortController()
  const end = () => controller.abort()
  const { ms, timer = startTimer } = typeof deadline === 'number' ? { ms: deadline } : deadline
  const cancel = timer(ms, end)
  if (signal.aborted) end()
  signal.addEventListener('abort', end, { once: true })
  try {
    return await work(controller.signal)
  } finally {
    cancel()
    signal.removeEventListener('abort', end)
  }
}
