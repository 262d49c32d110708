// The newest points of one server or cluster: readings become rows of ten seconds, rows become blocks that are stored. No I/O.
import { SECOND } from '../../base/time.js'
import type { SeriesColumn } from './columns.js'
import { BLOCK_MS, type Block, emptyRows, FINE_MS, ROWS } from './layout.js'

/**
 * A reading describes the time since the one before it: a counter by its growth, a gauge by its value, as long as no more passed
 * than this. It is more than the slowest pace of slow probes, a minute; after a longer silence there is a gap.
 */
export const LONGEST_HOLD_MS = 75 * SECOND

/** So long after its end a block may still get values: slow probes describe what has been. */
const OPEN_MS = LONGEST_HOLD_MS + 5 * SECOND

/** Columns that are read together: `first` of them all, and how many. */
export interface Source {
  readonly first: number
  readonly count: number
}

/** What is known of a source between two readings. */
interface Progress {
  /** Of the reading before; undefined before the first. */
  at: number | undefined
  /** By column: how much of the row that `at` lies in its value describes, milliseconds. */
  readonly filled: number[]
}

export class Recorder {
  readonly #columns: readonly SeriesColumn[]
  readonly #progress = new Map<number, Progress>()
  /** Oldest first; at most as many as `OPEN_MS` needs. */
  readonly #blocks: Block[] = []
  /** Blocks up to this number were handed out: nothing is added to them. */
  #closed = 0

  constructor(columns: readonly SeriesColumn[]) {
    this.#columns = columns
  }

  /** Adds the values of a source as read at `at`; NaN: not known. Readings that are not newer than the one before are dropped. */
  note({ first, count }: Source, at: number, values: ArrayLike<number>): void {
    const progress = this.#progress.get(first) ?? { at: undefined, filled: new Array<number>(count).fill(0) }
    this.#progress.set(first, progress)
    const before = progress.at
    if (before !== undefined && at <= before) return
    progress.at = at
    const isContinued = before !== undefined && at - before <= LONGEST_HOLD_MS
    // The first reading after a silence says something of its own row alone.
    const from = isContinued ? before : at - (at % FINE_MS)
    for (let index = 0; index < count; index += 1) {
      const value = values[index] ?? Number.NaN
      progress.filled[index] = this.#spread(
        first + index,
        { value, from, at },
        isContinued ? (progress.filled[index] ?? 0) : 0,
      )
    }
  }

  /** The blocks that get no more values at `now`; those that are handed out are forgotten. */
  take(now: number): readonly Block[] {
    const done = this.#blocks.filter(({ number }) => (number + 1) * BLOCK_MS + OPEN_MS <= now)
    this.#blocks.splice(0, done.length)
    this.#closed = Math.max(this.#closed, done.at(-1)?.number ?? 0)
    return done
  }

  /** What is not handed out yet, oldest first. */
  open(): readonly Block[] {
    return this.#blocks
  }

  /** Puts the value into every row from `from` to `at`; answers how much of the last row it describes. */
  #spread(column: number, { value, from, at }: { value: number; from: number; at: number }, filled: number): number {
    const last = Math.floor(at / FINE_MS)
    const begun = Math.floor(from / FINE_MS)
    let known = filled
    for (let row = begun; row <= last; row += 1) {
      const share = Math.min(at, (row + 1) * FINE_MS) - Math.max(from, row * FINE_MS)
      if (row !== begun) known = 0
      if (Number.isNaN(value) || (share <= 0 && row !== last)) continue
      this.#put({ column, row, value, share, known })
      known += share
    }
    return known
  }

  #put({
    column,
    row,
    value,
    share,
    known,
  }: {
    column: number
    row: number
    value: number
    share: number
    known: number
  }): void {
    const block = this.#block(Math.floor((row * FINE_MS) / BLOCK_MS))
    if (!block) return
    const place = (row % ROWS) * this.#columns.length + column
    const before = block.rows[place] ?? Number.NaN
    block.rows[place] = Number.isNaN(before)
      ? value
      : join(this.#columns[column]?.thin, { before, known, value, share })
  }

  #block(number: number): Block | undefined {
    if (number <= this.#closed) return undefined
    const found = this.#blocks.find((block) => block.number === number)
    if (found) return found
    const block: Block = { number, rows: emptyRows(this.#columns.length) }
    this.#blocks.push(block)
    this.#blocks.sort((left, right) => left.number - right.number)
    return block
  }
}

interface Joined {
  readonly before: number
  readonly known: number
  readonly value: number
  readonly share: number
}

function join(thin: SeriesColumn['thin'] = 'mean', { before, known, value, share }: Joined): number {
  if (thin === 'max') return Math.max(before, value)
  if (thin === 'min') return Math.min(before, value)
  return known + share > 0 ? (before * known + value * share) / (known + share) : value
}
