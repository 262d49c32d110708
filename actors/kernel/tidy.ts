// Gives memory back: a burst of work leaves a heap of half-empty pages, which the engine keeps while it is busy.
import { getHeapStatistics, setFlagsFromString } from 'node:v8'
import { runInNewContext } from 'node:vm'
import { MINUTE, now, SECOND } from '../../lib/base/time.js'

const MEGABYTE = 1 << 20
/** How often the heap is checked. */
const LOOK_MS = 10 * SECOND
/** After the start of a thread, and between two collections: each stops the thread for a tenth of a second or two. */
const FIRST_MS = 30 * SECOND
const REST_MS = MINUTE
/** Idle memory that is not worth a collection: this much, and this share of what is used. */
const IDLE_BYTES = 12 * MEGABYTE
const IDLE_SHARE = 0.17

export interface HeapFigures {
  /** Bytes of memory that the heap holds, and those of them that objects take up, garbage included. */
  readonly heldBytes: number
  readonly usedBytes: number
}

/** Whether so much of the heap is idle that compacting the rest is worthwhile. */
export const isWasteful = ({ heldBytes, usedBytes }: HeapFigures): boolean =>
  heldBytes - usedBytes > IDLE_BYTES + IDLE_SHARE * usedBytes

/** Monitors the heap of the thread it is called in; returns the function that ends it. */
export function keepTidy(): () => void {
  let notBefore = now() + FIRST_MS
  const timer = setInterval(() => {
    if (now() < notBefore || !isWasteful(readHeap())) return
    collectCompactly()
    notBefore = now() + REST_MS
  }, LOOK_MS)
  timer.unref()
  return () => clearInterval(timer)
}

function readHeap(): HeapFigures {
  const { total_physical_size: heldBytes, used_heap_size: usedBytes } = getHeapStatistics()
  return { heldBytes, usedBytes }
}

/**
 * Collects everything and compacts what is left. Flags are the process's: that of collecting stays, since another
 * thread may be about to read the function; that of compacting is reset.
 */
export function collectCompactly(): void {
  setFlagsFromString('--expose-gc')
  setFlagsFromString('--compact-on-every-full-gc')
  const collect: unknown = runInNewContext('globalThis.gc')
  if (typeof collect === 'function') collect()
  setFlagsFromString('--no-compact-on-every-full-gc')
}
