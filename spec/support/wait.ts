// The one way in which specs wait: for a state, which is asked for again and again, and for an event.
//
//   await eventually(() => seen.length === 3, 'three events')
//   const server = await eventually(() => find('db2'), 'db2 is listed')
//   await eventually(() => listens(port), 'it listens', { over: () => (ended ? `it ended: ${said}` : undefined) })
//   const [message] = await next(child, 'message', 'the ports of the child')
import { type EventEmitter, once } from 'node:events'
import { inspect } from 'node:util'
import { SECOND, sleep } from '../../lib/base/time.js'

/** How long is waited for what must come: longer than the slowest machine needs. No claim about the time it takes. */
export const PATIENCE_MS = 120 * SECOND

const EVERY_MS = 20
/** Who has waited long asks less often, at most so far apart: each question costs the manager and the spec a few milliseconds. */
const RARELY_MS = 100

export interface Waiting {
  /** Default: `PATIENCE_MS`. Another one where a promise of the product, or work that shows no progress, takes longer. */
  readonly limitMs?: number
  /** Default: 20 ms after the first question, 100 ms after the hundred and sixtieth. */
  readonly everyMs?: number
  /** A sign of progress: the time counts from its last change. */
  readonly progress?: () => unknown
  /** Why it can never come, once that is so: the wait fails at once, after one last question. */
  readonly over?: () => string | undefined
}

export type What = string | (() => string)

/** An answer that ends the wait. */
export type Met<T> = Exclude<T, false | 0 | 0n | '' | null | undefined>

/** A question that has an answer: one without could never be met, and does not compile. */
export type Ask<T> = (() => T | Promise<T>) & ([void] extends [T] ? never : [T] extends [undefined] ? never : unknown)

type Answer<T> = { readonly value: T } | { readonly error: unknown }

/**
 * Asks until the answer is true, and resolves with it. A throw counts as "not yet". What never comes fails with the last
 * error, and with the last answer where that is more than "no".
 */
export async function eventually<T>(ask: Ask<T>, what: What, waiting: Waiting = {}): Promise<Met<T>> {
  const { limitMs = PATIENCE_MS, everyMs, progress, over } = waiting
  const isOut = patience(limitMs, progress)
  let last: Partial<{ value: T; error: unknown }> = {}
  for (let asked = 1; ; asked += 1) {
    // Before the question: what came just before the end has come.
    const reason = over?.()
    const answer = await answerBefore(isOut, answerOf<T>(ask))
    if (answer && 'value' in answer && answer.value) return answer.value as Met<T>
    last = { ...last, ...answer }
    if (reason !== undefined || !answer || isOut()) {
      const why = reason === undefined ? `not within ${limitMs} ms` : `never, since ${reason}`
      const more = answer ? '' : '; the last question has no answer yet'
      throw new Error(`${why}: ${textOf(what)}${more}${describe(last)}`, { cause: last.error })
    }
    await sleep(everyMs ?? pauseAfter(asked))
  }
}

/** The arguments of the next event of this name, with the same patience; an `error` that comes first rejects. */
export async function next<Args extends readonly unknown[] = readonly unknown[]>(
  emitter: EventEmitter,
  event: string,
  what: What,
): Promise<Args> {
  const ending = new AbortController()
  const timer = setTimeout(() => ending.abort(), PATIENCE_MS)
  try {
    return (await once(emitter, event, { signal: ending.signal })) as readonly unknown[] as Args
  } catch (error) {
    if (!ending.signal.aborted) throw error
    throw new Error(`not within ${PATIENCE_MS} ms: ${textOf(what)}: no event "${event}"`)
  } finally {
    clearTimeout(timer)
  }
}

/** How long to wait with the next of so many questions. */
const pauseAfter = (asked: number): number => Math.min(RARELY_MS, EVERY_MS + asked / 2)

/** Whether so long has passed since the beginning, or since the last sign of progress. */
function patience(limitMs: number, progress: Waiting['progress']): () => boolean {
  let sign = progress?.()
  let since = performance.now()
  return () => {
    const now = progress?.()
    if (!isSame(now, sign)) since = performance.now()
    sign = now
    return performance.now() - since > limitMs
  }
}

const isSame = (one: unknown, other: unknown): boolean => one === other || JSON.stringify(one) === JSON.stringify(other)

async function answerOf<T>(ask: () => T | Promise<T>): Promise<Answer<T>> {
  try {
    return { value: await ask() }
  } catch (error) {
    return { error }
  }
}

/** The answer, unless the time is out before it comes. */
async function answerBefore<T>(isOut: () => boolean, asked: Promise<Answer<T>>): Promise<Answer<T> | undefined> {
  for (;;) {
    const answer = await within(asked, EVERY_MS)
    if (answer || isOut()) return answer
  }
}

/** What is promised, if it comes within `ms`. */
function within<T>(promised: Promise<T>, ms: number): Promise<T | undefined> {
  return new Promise((resolve) => {
    const timer = setTimeout(resolve, ms, undefined)
    void promised.then((value) => {
      clearTimeout(timer)
      resolve(value)
    })
  })
}

const textOf = (what: What): string => (typeof what === 'string' ? what : what())

/** The last error and the last answer, where there are any that say something. */
function describe(last: Partial<{ value: unknown; error: unknown }>): string {
  const { error, value } = last
  const failed = error === undefined ? '' : `; last error: ${error instanceof Error ? error.message : String(error)}`
  const saysMore = value !== undefined && value !== false
  return `${failed}${saysMore ? `; last value: ${inspect(value, { breakLength: Number.POSITIVE_INFINITY })}` : ''}`
}
