// Disks that are slow or full while the role of the primary moves.
import { SECOND, sleep } from '../../lib/base/time.js'
import { SWITCHOVER } from '../support/stories/switching.js'
import type { Arena } from './arena.js'
import type { Dice } from './dice.js'
import type { Fault } from './fault.js'

const table = {
  'a disk syncs slowly while the role moves': {
    weight: 1,
    needs: 'slow',
    act: (arena, dice) => whileBad(arena, dice, { what: 'syncs in', ms: dice.pick([200, 1_000, 1_000, 6_000]) }),
  },

  'a disk is full while the role moves': {
    weight: 1,
    needs: 'small',
    act: (arena, dice) => whileBad(arena, dice, { what: 'is full', ms: 0 }),
  },
} as const satisfies Record<string, Fault>

export type DiskFaultName = keyof typeof table

export const diskFaults: Readonly<Record<DiskFaultName, Fault>> = table

interface Bad {
  readonly what: string
  readonly ms: number
}

/** Mostly the disk of the primary. The role is asked to move, the primary dies, or both. */
async function whileBad(arena: Arena, dice: Dice, { what, ms }: Bad): Promise<string> {
  const node = arena.victim(dice)
  const disk = arena.disks[arena.nodes.indexOf(node)]
  if (!disk) throw new Error(`${node.name} has no disk of its own`)
  const forMs = dice.between(3 * SECOND, 20 * SECOND)
  disk.begin(ms)
  arena.later(forMs, `the disk of ${node.name} is as before`, () => disk.end())
  await sleep(dice.between(0, 5 * SECOND))
  const course = dice.pick(['asked', 'dies', 'both'])
  if (course !== 'dies')
    arena.beside('the switchover', async () => {
      const { status, body } = await arena.cluster.manager.post(SWITCHOVER)
      return `${status} ${body.slice(0, 160)}`
    })
  await sleep(dice.between(0, 3 * SECOND))
  if (course !== 'asked') await arena.kill(arena.primary(), dice)
  return `${node.name} ${what}${ms > 0 ? ` ${ms} ms` : ''} for ${forMs} ms: ${course}`
}
