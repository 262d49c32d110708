// What a starting actor knows: the saved memory, brought up to date by the journal, and what was left unfinished.
import { SECOND } from '../../lib/base/time.js'
import { decisiveServers, recallInterrupted } from '../../lib/decide/recover.js'
import type { ServerSnapshot } from '../../lib/model/snapshot.js'
import type { Journal, Unfinished } from '../../lib/store/index.js'
import { recallEnded } from './operation.js'
import { recall } from './remember.js'
import type { Remembered } from './start.js'

export interface Resumed extends Remembered {
  readonly interrupted: Unfinished | undefined
}

export async function resume(directory: string, journal: Journal): Promise<Resumed> {
  const [remembered, ended, unfinished] = await Promise.all([
    recall(directory),
    journal.history(),
    journal.readUnfinished(),
  ])
  const interrupted = unfinished.ok ? unfinished.value : undefined
  const memory = recallEnded(remembered.memory, ended.ok ? ended.value : [])
  return {
    ...remembered,
    memory: interrupted ? recallInterrupted(interrupted, memory) : memory,
    damage: unfinished.ok ? remembered.damage : [...remembered.damage, unfinished.failure.message],
    interrupted,
  }
}

/** Longest wait for the first looks at servers on which nothing hangs. */
const FIRST_LOOK_MS = 3 * SECOND
/** How long a silent server is given that an interrupted plan may have opened or closed. */
const SILENT_LOOK_MS = 5 * SECOND

/**
 * Whether to wait on, after `forMs` milliseconds. Which way an interrupted plan goes hangs on two servers: no haste of
 * this thread may pass them by.
 */
export function awaitsLooks(
  servers: readonly Pick<ServerSnapshot, 'id' | 'observation'>[],
  interrupted: Unfinished | undefined,
  forMs: number,
): boolean {
  const decisive = interrupted ? decisiveServers(interrupted) : []
  return servers.some(({ id, observation }) => {
    if (observation === 'unseen') return decisive.includes(id) || forMs < FIRST_LOOK_MS
    return observation === 'silent' && decisive.includes(id) && forMs < SILENT_LOOK_MS
  })
}
