// What people and programs do to their servers every day, at the moment when the role must move: events of the scheduler, locks of
// backups, defaults of sessions, limits of accounts.
import { SECOND, sleep } from '../../lib/base/time.js'
import type { Node } from '../support/databases/node.js'
import { SWITCHOVER } from '../support/stories/switching.js'
import type { Arena } from './arena.js'
import type { Dice } from './dice.js'
import type { Fault } from './fault.js'

/** A custom is kept while the role moves, and is given up in so many milliseconds. */
const custom = (begin: (arena: Arena, dice: Dice) => Promise<Kept>): Fault => ({
  weight: 0.4,
  act: async (arena, dice) => {
    const { what, end } = await begin(arena, dice)
    const ms = dice.between(2 * SECOND, 10 * SECOND)
    arena.later(ms, `no longer ${what}`, end)
    await sleep(dice.between(0, SECOND))
    return `${what} for ${ms} ms: ${await moveRole(arena, dice)}`
  },
})

interface Kept {
  readonly what: string
  readonly end: () => Promise<unknown> | unknown
}

const EVENT = `CREATE TABLE IF NOT EXISTS spec.ticks (id INT AUTO_INCREMENT PRIMARY KEY);
  CREATE OR REPLACE EVENT spec.tick ON SCHEDULE EVERY 1 SECOND DO INSERT INTO spec.ticks VALUES ()`

/** How backups keep a server from changing. */
const locks = ['FLUSH TABLES WITH READ LOCK', 'BACKUP STAGE START; BACKUP STAGE BLOCK_COMMIT'] as const

/** Global variables that hurt each session that begins, with the worst value and what they are set back to. */
const defaults = {
  tx_read_only: ['ON', 'OFF'],
  max_statement_time: ['1', '0'],
  init_connect: ["'SELECT * FROM nothing.here'", "''"],
  max_join_size: ['1', 'DEFAULT'],
  sql_select_limit: ['0', 'DEFAULT'],
} as const

type Default = keyof typeof defaults

const names = Object.keys(defaults) as [Default, ...Default[]]

const table = {
  'an event of root writes while the role moves': custom(async (arena) => {
    const node = arena.primary()
    for (const each of arena.nodes) await arena.hand(each, 'SET GLOBAL event_scheduler=ON')
    await arena.hand(node, EVENT)
    return {
      what: `an event on ${node.name}`,
      end: async () => {
        await arena.startManager()
        await arena.hand(await arena.cluster.primary(), 'DROP EVENT IF EXISTS spec.tick')
      },
    }
  }),

  'a backup holds a lock on both replicas while the role moves': custom(async (arena, dice) => {
    const old = arena.primary()
    const statement = dice.pick(locks)
    const replicas = arena.nodes.filter((node) => node !== old)
    const sessions = await Promise.all(replicas.map((node) => arena.session(node)))
    for (const session of sessions) await session.run(statement, [], 5 * SECOND)
    return {
      what: `${statement} on ${replicas.map(({ name }) => name).join(' and ')}`,
      end: () => {
        for (const session of sessions) session.close()
      },
    }
  }),

  'a default of sessions hurts while the role moves': custom(async (arena, dice) => {
    const name = dice.pick(names)
    const [worst, usual] = defaults[name]
    const set = async (value: string) => {
      const answers = await Promise.allSettled(
        arena.nodes.map((node) => arena.hand(node, `SET GLOBAL ${name}=${value}`)),
      )
      return answers.flatMap(({ status }, index) => (status === 'rejected' ? [arena.nodes[index]?.name] : [])).join()
    }
    await set(worst)
    return { what: `${name}=${worst}`, end: () => set(usual) }
  }),

  'the account of the manager is at its limit while the role moves': custom(async (arena, dice) => {
    const limit = dice.between(1, 3)
    for (const node of arena.nodes) await limitAccount(arena, node, limit)
    return {
      what: `a limit of ${limit} sessions`,
      // A server that is dead has the limit in its files.
      end: async () => {
        for (const node of arena.nodes) {
          if (node.pid === 0) node.start(...arena.startArgs())
          await node.waitUp()
          await limitAccount(arena, node, 0)
        }
      },
    }
  }),
} as const satisfies Record<string, Fault>

export type CustomName = keyof typeof table

export const customs: Readonly<Record<CustomName, Fault>> = table

/** On one server alone, outside its binary log; 0: without a limit. */
async function limitAccount(arena: Arena, node: Node, most: number): Promise<void> {
  const [account] = await arena.hand(node, ACCOUNT)
  await arena.hand(
    node,
    `SET SESSION sql_log_bin=0; ALTER USER ${String(account?.name)} WITH MAX_USER_CONNECTIONS ${most}`,
  )
}

const ACCOUNT = "SELECT CONCAT(QUOTE(User), '@', QUOTE(Host)) AS name FROM mysql.user WHERE User='monitor' LIMIT 1"

/** By a death or by a request. */
async function moveRole(arena: Arena, dice: Dice): Promise<string> {
  if (dice.next() < 0.5) {
    await arena.kill(arena.primary(), dice)
    return 'the primary dies'
  }
  const { status, body } = await arena.cluster.manager.post(SWITCHOVER)
  return `switchover ${status} ${body.slice(0, 120)}`
}
