// What happens in a run, from its seed alone: the kind of cluster, and which fault comes when. Whom a fault meets is the
// primary or a replica of that moment.
import { type Dice, throwDice } from './dice.js'
import type { Fault } from './fault.js'
import { type FaultName, faults } from './faults.js'
import type { Init, Policy, Scene } from './scene.js'

export interface Step {
  /** Pause before it, milliseconds. */
  readonly afterMs: number
  readonly fault: FaultName
  /** Seed of its own dice. */
  readonly dice: string
}

export interface Script extends Scene {
  readonly seed: number
  readonly episodes: readonly (readonly Step[])[]
}

export interface Length {
  readonly episodes: number
  /** Most faults of an episode. */
  readonly steps: number
  /** Only these, when given. */
  readonly only?: readonly FaultName[]
}

export function writeScript(seed: number, { episodes, steps, only }: Length): Script {
  const dice = throwDice(`script ${seed}`)
  const semiSync = dice.next() < 0.6
  const needs = (what: Fault['needs']) => only?.some((name) => faults[name].needs === what) === true
  const gated = dice.next() < 0.4 || needs('gates')
  const needsMesh = needs('mesh')
  const meshed = needsMesh || (!gated && only === undefined && dice.next() < 0.3)
  const init = dice.pick<Init>(semiSync ? ['none', 'closed', 'open', 'replica'] : ['none', 'closed', 'closed', 'open'])
  // Dice of their own: the scripts of earlier seeds stay as they are.
  const promises = throwDice(`policy ${seed}`)
  const policy = semiSync ? promises.pick<Policy>(['observed', 'semi-sync', 'lossless']) : 'observed'
  const stopped = policy !== 'observed' && promises.next() < 0.5
  const disks = meshed ? undefined : disksOf(seed, only)
  const weights = Object.entries(faults)
    .filter(
      ([name, { needs }]) =>
        (only?.includes(name as FaultName) ?? true) &&
        isPossible(needs, { gated: gated && !meshed, meshed, ...(disks ? { disks } : {}) }),
    )
    .map(([name, { weight }]) => [name as FaultName, weight] as const)
  const step = (episode: number, index: number): Step => ({
    afterMs: pauseBefore(dice),
    fault: dice.weighted(weights),
    dice: `${seed} ${episode} ${index}`,
  })
  return {
    seed,
    semiSync,
    policy,
    stopped,
    gated: gated && !meshed,
    meshed,
    ...(disks ? { disks } : {}),
    init,
    episodes: Array.from({ length: episodes }, (_, episode) =>
      Array.from({ length: dice.between(1, steps) }, (_, index) => step(episode, index)),
    ),
  }
}

type Given = Pick<Scene, 'gated' | 'meshed' | 'disks'>

function isPossible(needs: Fault['needs'], { gated, meshed, disks }: Given): boolean {
  if (needs === undefined) return true
  if (needs === 'gates') return gated
  return needs === 'mesh' ? meshed : needs === disks
}

/** As the faults that are asked for need them; else now and then. */
function disksOf(seed: number, only: Length['only']): Scene['disks'] {
  const kinds = ['slow', 'small'] as const
  if (only) return kinds.find((kind) => only.some((name) => faults[name].needs === kind))
  const dice = throwDice(`disks ${seed}`)
  return dice.next() < 0.15 ? dice.pick(kinds) : undefined
}

/** At once, within what a failover takes, or later. */
function pauseBefore(dice: Dice): number {
  const longest = dice.pick([20, 300, 1_500, 4_000])
  return dice.between(0, longest)
}
