// The table of faults: what may be done to a cluster, how often, and how it is done. Each answers what it did; what it
// takes away it gives back, at the latest when calm is asked for.
import { SECOND } from '../../lib/base/time.js'
import { openSession } from '../../lib/connect/sql/mysql2-session.js'
import type { SqlSession } from '../../lib/connect/sql/session.js'
import type { Node } from '../support/databases/node.js'
import type { GateMode } from '../support/machine/tcp-gate.js'
import { SWITCHOVER } from '../support/stories/switching.js'
import type { Arena } from './arena.js'
import { type CircumstanceName, circumstances } from './circumstances.js'
import { type CustomName, customs } from './customs.js'
import type { Dice } from './dice.js'
import { type DiskFaultName, diskFaults } from './disk-faults.js'
import type { Fault } from './fault.js'
import { type PartitionName, partitions } from './partitions.js'
import { type ScenarioName, scenarios } from './scenarios.js'

const CLUSTER = '/api/clusters/story'

const table = {
  'kill the primary': {
    weight: 6,
    act: async (arena, dice) => killAll(arena, dice, [arena.primary()]),
  },

  'kill a replica': {
    weight: 4,
    act: async (arena, dice) => killAll(arena, dice, [arena.replica(dice)]),
  },

  'kill the primary and a replica': {
    weight: 1,
    act: async (arena, dice) => killAll(arena, dice, [arena.primary(), arena.replica(dice)]),
  },

  'kill all': {
    weight: 1,
    act: async (arena, dice) => killAll(arena, dice, arena.nodes),
  },

  'hang a server': {
    weight: 6,
    act: async (arena, dice) => {
      const node = arena.victim(dice)
      const ms = dice.between(50, dice.pick([300, 3_000, 8_000]))
      node.pause()
      arena.later(ms, `${node.name} wakes up`, () => node.resume())
      return `${node.name} for ${ms} ms`
    },
  },

  'kill the manager': {
    weight: 4,
    act: async (arena, dice) => {
      const ms = dice.between(0, dice.pick([10, 1_000, 5_000]))
      const signal = dice.next() < 0.8 ? 'SIGKILL' : 'SIGTERM'
      await arena.endManager(signal)
      arena.later(ms, 'the manager is started', () => arena.startManager())
      return `${signal}, for ${ms} ms`
    },
  },

  'hang the manager': {
    weight: 2,
    act: async (arena, dice) => {
      const ms = dice.between(50, dice.pick([500, 5_000]))
      const seen = arena.blindfold()
      arena.cluster.manager.signal('SIGSTOP')
      arena.later(ms, 'the manager wakes up', () => {
        arena.cluster.manager.signal('SIGCONT')
        seen()
      })
      return `for ${ms} ms`
    },
  },

  'ask for a switchover': {
    weight: 5,
    act: async (arena, dice) => {
      const wanted = dice.next() < 0.5 ? arena.replica(dice) : undefined
      const body = wanted && { prefmaster: arena.addressOf(wanted) }
      arena.beside(`the switchover to ${wanted?.name ?? 'anybody'}`, async () => answerOf(arena, SWITCHOVER, body))
      return `to ${wanted?.name ?? 'anybody'}`
    },
  },

  'ask for a failover': {
    weight: 1,
    act: async (arena) => {
      arena.decided = true
      arena.beside('the failover', async () => answerOf(arena, `${CLUSTER}/actions/failover`))
      return 'by a person'
    },
  },

  'put into maintenance': {
    weight: 3,
    act: async (arena, dice) => {
      const node = arena.victim(dice)
      const ms = dice.between(100, 5_000)
      const act = (verb: string) => `${CLUSTER}/servers/${arena.addressOf(node)}/actions/${verb}-maintenance`
      const seen = arena.blindfold(node.name)
      arena.later(ms, `the maintenance of ${node.name} ends`, async () => {
        await arena.startManager()
        const answer = await answerOf(arena, act('del'))
        seen()
        return answer
      })
      return `${node.name} for ${ms} ms: ${await answerOf(arena, act('set'))}`
    },
  },

  'cut a server off': {
    weight: 5,
    needs: 'gates',
    act: async (arena, dice) => {
      const node = arena.victim(dice)
      const gate = arena.gates[arena.nodes.indexOf(node)]
      const mode = dice.pick<GateMode>(['refuse', 'reset', 'hang'])
      const ms = dice.between(20, dice.pick([500, 8_000]))
      const seen = arena.blindfold()
      await gate?.set(mode)
      arena.later(ms, `${node.name} is reached again`, async () => {
        await gate?.set('open')
        seen()
      })
      return `${node.name} for ${ms} ms (${mode})`
    },
  },

  'drop connections': {
    weight: 3,
    act: async (arena, dice) => {
      const node = arena.victim(dice)
      const user = dice.pick(['monitor', 'repl', 'writer'])
      await arena.hand(node, `KILL USER ${user}@'127.0.0.1'`)
      return `of ${user} on ${node.name}`
    },
  },

  'stop replication by hand': {
    weight: 3,
    act: async (arena, dice) => {
      const node = arena.replica(dice)
      const thread = dice.pick(['', ' IO_THREAD', ' SQL_THREAD'])
      await arena.hand(node, `STOP SLAVE${thread}`)
      const ms = dice.between(100, 6_000)
      arena.later(ms, `replication of ${node.name} is started by hand`, () => startByHand(arena, node))
      return `STOP SLAVE${thread} on ${node.name} for ${ms} ms`
    },
  },

  'reset replication by hand': {
    weight: 1,
    act: async (arena, dice) => {
      const node = arena.replica(dice)
      await arena.hand(node, 'STOP SLAVE; RESET SLAVE ALL')
      return `RESET SLAVE ALL on ${node.name}`
    },
  },

  'close the primary by hand': {
    weight: 1,
    act: async (arena, dice) => {
      const node = arena.primary()
      const ms = dice.between(100, 5_000)
      const reopen = async () => {
        await arena.startManager()
        if ((await arena.cluster.primary()) !== node) return 'not any more: its role has moved'
        // The one who closed it opens it again, though it was restarted meanwhile: closed, where its file says so.
        if (node.pid === 0) node.start(...arena.startArgs())
        await node.waitUp()
        await arena.hand(node, 'SET GLOBAL read_only=OFF')
        return ''
      }
      // A statement that waits for a lock may close it later, though the one who sent it has given up.
      await arena.hand(node, 'SET GLOBAL read_only=ON').finally(() => {
        arena.later(ms, `${node.name} is opened again by hand`, reopen)
      })
      return `${node.name} for ${ms} ms`
    },
  },

  'open a replica by hand': {
    weight: 1,
    act: async (arena, dice) => {
      const node = arena.replica(dice)
      arena.dirty = true
      await arena.hand(node, 'SET GLOBAL read_only=OFF')
      return node.name
    },
  },

  'hold a long transaction': {
    weight: 2,
    act: async (arena, dice) => {
      const node = arena.primary()
      const ms = dice.between(500, 8_000)
      const session = await clientOf(node)
      const row = `${dice.between(1, 1_000_000)}`
      await session.run('BEGIN; INSERT INTO spec.acknowledged VALUES (-1, ?)', [row], 5 * SECOND)
      arena.later(ms, `the long transaction on ${node.name} commits`, async () => {
        const done = await session.run('COMMIT', [], 10 * SECOND)
        session.close()
        return done.ok ? 'done' : done.failure.message
      })
      return `on ${node.name} for ${ms} ms`
    },
  },

  'lock a server': {
    weight: 2,
    act: async (arena, dice) => {
      const node = arena.victim(dice)
      const ms = dice.between(200, 6_000)
      const statement = dice.pick(['FLUSH TABLES WITH READ LOCK', 'LOCK TABLES spec.acknowledged WRITE'])
      const session = await arena.session(node)
      await session.run(statement, [], 5 * SECOND)
      arena.later(ms, `${node.name} is unlocked`, () => session.close())
      return `${statement} on ${node.name} for ${ms} ms`
    },
  },

  'fill a server': {
    weight: 2,
    act: async (arena, dice) => {
      const node = arena.victim(dice)
      const ms = dice.between(500, 6_000)
      const hogs: SqlSession[] = []
      for (let count = 0; count < 60; count += 1) {
        const hog = await openSession(loginOf(node))
        if (!hog.ok) break
        hogs.push(hog.value)
      }
      if (dice.next() < 0.5) await arena.hand(node, "KILL USER monitor@'127.0.0.1'")
      arena.later(ms, `${node.name} has room again`, () => {
        for (const hog of hogs) hog.close()
      })
      return `${node.name} with ${hogs.length} connections for ${ms} ms`
    },
  },
} as const satisfies Record<string, Fault>

