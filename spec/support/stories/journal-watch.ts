// Follows the journal of a running manager closely enough to act at a chosen line of it.
import { existsSync, type FSWatcher, readFileSync, statSync, watch } from 'node:fs'
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

/** A manager that is watched, and the gates on its way to its servers, if there are any. */
export type Watched = Pick<ProtectedCluster, 'manager'> & Partial<Pick<ProtectedCluster, 'gates'>>

/**
 * Calls `then` when the next operation has come so far. Through gates the manager says nothing to any server between the line
 * of its journal and the call: what it does at that step has not begun. Without them it is called as soon as the line is seen,
 * and what the manager does meanwhile is a matter of milliseconds.
 */
export class JournalWatch {
  readonly reached: Promise<void>
  /** Whether the next operation has come so far, by the file: a moment later `reached` resolves. */
  readonly isDue: () => boolean
  readonly #gates: NonNullable<Watched['gates']>
  readonly #watcher: FSWatcher

  constructor(cluster: Watched, { kind, when }: Moment, then: () => void) {
    const before = latestOf(cluster, kind)[0]?.operation
    let reach: () => void = () => undefined
    this.reached = new Promise((resolve) => {
      reach = resolve
    })
    this.isDue = () => {
      const entries = latestOf(cluster, kind)
      return entries[0] !== undefined && entries[0].operation !== before && when(entries)
    }
    const file = journalFile(cluster.manager)
    let size = sizeOf(file)
    const look = () => {
      if (size === sizeOf(file)) return
      size = sizeOf(file)
      if (!this.isDue()) return
      this.close()
      then()
      reach()
    }
    this.#gates = cluster.gates ?? []
    for (const gate of this.#gates) gate.beforeBytes = look
    this.#watcher = watch(path.dirname(file), look)
  }

  close(): void {
    this.#watcher.close()
    for (const gate of this.#gates) gate.beforeBytes = () => undefined
  }
}

/** A journal grows: of the same size it is the same. */
const sizeOf = (file: string): number => statSync(file, { throwIfNoEntry: false })?.size ?? 0

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
