// A cluster's side of the manager's limit of heavy jobs: states what it wants and runs, and hears what it may.
import { now, SECOND } from '../../../lib/base/time.js'
import type { Line } from '../../kernel/line.js'

export interface JobSlots {
  /** Calls `begin` once the job may run; `leave` ends its wait or its run. */
  ask(job: number, begin: () => void): void
  leave(job: number): void
  /** How full the manager is: `4 of 4 heavy jobs of all clusters run`; undefined before the first answer. */
  load(): string | undefined
  close(): void
}

/** So often a cluster that wants or runs jobs says so again. */
const RESTATE_MS = 5 * SECOND

/** Slots granted by the main thread. */
export function openSlots(line: Pick<Line, 'say' | 'hear'>): JobSlots {
  const wants = new Map<number, { readonly since: number; readonly begin: () => void }>()
  const holds = new Set<number>()
  let load: string | undefined
  let timer: NodeJS.Timeout | undefined

  const state = () => {
    clearTimeout(timer)
    const wanted = [...wants].map(([job, { since }]) => ({ job, since }))
    line.say('slots', { wants: wanted, holds: [...holds] })
    if (wants.size + holds.size > 0) timer = setTimeout(state, RESTATE_MS).unref()
  }
  line.hear('slots', ({ grants, running, limit }) => {
    load = limit === 0 ? undefined : `${running} of ${limit} heavy jobs of all clusters run`
    for (const job of grants) {
      const want = wants.get(job)
      if (!want) continue
      wants.delete(job)
      holds.add(job)
      want.begin()
      state()
    }
  })
  // What an earlier life of the actor held is free.
  state()
  return {
    ask: (job, begin) => {
      wants.set(job, { since: now(), begin })
      state()
    },
    leave: (job) => {
      const was = wants.delete(job) || holds.delete(job)
      if (was) state()
    },
    load: () => load,
    close: () => {
      clearTimeout(timer)
      wants.clear()
      holds.clear()
      state()
    },
  }
}
