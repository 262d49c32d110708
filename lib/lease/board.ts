// The term of one ownership in shared memory: the main thread renews it, the thread of the cluster reads it before each step.
import { leftOf, type Moment, mayBegin, type Term } from './term.js'

const TOKEN = 0
const STEADY = 1
const WALL = 2
/** The token of an ownership whose holder had to refuse a step: it ends, also if etcd answers again in time. */
const LAPSED = 3
/** Where an arbitrator decides: when a primary that fails was last confirmed to be seen by no other instance either. */
const CONFIRMED = 4
const CELLS = 5

export const createTermBoard = (): SharedArrayBuffer => new SharedArrayBuffer(CELLS * BigInt64Array.BYTES_PER_ELEMENT)

/** Now by both clocks; the steady one is the same in all threads of the process. */
export const thisMoment = (): Moment => ({ steady: Number(process.hrtime.bigint() / 1_000_000n), wall: Date.now() })

/** The token is written last and taken away first: a reader between two writes sees no term that never was. */
export function writeTerm(board: SharedArrayBuffer, { token, until }: Term): void {
  const cells = new BigInt64Array(board)
  if (Atomics.load(cells, TOKEN) !== BigInt(token)) Atomics.store(cells, TOKEN, 0n)
  Atomics.store(cells, STEADY, BigInt(Math.floor(until.steady)))
  Atomics.store(cells, WALL, BigInt(Math.floor(until.wall)))
  Atomics.store(cells, TOKEN, BigInt(token))
}

export function readTerm(board: SharedArrayBuffer): Term {
  const cells = new BigInt64Array(board)
  const read = (cell: number): number => Number(Atomics.load(cells, cell))
  return { token: read(TOKEN), until: { steady: read(STEADY), wall: read(WALL) } }
}

/** `at` by `now()`; 0: it does not fail, or is seen elsewhere. */
export const writeConfirmed = (board: SharedArrayBuffer, at: number): void =>
  void Atomics.store(new BigInt64Array(board), CONFIRMED, BigInt(Math.floor(at)))

export const hasLapsed = (board: SharedArrayBuffer, token: number): boolean =>
  Atomics.load(new BigInt64Array(board), LAPSED) === BigInt(token)

/** One ownership as its holder proves it. */
export class Tenure {
  readonly token: number
  readonly leaseMs: number
  readonly #board: SharedArrayBuffer

  constructor(board: SharedArrayBuffer, leaseMs: number) {
    this.#board = board
    this.leaseMs = leaseMs
    this.token = readTerm(board).token
  }

  /** Milliseconds for which it can be proven now. */
  leftMs(): number {
    return hasLapsed(this.#board, this.token) ? 0 : leftOf(readTerm(this.#board), this.token, thisMoment())
  }

  /** When it was last confirmed that no other instance sees the primary, by `now()`; 0: it was not. */
  confirmedAt(): number {
    return Number(Atomics.load(new BigInt64Array(this.#board), CONFIRMED))
  }

  /** Whether a step of so long may begin. One that may not ends this ownership for its holder: what it began is settled by the next one. */
  mayBegin(stepMs: number): boolean {
    if (mayBegin(this.leftMs(), stepMs, this.leaseMs)) return true
    this.lapse()
    return false
  }

  lapse(): void {
    Atomics.store(new BigInt64Array(this.#board), LAPSED, BigInt(this.token))
  }
}