export type FaultName =
  | keyof typeof table
  | ScenarioName
  | PartitionName
  | CircumstanceName
  | CustomName
  | DiskFaultName

export const faults: Readonly<Record<FaultName, Fault>> = {
  ...{ ...table, ...scenarios, ...partitions, ...circumstances, ...customs, ...diskFaults },
}

async function killAll(arena: Arena, dice: Dice, nodes: readonly Node[]): Promise<string> {
  await Promise.all(nodes.map((node) => arena.kill(node, dice)))
  return nodes.map(({ name }) => name).join(', ')
}

async function answerOf({ cluster }: Arena, target: string, body?: unknown): Promise<string> {
  const { status, body: text } = await cluster.manager.post(target, body)
  return `${status} ${text.slice(0, 160)}`
}

/** Whom the manager has given another source meanwhile replicates already. */
async function startByHand(arena: Arena, node: Node): Promise<string> {
  const [row] = await arena.hand(node, 'SHOW SLAVE STATUS')
  if (!row) return 'it has no source'
  await arena.hand(node, 'START SLAVE')
  return ''
}

const loginOf = (node: Node) => ({ ...node.target('root', SECOND), user: 'writer', password: 'writer' })

async function clientOf(node: Node): Promise<SqlSession> {
  const opened = await openSession(loginOf(node))
  if (!opened.ok) throw new Error(opened.failure.message)
  return opened.value
}
