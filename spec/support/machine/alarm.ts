// A timer whose time passes when a spec says so.
import type { Timer } from '../../../lib/base/time.js'

export interface Alarm {
  readonly timer: Timer
  /**
   * So long a time passes at once, as for a thread that was suspended: ends what was set for no longer than that. Answers
   * whether there was any.
   */
  ring(ms: number): boolean
}

export function alarm(): Alarm {
  const set = new Map<() => void, number>()
  return {
    timer: (ms, end) => {
      set.set(end, ms)
      return () => void set.delete(end)
    },
    ring: (ms) => {
      const due = [...set].filter(([, after]) => after <= ms)
      for (const [end] of due) {
        set.delete(end)
        end()
      }
      return due.length > 0
    },
  }
}
