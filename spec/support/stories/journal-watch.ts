// Follows the journal of a running manager closely enough to act at a chosen line of it.
import { existsSync, type FSWatcher, readFileSync, watch } from 'node:fs'
import path from 'node:path'
import type { OperationKind } from '../../../lib/model/operation/operation.js'
import { type JournalEntry, parseJournal } from '../../../lib/store/cluster/journal-entry.js'
import type { ProtectedCluster } from '../manager/protected-cluster.js'
import { journalFile } from './intact.js'

/** Entries of the latest operation (of a kind), its begin first; empty when there was none. */
export function latestOf(
  { manager }: Pick<ProtectedCluster, 'manager'>,
  kind?: OperationKind,
): readonly JournalEntry[] {
  const file = journalFile(manager)
  const { entries } = parseJournal(existsSync(file) ? readFileSync(file, 'utf8') : '')
  const begin = entries.findLastIndex(({ type, ...entry }) => {
    return type === 'begin' && (kind === undefined || ('head' in entry && entry.head.kind === kind))
  })
  return begin < 0 ? [] : entries.slice(begin).filter(({ operation }) => operation === entries[begin]?.operation)
}

export interface Moment {
  /** Any operation unless given. */
  readonly kind?: OperationKind
  /** Whether this is the moment, by the lines that the operation has. */
  readonly when: (entries: readonly JournalEntry[]) => boolean
}

/**
 * Calls `then` in the same turn in which it sees that the next operation has come so far. Nothing lies between the check
 * at the file and the call: what the manager does meanwhile is a matter of a millisecond.
 */
export class JournalWatch {
  readonly reached: Promise<void>
  /** Whether the next operation has come so far, by the file: a moment later `reached` resolves. */
  readonly isDue: () => boolean
  readonly #watcher: FSWatcher

  constructor(cluster: Pick<ProtectedCluster, 'manager'>, { kind, when }: Moment, then: () => void) {
    const before = latestOf(cluster, kind)[0]?.operation
    let reach: () => void = () => undefined
    this.reached = new Promise((resolve) => {
      reach = resolve
    })
    this.isDue = () => {
      const entries = latestOf(cluster, kind)
      return entries[0] !== undefined && entries[0].operation !== before && when(entries)
    }
    this.#watcher = watch(path.dirname(journalFile(cluster.manager)), () => {
      if (!this.isDue()) return
      this.close()
      then()
      reach()
    })
  }

  close(): void {
    this.#watcher.close()
  }
}

/**
 * How many lines the journal of an operation may have when it is cut: up to its begin, the last start of every group of
 * commands, its end. What lies between is written in one piece with what follows it.
 */
export function cutsOf(entries: readonly JournalEntry[]): readonly number[] {
  return entries.flatMap(({ type }, index) => {
    const isLast = entries[index + 1]?.type !== type
    return type !== 'settled' && isLast ? [index + 1] : []
  })
}
