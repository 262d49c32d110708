// Waits for work within a deadline.

/** Resolves when `work` has settled or after `ms`, whichever is first. Never rejects: failures must be handled in `work`. */
export function bounded(work: Promise<unknown>, ms: number): Promise<void> {
  return new Promise((resolve) => {
    const timer = setTimeout(resolve, ms)
    const settle = () => {
      clearTimeout(timer)
      resolve()
    }
    work.then(settle, settle)
  })
}
