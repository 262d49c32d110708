// What the actors of the kernel's specs understand: good manners, and every way to misbehave.
import type { ClusterEvent } from '../../../lib/model/event.js'

export type Misdeed =
  /** Throws inside `receive`. */
  | 'throw'
  /** Rejects a promise that is not awaited. */
  | 'reject'
  /** Throws in a timer, after `receive` has answered. */
  | 'late-throw'
  /** Never returns from `receive`. */
  | 'loop'
  /** Never returns from a timer: nothing shows whose it is. */
  | 'late-loop'
  /** Ends the thread. */
  | 'exit'
  /** Fills the heap. */
  | 'grow'

/** Its flags in slot 0 while it loops. */
export const LOOPS = 1
/** The same once it has stopped. */
export const STOPPED = 2

export type SubjectProtocol = {
  /** How often it was asked in this life. */
  count: { in: object; out: number }
  echo: { in: unknown; out: unknown }
  init: { in: object; out: unknown }
  /** Answers after so many milliseconds. */
  slow: { in: { ms: number }; out: void }
  never: { in: object; out: void }
  misbehave: { in: { how: Misdeed }; out: void }
  /** Sets the bytes of the view `text`, and says that it changed. */
  publish: { in: { text: string }; out: void }
  /** How often the view was rendered in this life. */
  rendered: { in: object; out: number }
  flag: { in: { slot: number; flags: number }; out: void }
  emit: { in: { events: readonly ClusterEvent[] }; out: void }
  /** Blocks the thread for so many milliseconds; it takes no processor. */
  block: { in: { ms: number }; out: void }
  /** Sets its flags in slot 0, and blocks the thread until the gate is open. */
  pass: { in: { gate: Int32Array; flags: number }; out: void }
  lateness: { in: { windowMs: number }; out: number }
  /** An answer that cannot cross threads. */
  unclonable: { in: object; out: unknown }
}

/** A word that threads share. */
export const closedGate = (): Int32Array => new Int32Array(new SharedArrayBuffer(Int32Array.BYTES_PER_ELEMENT))

export function open(gate: Int32Array): void {
  Atomics.store(gate, 0, 1)
  Atomics.notify(gate, 0)
}

export interface SubjectInit {
  /** `throw`: the factory fails; `hang`: it never finishes. */
  readonly start?: 'throw' | 'hang'
  /** What it does of its own accord, in a timer, in each of its lives. */
  readonly habit?: Misdeed
  /** Milliseconds `stop` takes. */
  readonly stopMs?: number
  readonly note?: string
}

export const subjectViews = ['text'] as const
