// What holds of a cluster after every episode, however it was treated. Each row answers what breaks it, a line each.
import { existsSync } from 'node:fs'
import { readFile } from 'node:fs/promises'
import path from 'node:path'
import type { Row } from '../../lib/connect/sql/session.js'
import { parseJournal, unfinishedOf } from '../../lib/store/cluster/journal-entry.js'
import { caughtUp } from '../support/databases/database.js'
import type { Node } from '../support/databases/node.js'
import { type Writers, writtenOn } from '../support/databases/writers.js'
import { journalFile } from '../support/stories/intact.js'
import { type CrashView, logLines, savedRows } from '../support/stories/story.js'
import { eventually } from '../support/wait.js'
import type { Arena } from './arena.js'
import { judgeOverlap } from './overlap.js'
import { isError, type Settled } from './settle.js'

type Invariant = (arena: Arena, settled: Settled) => Promise<readonly string[]> | readonly string[]

export const invariants: Readonly<Record<string, Invariant>> = {
  'the cluster is whole, or a finding reports why not': (_, { amiss, isReported }) => (isReported ? [] : amiss),

  'a whole cluster has no error': (_, { amiss, alerts }) =>
    amiss.length > 0 ? [] : alerts.filter(isError).map(({ number, desc }) => `${number} ${desc}`),

  'no acknowledged write is lost, unless it is kept and reported': lostWrites,

  'the rows of a client are in the order in which they were acknowledged': async ({ dirty, writers }, { primary }) =>
    primary && !dirty ? disordered(writers, await primary.sql(ARRIVALS)) : [],

  'never two servers take writes': (arena, _) =>
    arena.sampler.overlaps(arena.episodeFrom).flatMap((overlap) => judgeOverlap(overlap, arena.blind) ?? []),

  'replicas are equal to the primary': async (_, settled) => {
    const { primary, replicas } = sound(settled)
    if (!primary) return []
    const mine = await checksum(primary)
    const differing = replicas.map(async (node) => {
      await caughtUp(primary, node)
      const theirs = await checksum(node)
      return theirs === mine ? [] : [`${node.name} has ${theirs}, ${primary.name} ${mine}`]
    })
    return (await Promise.all(differing)).flat()
  },

  'no replica has a row that the primary is missing': async (_, settled) => {
    const { primary, replicas } = sound(settled)
    if (!primary) return []
    const extra = async (node: Node) => {
      const theirs = await writtenOn(node)
      const mine = await writtenOn(primary)
      const rows = [...theirs].filter((row) => !mine.has(row))
      return rows.length === 0
        ? []
        : [`${node.name} has ${rows.length} rows of its own: ${rows.slice(0, 5).join(', ')}`]
    }
    return (await Promise.all(replicas.map(extra))).flat()
  },

  'the manager never crashed': ({ cluster: { manager } }) => [
    ...(manager.pid > 0 ? [] : ['it is gone']),
    ...manager
      .log()
      .split('\n')
      .filter((line) => /actor-crashed|[Uu]ncaught|[Uu]nhandled|(Type|Range|Reference)Error|"level":60/.test(line)),
  ],

  'every operation ends': async ({ cluster: { manager } }) => {
    const open = async () => unfinishedOf(parseJournal(await readFile(journalFile(manager), 'utf8')).entries)
    // One may have begun just now: a repair of what is no obstacle to being whole.
    const has = await eventually(async () => !(await open()), 'it ends').then(
      () => undefined,
      () => open(),
    )
    return has ? [`${has.head.id}: ${has.head.reason}`] : []
  },
}

/** What must be equal: a primary that is as it should be, and its replicas that are. */
const sound = ({ primary, whole }: Settled): { readonly primary?: Node; readonly replicas: readonly Node[] } =>
  primary && whole.includes(primary)
    ? { primary, replicas: whole.filter((node) => node !== primary) }
    : { replicas: [] }

const ARRIVALS = 'SELECT writer, entry, arrived FROM spec.acknowledged'

