// Hands out turns: at most so many at once, and one at a time for the same key.
export interface Turns {
  /** Runs `work` when its turn has come; undefined when `signal` aborted before that. */
  take<T>(key: string, signal: AbortSignal, work: () => Promise<T>): Promise<T | undefined>
  /** Turns under way. */
  readonly busy: number
  /** The most there ever were at once. */
  readonly peak: number
}

interface Waiting {
  readonly key: string
  readonly begin: () => void
}

export function createTurns(most: number): Turns {
  const keys = new Set<string>()
  const queue: Waiting[] = []
  let peak = 0
  const next = (): void => {
    while (keys.size < most) {
      const index = queue.findIndex(({ key }) => !keys.has(key))
      if (index < 0) return
      const [waiting] = queue.splice(index, 1)
      if (!waiting) return
      keys.add(waiting.key)
      peak = Math.max(peak, keys.size)
      waiting.begin()
    }
  }
  const wait = (key: string, signal: AbortSignal): Promise<boolean> =>
    new Promise((resolve) => {
      const abort = () => {
        queue.splice(queue.indexOf(waiting), 1)
        resolve(false)
      }
      const waiting: Waiting = {
        key,
        begin: () => {
          signal.removeEventListener('abort', abort)
          resolve(true)
        },
      }
      if (signal.aborted) return resolve(false)
      signal.addEventListener('abort', abort, { once: true })
      queue.push(waiting)
      next()
    })
  return {
    get busy() {
      return keys.size
    },
    get peak() {
      return peak
    },
    async take(key, signal, work) {
      if (!(await wait(key, signal))) return undefined
      try {
        return await work()
      } finally {
        keys.delete(key)
        next()
      }
    },
  }
}
