// Circumstances of a fault: what is under way on the primary when it dies, a bad network, addresses that lead elsewhere.
import { SECOND, sleep } from '../../lib/base/time.js'
import type { Arena } from './arena.js'
import type { Dice } from './dice.js'
import type { Fault } from './fault.js'
import { partiesOf } from './partitions.js'

/** Rows of a statement that takes seconds to be written, and longer to be applied. */
const LARGE = 200_000

/** What a session of a person does, by its name; some end, some are still open when the server dies. */
const underWay = {
  'a large transaction': `CREATE TABLE IF NOT EXISTS spec.large (id INT, body CHAR(100));
    INSERT INTO spec.large SELECT seq, REPEAT('x', 100) FROM seq_1_to_${LARGE}`,
  'a change of a table': `CREATE TABLE IF NOT EXISTS spec.large (id INT, body CHAR(100));
    ALTER TABLE spec.large ADD COLUMN IF NOT EXISTS more CHAR(50) DEFAULT 'y', FORCE`,
  'a prepared transaction': `CREATE TABLE IF NOT EXISTS spec.prepared (id INT);
    XA START 'chaos'; INSERT INTO spec.prepared VALUES (1); XA END 'chaos'; XA PREPARE 'chaos'`,
  'a lock of its tables': 'LOCK TABLES spec.acknowledged READ; SELECT SLEEP(20)',
  'a lock of all its tables': 'FLUSH TABLES WITH READ LOCK; SELECT SLEEP(20)',
} as const

type UnderWay = keyof typeof underWay

const kinds = Object.keys(underWay) as [UnderWay, ...UnderWay[]]

const table = {
  'the primary dies in a statement': {
    weight: 0.5,
    act: async (arena, dice) => {
      const node = arena.primary()
      const kind = await begin(arena, dice)
      await arena.kill(node, dice)
      return `${node.name} in ${kind}`
    },
  },

  'the role moves in a statement': {
    weight: 0.5,
    act: async (arena, dice) => {
      const node = arena.primary()
      const kind = await begin(arena, dice)
      const { status } = await arena.cluster.manager.post('/api/clusters/story/actions/switchover')
      return `${status} from ${node.name} in ${kind}`
    },
  },

  'the binary log of the primary is deleted by hand': {
    weight: 0.2,
    act: async (arena) => {
      const node = arena.primary()
      await arena.hand(node, 'RESET MASTER')
      await sleep(3 * SECOND)
      return node.name
    },
  },

  'the network is slow': {
    weight: 1,
    needs: 'gates',
    act: async (arena, dice) => {
      const oneWayMs = dice.between(20, 350)
      const ms = dice.between(5 * SECOND, 15 * SECOND)
      await delay(arena, oneWayMs)
      if (dice.next() < 0.5) await arena.kill(arena.primary(), dice)
      await sleep(ms)
      await delay(arena, 0)
      return `${oneWayMs} ms each way for ${ms} ms`
    },
  },

  'two servers swap their addresses': {
    weight: 0.2,
    needs: 'gates',
    act: async (arena, dice) => {
      arena.dirty = true
      const [one, other] = [arena.primary(), arena.replica(dice)]
      const gates = [one, other].map((node) => arena.gates[arena.nodes.indexOf(node)])
      const seen = arena.blindfold()
      await gates[0]?.lead(other.port)
      await gates[1]?.lead(one.port)
      const ms = dice.between(3 * SECOND, 10 * SECOND)
      await sleep(ms)
      await gates[0]?.lead(one.port)
      await gates[1]?.lead(other.port)
      seen()
      return `${one.name} and ${other.name} for ${ms} ms`
    },
  },

  'packets are lost by chance': {
    weight: 1,
    needs: 'mesh',
    act: async (arena, dice) => {
      const { mesh, manager, primary, replicas } = partiesOf(arena)
      const all = [manager, primary, ...replicas]
      const share = dice.between(10, 60) / 100
      const ms = dice.between(4 * SECOND, 14 * SECOND)
      const seen = arena.blindfold()
      for (const from of all) for (const to of all) if (from !== to) await mesh.lose(from, to, share)
      if (dice.next() < 0.5) await arena.kill(arena.primary(), dice)
      await sleep(ms)
      await mesh.heal()
      seen()
      return `${Math.round(share * 100)} % for ${ms} ms`
    },
  },
} as const satisfies Record<string, Fault>

export type CircumstanceName = keyof typeof table

export const circumstances: Readonly<Record<CircumstanceName, Fault>> = table

/** A person's session on the primary, some way into what it does. */
async function begin(arena: Arena, dice: Dice): Promise<UnderWay> {
  const kind = dice.pick(kinds)
  const session = await arena.session(arena.primary())
  void session.run(underWay[kind], [], 30 * SECOND).then(() => session.close())
  await sleep(dice.between(20, 3 * SECOND))
  return kind
}

/** For connections that are opened from now on, so those of before are closed. */
async function delay(arena: Arena, oneWayMs: number): Promise<void> {
  for (const gate of arena.gates) {
    gate.delayMs = oneWayMs
    await gate.set('open')
  }
}
