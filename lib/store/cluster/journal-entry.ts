// The lines of a cluster's journal: what an operation was about to do, what it did, and how it ended. Plain JSON.
import type { Crash } from '../../model/operation/crash.js'
import type { Operation, OperationStep, Plan } from '../../model/operation/operation.js'
import { parseObject } from '../kit/state-file.js'

interface Line {
  /** Id of the operation. */
  readonly operation: string
  readonly at: number
}

/** An operation begins: written and on disk before its first command. */
export interface BeginEntry extends Line {
  readonly type: 'begin'
  readonly head: Omit<Operation, 'steps'>
  readonly plan: Plan
}

/** A command, by its index in the plan's `commands` or `undo`, is about to be performed. */
export interface StartedEntry extends Line {
  readonly type: 'started'
  readonly list: 'commands' | 'undo'
  readonly index: number
}

export interface SettledEntry extends Line {
  readonly type: 'settled'
  readonly list: 'commands' | 'undo'
  readonly index: number
  readonly state: OperationStep['state'] & ('done' | 'failed' | 'skipped')
  readonly tookMs: number
  readonly message?: string
}

/** From here on the plan is being undone. */
export interface UndoEntry extends Line {
  readonly type: 'undo'
  readonly reason: string
}

export interface EndEntry extends Line {
  readonly type: 'end'
  readonly result: Operation
}

export type JournalEntry = BeginEntry | StartedEntry | SettledEntry | UndoEntry | EndEntry

/** One operation without a written end: the manager stopped during it. */
export interface Unfinished {
  readonly head: Omit<Operation, 'steps'>
  readonly plan: Plan
  /** Everything written after its begin, in order. */
  readonly entries: readonly JournalEntry[]
}

const types: ReadonlySet<unknown> = new Set<JournalEntry['type']>(['begin', 'started', 'settled', 'undo', 'end'])

export const renderEntry = (entry: JournalEntry): string => `${JSON.stringify(entry)}\n`

/** The command `reprobe` in journals of version 0.1 and before. */
const FORMER_REPROBE = '"type":"look-again"'

/** The entry of a line, or undefined for a torn or foreign one. */
function parseEntry(line: string): JournalEntry | undefined {
  const value = parseObject(line.replaceAll(FORMER_REPROBE, '"type":"reprobe"'))
  if (!value || !types.has(value.type) || typeof value.operation !== 'string') return undefined
  return value as unknown as JournalEntry
}

export interface JournalReading {
  readonly entries: readonly JournalEntry[]
  /** Lines that could not be read; a torn last line is expected after a crash, others are damage. */
  readonly unreadable: number
}

export function parseJournal(text: string): JournalReading {
  const lines = text.split('\n').filter((line) => line !== '')
  const entries = lines.map(parseEntry).filter((entry) => entry !== undefined)
  return { entries, unreadable: lines.length - entries.length }
}

/** The latest operation when it has no end. Earlier ones without an end were settled by later ones. */
export function unfinishedOf(entries: readonly JournalEntry[]): Unfinished | undefined {
  const begin = entries.findLast((entry) => entry.type === 'begin')
  if (begin?.type !== 'begin') return undefined
  const own = entries.slice(entries.lastIndexOf(begin) + 1).filter(({ operation }) => operation === begin.operation)
  if (own.some(({ type }) => type === 'end')) return undefined
  return { head: begin.head, plan: begin.plan, entries: own }
}

/** An operation that has ended, with the crash record of its plan. */
export interface Ended {
  readonly operation: Operation
  readonly crash?: Crash
}

/** Ended operations, oldest first. */
export function endedOperations(entries: readonly JournalEntry[]): readonly Ended[] {
  const plans = new Map(entries.flatMap((entry) => (entry.type === 'begin' ? [[entry.operation, entry.plan]] : [])))
  return entries.flatMap((entry): Ended[] => {
    if (entry.type !== 'end') return []
    const crash = plans.get(entry.operation)?.crash
    return [{ operation: entry.result, ...(crash ? { crash } : {}) }]
  })
}

/** Closes the journal of an abandoned operation: found after a restart, settled by something else. */
export function abandoned({ head, plan, entries }: Unfinished, at: number): EndEntry {
  const message = 'the manager was restarted meanwhile'
  const steps = plan.commands.map((command, index): OperationStep => {
    const last = entries.findLast((entry) => 'index' in entry && entry.list === 'commands' && entry.index === index)
    if (last?.type === 'settled') return { command, state: last.state, tookMs: last.tookMs }
    return last ? { command, state: 'failed', message } : { command, state: 'skipped' }
  })
  const result: Operation = { ...head, steps, phase: 'failed', failure: 'actor-gone', message, endedAt: at }
  return { type: 'end', operation: head.id, at, result }
}
