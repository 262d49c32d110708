// One run: a cluster, its episodes, and what they broke.
import { cp, lstat, mkdir, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { SECOND, sleep } from '../../lib/base/time.js'
import { begunIn } from '../support/stories/intact.js'
import { progress } from '../support/stories/story.js'
import { Arena } from './arena.js'
import { throwDice } from './dice.js'
import { faults } from './faults.js'
import { invariants } from './invariants.js'
import type { Script, Step } from './script.js'
import { type Settled, settle } from './settle.js'

/** Clients have written so many more when an episode counts as over. */
const WRITES = 20

export interface Outcome {
  readonly violations: readonly string[]
  /** How the episodes ended, a word or two each. */
  readonly endings: readonly string[]
  /** What was done, a line each. */
  readonly account: readonly string[]
  /** Where everything about a violation was kept. */
  readonly kept?: string
}

/** An episode that leaves a server out gets the next one a cluster of its own. */
export async function run(script: Script): Promise<Outcome> {
  const endings: string[] = []
  const account: string[] = []
  let arena: Arena | undefined
  try {
    for (const [index, steps] of script.episodes.entries()) {
      if (arena) arena.load()
      else {
        const opened = await Arena.open(script).catch((error: unknown) => String(error).split('\n')[0])
        // Nothing was done to it yet: what did not start in time is the machine's.
        if (typeof opened !== 'object')
          return { violations: [], endings: [...endings, `no cluster to begin with: ${opened}`], account }
        arena = opened
      }
      const noted = arena.account.length
      const { settled, violations } = await play(arena, steps)
      account.push(...arena.account.slice(noted))
      endings.push(`${endingOf(settled)} after ${await operationsOf(arena)}`)
      if (violations.length > 0) {
        const kept = await keep(arena, { script, violations, episode: index + 1 })
        return { violations, endings, account, kept }
      }
      if (settled.amiss.length === 0) continue
      await arena.close()
      arena = undefined
    }
    return { violations: [], endings, account }
  } finally {
    await arena?.close()
  }
}

async function play(arena: Arena, steps: readonly Step[]) {
  for (const { afterMs, fault, dice } of steps) {
    await sleep(afterMs)
    await arena.attempt(fault, () => faults[fault].act(arena, throwDice(dice)))
  }
  await sleep(throwDice(steps.at(-1)?.dice ?? '').between(0, 5 * SECOND))
  await arena.calm()
  const settled = await settle(arena)
  arena.note(settled.amiss.length === 0 ? `whole after ${Math.round(settled.tookMs)} ms` : settled.amiss.join('; '))
  const violations = [...(await writesAgain(arena, settled))]
  await arena.writers.stop()
  for (const [name, broken] of Object.entries(invariants))
    try {
      violations.push(...(await broken(arena, settled)).map((line) => `${name}: ${line}`))
    } catch (error) {
      violations.push(`${name}: ${error instanceof Error ? error.stack : String(error)}`)
    }
  return { settled, violations }
}

async function writesAgain({ writers }: Arena, { primary, whole }: Settled): Promise<readonly string[]> {
  // What is amiss of the primary itself is reported, or breaks an invariant.
  if (!primary || !whole.includes(primary)) return []
  try {
    await progress(writers, WRITES)
    return []
  } catch (error) {
    return [`clients write again: ${error instanceof Error ? error.message : String(error)}`]
  }
}

const endingOf = ({ amiss, alerts, tookMs }: Settled): string =>
  amiss.length === 0
    ? `whole in ${(tookMs / SECOND).toFixed(1)} s`
    : `${amiss.join(', ')} (${alerts.map(({ number }) => number).join(' ')})`

/** How often each kind of operation was begun since the cluster began. */
async function operationsOf({ cluster }: Arena): Promise<string> {
  const counts = new Map<string, number>()
  for (const kind of await begunIn(cluster).catch(() => [])) counts.set(kind, (counts.get(kind) ?? 0) + 1)
  return [...counts].map(([kind, count]) => `${count} ${kind}`).join(', ') || 'nothing'
}

interface Found {
  readonly script: Script
  readonly violations: readonly string[]
  readonly episode: number
}

/** The servers are stopped as they are, and everything is copied to a directory that stays. */
async function keep(arena: Arena, { script, violations, episode }: Found): Promise<string> {
  const directory = path.join(tmpdir(), `chaos-${script.seed}-${process.pid}`)
  await mkdir(directory, { recursive: true })
  const { manager } = arena.cluster
  const alerts = await manager.get('/api/clusters/story/topology/alerts').catch(String)
  const servers = await manager.get('/api/clusters/story/topology/servers').catch(String)
  await Promise.all(arena.nodes.map((node) => node.kill()))
  for (const node of arena.nodes)
    await cp(node.dir, path.join(directory, node.name), { recursive: true, filter: isFile })
  await cp(manager.directory, path.join(directory, 'manager'), { recursive: true, filter: isFile })
  const record = { seed: script.seed, script, episode, violations, account: arena.account, alerts, servers }
  await writeFile(path.join(directory, 'chaos.json'), `${JSON.stringify(record, null, 2)}\n`)
  process.stdout.write(`${arena.account.join('\n')}\n`)
  process.stdout.write(`${manager.log().split('\n').slice(-60).join('\n')}\n`)
  return directory
}

/** A socket cannot be copied. */
const isFile = async (name: string): Promise<boolean> => !(await lstat(name)).isSocket()
