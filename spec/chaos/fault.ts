// What a row of the table of faults is.
import type { Arena } from './arena.js'
import type { Dice } from './dice.js'

export interface Fault {
  /** How often it is chosen, compared with the others. */
  readonly weight: number
  readonly needs?: 'gates' | 'mesh' | 'slow' | 'small'
  readonly act: (arena: Arena, dice: Dice) => Promise<string>
}
