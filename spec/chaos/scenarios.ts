// Whole scenarios with a name: each is a row like a fault, but brings about one situation from its beginning to its end.
// What happens meanwhile, and how long, comes from the seed.
import { cp, readdir, readFile, rm, writeFile } from 'node:fs/promises'
import path from 'node:path'
import { SECOND, sleep } from '../../lib/base/time.js'
import type { Node } from '../support/databases/node.js'
import { copyTemplate } from '../support/databases/template.js'
import type { ManagerProcess } from '../support/manager/manager-process.js'
import { startSecondManager } from '../support/manager/second-manager.js'
import { moveByHand } from '../support/stories/by-hand.js'
import { journalFile } from '../support/stories/intact.js'
import { JournalWatch, latestOf } from '../support/stories/journal-watch.js'
import { SWITCHOVER } from '../support/stories/switching.js'
import { eventually } from '../support/wait.js'
import type { Arena } from './arena.js'
import type { Dice } from './dice.js'
import type { Fault } from './fault.js'

/** The journal of a failover has so many, about. */
const MOST_LINES = 16
const LONGEST_FAILOVER_MS = 15 * SECOND

/** A scenario is as long as an episode: among random faults it is rare. */
const scenario = (act: Fault['act']): Fault => ({ weight: 0.2, act })

