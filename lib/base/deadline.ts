// Work with a deadline and a signal: whichever comes first ends it.

/**
 * Hands `work` a signal that aborts after `ms` or with `signal`. A plain timer and listener: a signal combined of others
 * by `AbortSignal.any` may be collected with its timer while nothing listens, and then never aborts.
 */
export async function withDeadline<T>(
  signal: AbortSignal,
  ms: number,
  work: (signal: AbortSignal) => Promise<T>,
): Promise<T> {
  const controller = new AbortController()
  const end = () => controller.abort()
  const timer = setTimeout(end, ms)
  if (signal.aborted) end()
  signal.addEventListener('abort', end, { once: true })
  try {
    return await work(controller.signal)
  } finally {
    clearTimeout(timer)
    signal.removeEventListener('abort', end)
  }
}
