// What every story ends with: nothing acknowledged is lost, one server takes writes, all others are its equals.
import { readFile } from 'node:fs/promises'
import path from 'node:path'
import { expect } from 'chai'
import type { Operation } from '../../../lib/model/operation/operation.js'
import { type JournalEntry, parseJournal } from '../../../lib/store/cluster/journal-entry.js'
import type { Node } from '../databases/database.js'
import type { Writers } from '../databases/writers.js'
import type { ProtectedCluster } from '../manager/protected-cluster.js'
import { expectWhole } from './story.js'

export interface Afterwards {
  readonly primary: Node
  /** Stopped by then. */
  readonly writers: Writers
  /** Default: all nodes. */
  readonly living?: readonly Node[]
}

export async function expectIntact(cluster: ProtectedCluster, afterwards: Afterwards): Promise<void> {
  const { primary, writers, living = cluster.nodes } = afterwards
  if (living.length === cluster.nodes.length) await expectWhole(cluster, primary)
  else await cluster.convergesOn(primary, living)
  expect(await writers.missingOn(primary), 'acknowledged writes that are missing').to.deep.equal([])
}

/** The journal of the story's cluster as it is on disk. */
export async function journalOf({ manager }: ProtectedCluster): Promise<readonly JournalEntry[]> {
  const text = await readFile(journalFile(manager), 'utf8')
  return parseJournal(text).entries
}

export const journalFile = ({ dataDirectory }: ProtectedCluster['manager']): string =>
  path.join(dataDirectory, 'story', 'journal.jsonl')

/** Kinds of the operations that were ever begun, in order. */
export async function begunIn(cluster: ProtectedCluster): Promise<readonly Operation['kind'][]> {
  return (await journalOf(cluster)).flatMap((entry) => (entry.type === 'begin' ? [entry.head.kind] : []))
}

/** Kind and outcome of every operation that has ended. */
export async function endedIn(cluster: ProtectedCluster): Promise<readonly string[]> {
  const entries = await journalOf(cluster)
  const kinds = new Map(
    entries.flatMap((entry) => (entry.type === 'begin' ? [[entry.operation, entry.head.kind]] : [])),
  )
  return entries.flatMap((entry) =>
    entry.type === 'end' ? [`${kinds.get(entry.operation)} ${entry.result.phase}`] : [],
  )
}

/** Whether a manager that starts now would know who the primary is. */
export async function hasSavedPrimary({ manager }: ProtectedCluster): Promise<boolean> {
  const text = await readFile(path.join(manager.dataDirectory, 'story', 'state.json'), 'utf8').catch(() => '{}')
  const { value } = JSON.parse(text) as { readonly value?: { readonly memory: { readonly primary?: string } } }
  return value?.memory.primary !== undefined
}