const table = {
  'operator moves the primary while the manager is down': scenario(async (arena, dice) => {
    await arena.endManager()
    const moved = await replaceByHand(arena, dice)
    await arena.startManager()
    return moved
  }),

  'operator moves the primary while the manager is stopped': scenario((arena, dice) =>
    stopped(arena, async () => {
      const moved = await replaceByHand(arena, dice)
      await sleep(dice.between(0, 6 * SECOND))
      return moved
    }),
  ),

  'operator moves the primary while the manager is stopped in a switchover': scenario(async (arena, dice) => {
    const wanted = arena.replica(dice)
    arena.beside('the switchover', async () => {
      const { status } = await arena.cluster.manager.post(SWITCHOVER, { prefmaster: arena.addressOf(wanted) })
      return String(status)
    })
    await sleep(dice.between(5, 300))
    return stopped(arena, () => replaceByHand(arena, dice))
  }),

  'operator moves the primary while the manager is stopped in a failover': scenario(async (arena, dice) => {
    await arena.primary().kill()
    await sleep(dice.between(50, 600))
    return stopped(arena, async () => {
      const moved = await replaceByHand(arena, dice)
      await sleep(dice.between(0, 6 * SECOND))
      return moved
    })
  }),

  'operator promotes another server while the manager is stopped at a step of a failover': scenario(
    async (arena, dice) => {
      const { cluster } = arena
      const names = new Map((await cluster.servers()).map(({ id, host, port }) => [id, `${host}:${port}`]))
      const lines = dice.between(1, MOST_LINES)
      const seen = arena.blindfold()
      const stop = () => cluster.manager.signal('SIGSTOP')
      const watch = new JournalWatch(cluster, { kind: 'failover', when: ({ length }) => length >= lines }, stop)
      const old = arena.primary()
      try {
        await old.kill()
        await Promise.race([watch.reached, sleep(LONGEST_FAILOVER_MS)])
        stop()
        const [begin] = latestOf(cluster, 'failover')
        const chosen = begin?.type === 'begin' ? names.get(begin.plan.newPrimary ?? '') : undefined
        const step = `${lines} lines of the journal`
        const candidate = arena.nodes.find((node) => node !== old && arena.addressOf(node) === chosen)
        const to = arena.nodes.find((node) => node !== old && node !== candidate)
        if (!candidate || !to) return `nobody was chosen after ${step}`
        // Clients write to it: a person who promotes another server now gives that up.
        const [state] = await arena.hand(candidate, 'SELECT @@read_only AS closed')
        if (String(state?.closed) === '0') return `${candidate.name} was open after ${step}`
        await moveByHand({ to, followers: [candidate], semiSync: arena.scene.semiSync })
        await sleep(dice.between(0, 6 * SECOND))
        start(arena, old, '--read-only=ON')
        return `${to.name} in place of ${candidate.name} after ${step}`
      } finally {
        watch.close()
        cluster.manager.signal('SIGCONT')
        seen()
      }
    },
  ),

  'the manager is killed in a failover': scenario(async (arena, dice) => {
    const node = arena.primary()
    await node.kill()
    await sleep(dice.between(0, 800))
    await arena.endManager()
    if (dice.next() < 0.5) start(arena, node)
    await sleep(dice.between(0, 2 * SECOND))
    await arena.startManager()
    return node.name
  }),

  'the manager is stopped in a failover': scenario(async (arena, dice) => {
    const node = arena.primary()
    await node.kill()
    await sleep(dice.between(0, 800))
    return stopped(arena, async () => {
      await sleep(dice.between(SECOND, 10 * SECOND))
      return node.name
    })
  }),

  'the manager and the primary die at once': scenario(async (arena, dice) => {
    const node = arena.primary()
    await Promise.all([node.kill(), arena.endManager()])
    await sleep(dice.between(0, 3 * SECOND))
    if (dice.next() < 0.5) start(arena, node)
    await arena.startManager()
    return node.name
  }),

  'the journal is torn and the state file damaged in a failover': scenario(async (arena, dice) => {
    const { manager } = arena.cluster
    const node = arena.primary()
    await node.kill()
    await sleep(dice.between(0, 800))
    await arena.endManager()
    const journal = await readFile(journalFile(manager), 'utf8')
    await writeFile(journalFile(manager), journal.slice(0, Math.max(0, journal.length - dice.between(1, 300))))
    await writeFile(path.join(path.dirname(journalFile(manager)), 'state.json'), '{"version":1,"memory":{')
    await arena.startManager()
    return node.name
  }),

  'all servers die and come back in another order': scenario(async (arena, dice) => {
    const [primary, ...replicas] = [arena.primary(), ...arena.nodes.filter((node) => node !== arena.primary())]
    const order = dice.next() < 0.5 ? [...replicas, primary] : [replicas[0], primary, replicas[1]]
    await Promise.all(arena.nodes.map((node) => node.kill()))
    arena.outage = true
    for (const node of order) {
      if (node) start(arena, node)
      await sleep(dice.between(100, 3 * SECOND))
    }
    return order.map((node) => node?.name).join(', ')
  }),

  'both replicas die and a commit waits when the primary dies': scenario(async (arena, dice) => {
    const old = arena.primary()
    const replicas = arena.nodes.filter((node) => node !== old)
    await Promise.all(replicas.map((node) => node.kill()))
    await sleep(dice.between(SECOND, 4 * SECOND))
    await old.kill()
    const order = dice.next() < 0.5 ? [...replicas, old] : [old, ...replicas]
    for (const node of order) {
      start(arena, node)
      await sleep(dice.between(0, SECOND))
    }
    return order.map(({ name }) => name).join(', ')
  }),

  'a replica comes back empty': scenario(async (arena, dice) => {
    const node = arena.replica(dice)
    await node.kill()
    await empty(node)
    start(arena, node)
    return node.name
  }),

  'the primary comes back empty while the manager is away': scenario(async (arena) => {
    arena.dirty = true
    arena.destroyed = true
    const node = arena.primary()
    await arena.endManager()
    await node.kill()
    await empty(node)
    start(arena, node)
    await node.waitUp()
    await arena.startManager()
    return node.name
  }),

  'the primary comes back with old data': scenario(async (arena, dice) => {
    arena.dirty = true
    arena.destroyed = true
    const node = arena.primary()
    const away = dice.next() < 0.5
    const kept = path.join(node.dir, 'kept')
    await node.kill()
    await cp(path.join(node.dir, 'data'), kept, { recursive: true })
    start(arena, node)
    await node.waitUp()
    await sleep(dice.between(2 * SECOND, 5 * SECOND))
    if (away) await arena.endManager()
    await node.kill()
    await clear(path.join(node.dir, 'data'))
    await cp(kept, path.join(node.dir, 'data'), { recursive: true })
    await rm(kept, { recursive: true, force: true })
    start(arena, node)
    await node.waitUp()
    await arena.startManager()
    return `${node.name}${away ? ', the manager away' : ''}`
  }),

  'binary logs are purged while a replica is away': scenario(async (arena, dice) => {
    const node = arena.replica(dice)
    await node.kill()
    await sleep(SECOND)
    await arena.hand(arena.primary(), 'FLUSH BINARY LOGS')
    await sleep(SECOND)
    const [status] = await arena.hand(arena.primary(), 'SHOW MASTER STATUS')
    await arena.hand(arena.primary(), `PURGE BINARY LOGS TO '${String(status?.File)}'`)
    start(arena, node)
    return node.name
  }),

  'the primary dies under two managers': scenario((arena, dice) =>
    withSecond(arena, async () => {
      const node = arena.primary()
      await arena.kill(node, dice)
      await sleep(10 * SECOND)
      return node.name
    }),
  ),

  'the primary hangs under two managers': scenario((arena, dice) =>
    withSecond(arena, async () => {
      const node = arena.primary()
      node.pause()
      await sleep(dice.between(3 * SECOND, 9 * SECOND))
      node.resume()
      await sleep(5 * SECOND)
      return node.name
    }),
  ),

  'two managers switch over at once': scenario((arena) =>
    withSecond(arena, async (second) => {
      const [one, other] = arena.nodes.filter((node) => node !== arena.primary())
      const [first, next] = await Promise.all([
        arena.cluster.manager.post(SWITCHOVER, { prefmaster: one && arena.addressOf(one) }),
        second.post(SWITCHOVER, { prefmaster: other && arena.addressOf(other) }),
      ])
      await sleep(5 * SECOND)
      return `${first.status} and ${next.status}`
    }),
  ),
  'the manager that gives way is asked for a switchover': scenario((arena, dice) =>
    withSecond(arena, async (second) => {
      const { status } = await second.post(SWITCHOVER, { prefmaster: arena.addressOf(arena.replica(dice)) })
      await sleep(5 * SECOND)
      return `${status}`
    }),
  ),
} as const satisfies Record<string, Fault>

