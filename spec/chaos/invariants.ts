// What holds of a cluster after every episode, however it was treated. Each row answers what breaks it, a line each.
import { readFile } from 'node:fs/promises'
import { SECOND } from '../../lib/base/time.js'
import { parseJournal, unfinishedOf } from '../../lib/store/journal-entry.js'
import { caughtUp } from '../support/databases/database.js'
import type { Node } from '../support/databases/node.js'
import { writtenOn } from '../support/databases/writers.js'
import { journalFile } from '../support/stories/intact.js'
import { type CrashView, logLines, savedRows } from '../support/stories/story.js'
import type { Arena } from './arena.js'
import type { Overlap } from './sampler.js'
import { isError, type Settled } from './settle.js'

/** Of which the machine takes a part: the fence itself needs a tenth of it. */
const OVERLAP_MS = 2 * SECOND

type Invariant = (arena: Arena, settled: Settled) => Promise<readonly string[]> | readonly string[]

export const invariants: Readonly<Record<string, Invariant>> = {
  'the cluster is whole, or a finding reports why not': (_, { amiss, isReported }) => (isReported ? [] : amiss),

  'a whole cluster has no error': (_, { amiss, alerts }) =>
    amiss.length > 0 ? [] : alerts.filter(isError).map(({ number, desc }) => `${number} ${desc}`),

  'no acknowledged write is lost, unless it is kept and reported': lostWrites,

  'never two servers take writes': (arena, _) =>
    arena.sampler
      .overlaps(arena.episodeFrom)
      .map((overlap) => ({ ...overlap, ms: seenMs(overlap, arena) }))
      .filter(({ ms }) => ms > OVERLAP_MS)
      .map(({ nodes, ms }) => `${nodes.join(' and ')} for ${Math.round(ms)} ms`),

  'replicas are equal to the primary': async (_, { whole: [primary, ...replicas] }) => {
    if (!primary) return []
    const mine = await checksum(primary)
    const differing = replicas.map(async (node) => {
      await caughtUp(primary, node)
      const theirs = await checksum(node)
      return theirs === mine ? [] : [`${node.name} has ${theirs}, ${primary.name} ${mine}`]
    })
    return (await Promise.all(differing)).flat()
  },

  'no replica has a row that the primary is missing': async (_, { whole: [primary, ...replicas] }) => {
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

  'every operation has ended': async ({ cluster: { manager } }) => {
    const { entries } = parseJournal(await readFile(journalFile(manager), 'utf8'))
    const unfinished = unfinishedOf(entries)
    return unfinished ? [`${unfinished.head.id}: ${unfinished.head.reason}`] : []
  },
}

const checksum = async (node: Node): Promise<string> =>
  String((await node.sql('CHECKSUM TABLE spec.acknowledged'))[0]?.Checksum)

/** Without the time in which the manager could not be held to it. */
function seenMs({ from, until }: Overlap, { blind }: Arena): number {
  const edges = [from, until, ...blind.flatMap((span) => [span.from, span.until])]
    .filter((at) => at >= from && at <= until)
    .sort((one, other) => one - other)
  return edges.slice(1).reduce((sum, at, index) => {
    const start = edges[index] ?? at
    const isBlind = blind.some((span) => span.from <= start && span.until >= at)
    return isBlind ? sum : sum + at - start
  }, 0)
}

/** What the primary is missing must be on a server that is kept out, in its saved tail where that was a primary. */
async function lostWrites(arena: Arena, settled: Settled): Promise<readonly string[]> {
  const { cluster, nodes, writers } = arena
  const [primary] = settled.whole
  if (!primary) return []
  const missing = await writers.missingOn(primary)
  if (missing.length === 0) return []
  const out = nodes.filter((node) => !settled.whole.includes(node))
  const kept = new Set((await Promise.all(out.map(writtenOn))).flatMap((rows) => [...rows]))
  const saved = new Set((await Promise.all((await tails(arena)).map(savedRows))).flat())
  arena.note(`${missing.length} acknowledged writes are not on ${primary.name}; saved ${saved.size}`)
  const gone = missing.filter((row) => !kept.has(row) && !saved.has(row))
  const proven = logLines(cluster, 'every commit waited (AFTER_SYNC) for a replica')
  const promised = arena.scene.semiSync && !arena.dirty && proven.length > 0
  return [
    ...(gone.length > 0 ? [`no server holds ${gone.length} of them: ${gone.slice(0, 5).join(', ')}`] : []),
    ...(promised ? [`${missing.length} were lost although the reported loss was none: ${proven.at(-1)}`] : []),
    ...(settled.amiss.length === 0 && gone.length === 0 ? ['no finding reports them'] : []),
  ]
}

async function tails({ cluster }: Arena): Promise<readonly string[]> {
  const crashes = await cluster.manager.get<readonly CrashView[]>('/api/clusters/story/topology/crashes')
  return crashes.flatMap(({ TailFile }) => (TailFile ? [TailFile] : []))
}
