// Partitions of a network in which every server and the manager stands alone: sides, isolated servers, one-way cuts.
import { SECOND, sleep } from '../../lib/base/time.js'
import type { Node } from '../support/databases/node.js'
import type { Mesh, MeshPlace } from '../support/machine/mesh.js'
import type { Arena } from './arena.js'
import type { Dice } from './dice.js'
import type { Fault } from './fault.js'

/** Who stands where when the network is cut. */
interface Parties {
  readonly mesh: Mesh
  readonly manager: MeshPlace
  readonly primary: MeshPlace
  readonly replicas: readonly [MeshPlace, MeshPlace]
}

const partition = (cut: (parties: Parties, dice: Dice, arena: Arena) => Promise<string>): Fault => ({
  weight: 1,
  needs: 'mesh',
  act: async (arena, dice) => {
    const parties = partiesOf(arena)
    const seen = arena.blindfold()
    const what = await cut(parties, dice, arena)
    const ms = dice.between(2 * SECOND, 14 * SECOND)
    await sleep(ms)
    await parties.mesh.heal()
    seen()
    return `${what} for ${ms} ms`
  },
})

const table = {
  'the manager with one replica in the minority': partition(async ({ mesh, manager, primary, replicas }) => {
    await mesh.part([manager, replicas[0]], [primary, replicas[1]])
    return `manager, ${replicas[0].host}`
  }),
  'the primary is isolated with its clients': partition(async ({ mesh, manager, primary, replicas }) => {
    await mesh.part([primary], [manager, ...replicas])
    return primary.host
  }),
  'a replica that was down starts on the side of the isolated primary': partition(
    async ({ mesh, manager, primary, replicas }, dice, arena) => {
      const node = arena.nodes[mesh.places.indexOf(replicas[0])]
      if (!node || node.pid === 0) return 'it was down already'
      await node.stop()
      await sleep(dice.between(SECOND, 5 * SECOND))
      await mesh.part([primary, replicas[0]], [manager, replicas[1]])
      await sleep(dice.between(0, 8 * SECOND))
      node.start(...arena.startArgs())
      return `${node.name}, ${primary.host}`
    },
  ),
  'the manager is isolated': partition(async ({ mesh, manager, primary, replicas }) => {
    await mesh.part([manager], [primary, ...replicas])
    return manager.host
  }),
  'the manager is cut from the primary': partition(async ({ mesh, manager, primary }) => {
    await mesh.part([manager], [primary])
    return primary.host
  }),
  'the answers of the primary are lost': partition(async ({ mesh, manager, primary, replicas }) => {
    for (const to of [manager, ...replicas]) await mesh.cutOneWay(primary, to)
    return `${primary.host} to all`
  }),
  'packets between two parties are lost in one direction': partition(
    async ({ mesh, manager, primary, replicas }, dice) => {
      const from = dice.pick([manager, primary, ...replicas])
      const to = dice.pick([manager, primary, ...replicas])
      if (from !== to) await mesh.cutOneWay(from, to)
      return `${from.host} to ${to.host}`
    },
  ),
  'replicas are cut from the manager in a failover': partition(async ({ mesh, manager, replicas }, dice, arena) => {
    await arena.primary().kill()
    await sleep(dice.between(0, SECOND))
    await mesh.part([manager], dice.next() < 0.5 ? [replicas[0]] : replicas)
    return 'after the death of the primary'
  }),
  'the primary flaps': partition(async ({ mesh, manager, primary, replicas }, dice) => {
    const times = dice.between(2, 5)
    for (let time = 0; time < times; time += 1) {
      await mesh.part([primary], [manager, ...replicas])
      await sleep(dice.between(100, 2 * SECOND))
      await mesh.heal()
      await sleep(dice.between(100, 2 * SECOND))
    }
    return `${times} times`
  }),
} as const satisfies Record<string, Fault>

export type PartitionName = keyof typeof table

export const partitions: Readonly<Record<PartitionName, Fault>> = table

export function partiesOf(arena: Arena): Parties {
  const { mesh, nodes } = arena
  const old = arena.primary()
  const placeOf = (node: Node | undefined) => (node ? mesh?.places[nodes.indexOf(node)] : undefined)
  const manager = mesh?.places[nodes.length]
  const [one, other] = nodes.filter((node) => node !== old).map(placeOf)
  const primary = placeOf(old)
  if (!mesh || !manager || !primary || !one || !other) throw new Error('the scene has no network of its own')
  return { mesh, manager, primary, replicas: [one, other] }
}
