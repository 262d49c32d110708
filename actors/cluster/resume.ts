// What a starting actor knows: the saved memory, brought up to date by the journal, and what was left unfinished.
import { recallInterrupted } from '../../lib/decide/recover.js'
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
