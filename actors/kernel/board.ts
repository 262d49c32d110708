// The words an actor shares with the main thread: its generation, role flags and the latest answer per server slot, a version per view.
import { steadyNow } from '../../lib/base/time.js'
import { MAX_SLOTS } from '../protocol/actor.js'

const GENERATION = 0
const FLAGS = 1
const ANSWERS = FLAGS + MAX_SLOTS
const VERSIONS = ANSWERS + MAX_SLOTS

/** A board for `views` views, all words 0. It belongs to the actor's name, not to one life: readers keep it over restarts. */
export const createBoard = (views: number): SharedArrayBuffer =>
  new SharedArrayBuffer((VERSIONS + views) * Int32Array.BYTES_PER_ELEMENT)

export const boardWords = (board: SharedArrayBuffer): Int32Array => new Int32Array(board)

/** Flags of earlier lives are invalid for this one: its slots may be other servers. */
export function beginLife(words: Int32Array, generation: number): void {
  clearFlags(words)
  Atomics.store(words, GENERATION, generation)
}

export const readGeneration = (words: Int32Array): number => Atomics.load(words, GENERATION)

export function clearFlags(words: Int32Array): void {
  for (let slot = 0; slot < MAX_SLOTS; slot += 1) {
    Atomics.store(words, FLAGS + slot, 0)
    Atomics.store(words, ANSWERS + slot, 0)
  }
}

/** Slots outside the board are not kept. */
export function writeFlags(words: Int32Array, slot: number, flags: number): void {
  if (isSlot(slot)) Atomics.store(words, FLAGS + slot, flags)
}

/** 0 for a slot that was never written. */
export const readFlags = (words: Int32Array, slot: number): number =>
  isSlot(slot) ? Atomics.load(words, FLAGS + slot) : 0

/** When a probe began that was answered. Written after the flags and read before them: they are never older than it. */
export function writeAnswer(words: Int32Array, slot: number, agoMs: number): void {
  // An odd number of milliseconds: 0 is no answer.
  if (isSlot(slot)) Atomics.store(words, ANSWERS + slot, Math.floor(steadyNow() - agoMs) | 1)
}

/** How long ago, milliseconds; undefined without an answer. Counts up to 49 days. */
export function readAnswerAge(words: Int32Array, slot: number): number | undefined {
  const word = isSlot(slot) ? Atomics.load(words, ANSWERS + slot) : 0
  return word === 0 ? undefined : (Math.ceil(steadyNow()) + 1 - word) >>> 0
}

/** Wraps around after 2^32 changes; compare with `atLeast`. */
export const raiseVersion = (words: Int32Array, view: number): number => Atomics.add(words, VERSIONS + view, 1)

export const readVersion = (words: Int32Array, view: number): number => Atomics.load(words, VERSIONS + view)

/** Whether version `a` is `b` or later. */
export const atLeast = (a: number, b: number): boolean => ((a - b) | 0) >= 0

const isSlot = (slot: number): boolean => Number.isInteger(slot) && slot >= 0 && slot < MAX_SLOTS