/** Per client, the first row that arrived before one that was acknowledged before it. */
function disordered({ acknowledged }: Writers, rows: readonly Row[]): readonly string[] {
  const arrivals = new Map(rows.map(({ writer, entry, arrived }) => [`${writer}/${entry}`, Number(arrived)]))
  const last = new Map<number, { readonly row: number; readonly arrived: number }>()
  const found = new Map<number, string>()
  for (const { writer, row } of acknowledged) {
    const arrived = arrivals.get(`${writer}/${row}`)
    if (arrived === undefined) continue
    const before = last.get(writer)
    if (before && before.arrived > arrived && !found.has(writer))
      found.set(writer, `${writer}/${row} (${arrived}) arrived before ${writer}/${before.row} (${before.arrived})`)
    last.set(writer, { row, arrived })
  }
  return [...found.values()]
}

const checksum = async (node: Node): Promise<string> =>
  String((await node.sql('CHECKSUM TABLE spec.acknowledged'))[0]?.Checksum)

/** What the primary is missing must be on a server that is kept out, in its saved tail where that was a primary. */
async function lostWrites(arena: Arena, settled: Settled): Promise<readonly string[]> {
  const { cluster, nodes, writers } = arena
  const { primary } = settled
  if (!primary) return []
  const missing = await writers.missingOn(primary)
  if (missing.length === 0) return []
  // Beside a primary that is amiss nothing is whole yet: every other server may keep them.
  const whole = settled.whole.includes(primary) ? settled.whole : [primary]
  const out = nodes.filter((node) => !whole.includes(node))
  const kept = new Set((await Promise.all(out.map(writtenOn))).flatMap((rows) => [...rows]))
  const saved = new Set((await Promise.all((await tails(arena)).map(savedIn))).flat())
  arena.note(`${missing.length} acknowledged writes are not on ${primary.name}; saved ${saved.size}`)
  const gone = missing.filter((row) => !kept.has(row) && !saved.has(row))
  // What earlier failovers said was about earlier writes.
  const said = (text: string) => logLines(cluster, text).filter((line) => saidAt(line) >= arena.begunAt)
  const proven = said('every commit waited (AFTER_SYNC) for a replica')
  const isDoubted = said('Transactions may be lost').length > 0
  const promised = arena.scene.semiSync && !arena.dirty && proven.length > 0 && !isDoubted
  // Without a replica that acknowledges, what the destroyed data alone held is nowhere; the report says that it may be.
  const isExpected = arena.destroyed && !arena.scene.semiSync && isDoubted
  const { policy } = arena.scene
  // Nobody but a person, and no outage of all servers, may break the word of the policy.
  const isHeld = !arena.dirty && !arena.decided && !arena.outage
  const isLossless = policy === 'lossless' && isHeld
  const isSemiSync = policy === 'semi-sync' && isHeld && !nodes.some(fellBack)
  return [
    ...(gone.length > 0 && !isExpected
      ? [`no server holds ${gone.length} of them: ${gone.slice(0, 5).join(', ')}`]
      : []),
    ...(promised ? [`${missing.length} were lost although the reported loss was none: ${proven.at(-1)}`] : []),
    ...(isLossless ? [`${missing.length} are not on the primary of a lossless cluster: ${missing.slice(0, 5)}`] : []),
    ...(isSemiSync
      ? [`${missing.length} are not on the primary of a semi-sync cluster that never fell back: ${missing.slice(0, 5)}`]
      : []),
    ...(settled.amiss.length === 0 && gone.length === 0 ? ['no finding reports them'] : []),
  ]
}

const saidAt = (line: string): number => Date.parse(/"time":"([^"]+)"/.exec(line)?.[1] ?? '')

/** As a primary it acknowledged alone, after its semi-sync timeout, at any time since the cluster began. */
const fellBack = (node: Node): boolean => node.log().includes('Semi-sync replication switched OFF')

/** Where the log could only be listed there are no rows: then the server itself must hold them. */
const savedIn = (directory: string): Promise<readonly string[]> =>
  existsSync(path.join(directory, 'tail.sql')) ? savedRows(directory) : Promise.resolve([])

async function tails({ cluster }: Arena): Promise<readonly string[]> {
  const crashes = await cluster.manager.get<readonly CrashView[]>('/api/clusters/story/topology/crashes')
  return crashes.flatMap(({ TailFile }) => (TailFile ? [TailFile] : []))
}
