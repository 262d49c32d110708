// What is known of the alerts of one cluster: what is open, what receivers know of it, what happened meanwhile. Pure.
import { SECOND } from '../../base/time.js'
import type { Acknowledgement, AlertCondition, StateChange } from '../../model/alert.js'

/** What receivers know of a condition. Kept over restarts. */
export interface Notified {
  readonly open: boolean
  /** When they were last notified of it. */
  readonly at: number
  /** When they were notified that it opened, the latest times. */
  readonly opens?: readonly number[]
  readonly escalatedAt?: number
}

export interface OpenCondition extends AlertCondition {
  readonly since: number
}

/** One line of what happened. */
export interface StoryLine {
  readonly at: number
  readonly text: string
}

/** A failover, or another operation that failed, that has ended since the last message. */
export interface EndedOperation {
  readonly kind: string
  readonly succeeded: boolean
  readonly text: string
  /** Names; absent when unknown. */
  readonly oldPrimary?: string
  readonly newPrimary?: string
}

export interface Book {
  readonly cluster: string
  readonly conditions: ReadonlyMap<string, OpenCondition>
  readonly notified: Readonly<Record<string, Notified>>
  readonly acknowledged: Readonly<Record<string, Acknowledgement>>
  /** How often a condition that receivers know opened again since they were notified. */
  readonly reopened: Readonly<Record<string, number>>
  /** Codes that were open, for a moment at least, since the last message. */
  readonly raised: readonly string[]
  readonly story: readonly StoryLine[]
  readonly losses: readonly string[]
  readonly ended: readonly EndedOperation[]
  readonly states: readonly StateChange[]
  /** The operation that is running: what it causes is not reported before its end. */
  readonly operation?: { readonly id: string; readonly kind: string; readonly since: number }
  readonly changedAt: number
  readonly firstChangeAt?: number
  /** That a condition closed counts from then on: before, an actor that starts may not have found it yet. */
  readonly trustedAt: number
}

export const emptyBook = (cluster: string, now: number): Book => ({
  cluster,
  conditions: new Map(),
  ...{ notified: {}, acknowledged: {}, reopened: {} },
  ...{ raised: [], story: [], losses: [], ended: [], states: [] },
  changedAt: now,
  trustedAt: now + TRUST_MS,
})

/** How long an actor that started may take to find again what was open. */
const TRUST_MS = 30 * SECOND

/** Lines kept of what happened before a message. */
const STORY = 40

/** The actor of the cluster was started again. */
export const noteRestart = (book: Book, now: number): Book => ({ ...book, trustedAt: now + TRUST_MS })

/** The conditions as they are now. */
export function noteConditions(book: Book, conditions: readonly AlertCondition[], now: number): Book {
  const open = new Map(conditions.map((each) => [each.key, each]))
  const opened = conditions.filter(({ key }) => !book.conditions.has(key))
  const closed = [...book.conditions.keys()].filter((key) => !open.has(key))
  const next = new Map(
    conditions.map((each) => [each.key, { ...each, since: book.conditions.get(each.key)?.since ?? now }]),
  )
  if (opened.length === 0 && closed.length === 0) return { ...book, conditions: next }
  const again = opened.filter(({ key }) => book.notified[key] !== undefined)
  return {
    ...changed(book, now),
    conditions: next,
    acknowledged: without(book.acknowledged, closed),
    reopened: { ...book.reopened, ...Object.fromEntries(again.map(({ key }) => [key, (book.reopened[key] ?? 0) + 1])) },
    raised: [...new Set([...book.raised, ...opened.map(({ code }) => code)])],
  }
}

export const noteLine = (book: Book, line: StoryLine): Book => ({ ...book, story: [...book.story, line].slice(-STORY) })

export const noteLoss = (book: Book, text: string): Book => ({ ...book, losses: [...book.losses, text].slice(-STORY) })

export const noteState = (book: Book, state: StateChange): Book => ({
  ...book,
  states: [...book.states, state].slice(-500),
})

export const noteBegin = (
  book: Book,
  operation: { readonly id: string; readonly kind: string },
  now: number,
): Book => ({
  ...changed(book, now),
  operation: { ...operation, since: now },
})

/** `reported`: the operation itself is an alert. */
export function noteEnd(book: Book, { id, reported }: { id: string; reported?: EndedOperation }, now: number): Book {
  const { operation, ...rest } = book
  const free = operation && operation.id !== id ? book : rest
  // What had to wait for the operation begins to count with its end.
  return {
    ...free,
    changedAt: now,
    firstChangeAt: now,
    ended: reported ? [...book.ended, reported].slice(-STORY) : book.ended,
  }
}

/** Without what happened, which nobody is notified of. */
export function forgetStory({ firstChangeAt: _, ...book }: Book): Book {
  return { ...book, raised: [], story: [], losses: [], ended: [], states: [] }
}

export const acknowledge = (
  book: Book,
  keys: readonly string[],
  acknowledgement: Acknowledgement | undefined,
): Book => ({
  ...book,
  acknowledged: acknowledgement
    ? { ...book.acknowledged, ...Object.fromEntries(keys.map((key) => [key, acknowledgement])) }
    : without(book.acknowledged, keys),
})

const changed = (book: Book, now: number): Book => ({
  ...book,
  changedAt: now,
  firstChangeAt: book.firstChangeAt ?? now,
})

const without = <T>(record: Readonly<Record<string, T>>, keys: readonly string[]): Readonly<Record<string, T>> =>
  keys.some((key) => key in record)
    ? Object.fromEntries(Object.entries(record).filter(([key]) => !keys.includes(key)))
    : record
