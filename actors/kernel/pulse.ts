// Two words a host thread shares with the supervisor: a heartbeat, and whose code it is running right now.

const BEAT = 0
const RUNNING = 1

export const createPulse = (): SharedArrayBuffer => new SharedArrayBuffer(2 * Int32Array.BYTES_PER_ELEMENT)

export const pulseWords = (pulse: SharedArrayBuffer): Int32Array => new Int32Array(pulse)

export const beat = (words: Int32Array): number => Atomics.add(words, BEAT, 1)

export const readBeat = (words: Int32Array): number => Atomics.load(words, BEAT)

/** Runs `work` with the generation published, so that a hang or a death in it can be attributed. */
export function display<T>(words: Int32Array, generation: number, work: () => T): T {
  const before = Atomics.exchange(words, RUNNING, generation)
  try {
    return work()
  } finally {
    Atomics.store(words, RUNNING, before)
  }
}

/** The generation whose code the thread runs, 0 when none or unknown. */
export const readRunning = (words: Int32Array): number => Atomics.load(words, RUNNING)