export type ScenarioName = keyof typeof table

export const scenarios: Readonly<Record<ScenarioName, Fault>> = table

/** The primary dies, an operator gives its role to a replica, and it comes back, closed or open. */
async function replaceByHand(arena: Arena, dice: Dice): Promise<string> {
  const old = arena.primary()
  const [to, ...followers] = arena.nodes.filter((node) => node !== old && node.pid > 0)
  if (!to) return 'there is no replica'
  await old.kill()
  await moveByHand({ to, followers, semiSync: arena.scene.semiSync })
  await sleep(dice.between(200, 2 * SECOND))
  const args = dice.next() < 0.5 ? ['--read-only=ON'] : ['--read-only=OFF']
  start(arena, old, ...args)
  await old.waitUp()
  return `${old.name} to ${to.name}, back with ${args.join()}`
}

function start(arena: Arena, node: Node, ...args: readonly string[]): void {
  if (node.pid === 0) node.start(...arena.startArgs(), ...args)
}

async function stopped(arena: Arena, work: () => Promise<string>): Promise<string> {
  const seen = arena.blindfold()
  arena.cluster.manager.signal('SIGSTOP')
  try {
    return await work()
  } finally {
    arena.cluster.manager.signal('SIGCONT')
    seen()
  }
}

async function empty(node: Node): Promise<void> {
  const data = path.join(node.dir, 'data')
  await clear(data)
  await rm(path.join(node.dir, 'init.sql'), { force: true })
  await copyTemplate(node.engine, data)
}

/** The directory itself may be a disk. */
async function clear(directory: string): Promise<void> {
  for (const name of await readdir(directory)) await rm(path.join(directory, name), { recursive: true, force: true })
}

async function withSecond(arena: Arena, work: (second: ManagerProcess) => Promise<string>): Promise<string> {
  const second = await startSecondManager(arena.cluster.manager)
  try {
    await eventually(async () => {
      const alerts = await second.get<{ errors: readonly { number: string }[] }>('/api/clusters/story/topology/alerts')
      return alerts.errors.some(({ number }) => number === 'ERR00022')
    }, 'the second manager gives way')
    return await work(second)
  } finally {
    await second.destroy()
  }
}
