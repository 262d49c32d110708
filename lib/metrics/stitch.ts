// Joins what the threads rendered into one exposition: families contiguous, bounded memory, other work in between.
import { pipeline } from 'node:stream'
import { setImmediate as nextTurn } from 'node:timers/promises'
import { constants, createGzip } from 'node:zlib'
import { describeFamily } from './families.js'
import { SLICE, type SliceBatch } from './slices.js'

/** Bytes after which a piece is sent: a few milliseconds of work, and few enough pieces that sending them costs little. */
const PIECE = 256 * 1024

/** Content type of the output of `stitch`. */
export const EXPOSITION_TYPE = 'text/plain; version=0.0.4; charset=utf-8'

/** The content encoding of an exposition. */
export type ExpositionForm = 'plain' | 'gzip'

/** The batches of one thread, in order of family and place. */
export type SliceSource = AsyncIterable<SliceBatch> | Iterable<SliceBatch>

export interface StitchParts {
  /** The manager's families, complete. */
  readonly own: string
  readonly form: ExpositionForm
}

/**
 * Text format 0.0.4: first `own`, then every family with the samples of all clusters in order of their places. Text exists
 * for one batch of each thread and one piece at a time. Packing is zlib's, in the thread pool of the process.
 */
export function stitch(sources: readonly SliceSource[], { own, form }: StitchParts): AsyncIterable<Buffer> {
  const pieces = joinSlices(sources, own)
  return form === 'gzip' ? pack(pieces) : pieces
}

/** One member of gzip. A reader that stops also ends the pieces. */
function pack(pieces: AsyncGenerator<Buffer>): AsyncIterable<Buffer> {
  const gzip = createGzip({ level: constants.Z_BEST_SPEED, chunkSize: PIECE / 4 })
  // A failure is reported to the reader through the stream.
  pipeline(pieces, gzip, () => undefined)
  return gzip
}

async function* joinSlices(sources: readonly SliceSource[], own: string): AsyncGenerator<Buffer> {
  const readers = sources.map((source) => new SliceReader(source))
  try {
    if (own !== '') yield Buffer.from(own.endsWith('\n') ? own : `${own}\n`)
    for (const reader of readers) await reader.next()
    const piece = new Piece()
    let family = ''
    for (let reader = first(readers); reader; reader = first(readers)) {
      if (reader.family !== family) {
        family = reader.family
        piece.text(head(family))
      }
      piece.bytes(reader.text, reader.from, reader.to)
      if (!reader.step()) await reader.next()
      if (piece.length < PIECE) continue
      yield piece.take()
      await nextTurn()
    }
    if (piece.length > 0) yield piece.take()
  } finally {
    for (const reader of readers) await reader.end()
  }
}

/** The reader whose slice comes next; undefined when all are done. */
function first(readers: readonly SliceReader[]): SliceReader | undefined {
  let found: SliceReader | undefined
  for (const reader of readers) if (!reader.done && (!found || reader.isBefore(found))) found = reader
  return found
}

/** Walks the slices of one thread. One object for all of them: a scrape has hundreds of thousands. */
class SliceReader {
  done = false
  family = ''
  place = 0
  /** The slice's bytes in `text`. */
  from = 0
  to = 0
  readonly #batches: AsyncIterator<SliceBatch> | Iterator<SliceBatch>
  #batch: SliceBatch = { families: [], slices: [], text: Buffer.alloc(0) }
  #at = 0

  constructor(source: SliceSource) {
    this.#batches = Symbol.asyncIterator in source ? source[Symbol.asyncIterator]() : source[Symbol.iterator]()
  }

  get text(): Uint8Array {
    return this.#batch.text
  }

  isBefore(other: SliceReader): boolean {
    return this.family === other.family ? this.place < other.place : this.family < other.family
  }

  /** The next slice of the batch; false when there is none. */
  step(): boolean {
    const { families, slices } = this.#batch
    if (this.#at >= slices.length) return false
    this.family = families[slices[this.#at] as number] as string // three numbers a slice
    this.place = slices[this.#at + 1] as number
    this.from = this.to
    this.to += slices[this.#at + 2] as number
    this.#at += SLICE
    return true
  }

  /** The first slice of the next batch. */
  async next(): Promise<void> {
    do {
      const { done = false, value } = await this.#batches.next()
      this.done = done
      if (done) return
      this.#batch = value
      this.#at = 0
      this.to = 0
    } while (!this.step())
  }

  async end(): Promise<void> {
    await this.#batches.return?.()
  }
}

/** The text that is sent next. */
class Piece {
  length = 0
  #memory = Buffer.allocUnsafeSlow(PIECE + PIECE / 4)

  text(text: string): void {
    const bytes = Buffer.from(text)
    this.bytes(bytes, 0, bytes.length)
  }

  bytes(bytes: Uint8Array, from: number, to: number): void {
    const end = this.length + to - from
    if (end > this.#memory.length) this.#memory = Buffer.concat([this.#memory.subarray(0, this.length)], 2 * end)
    this.#memory.set(bytes.subarray(from, to), this.length)
    this.length = end
  }

  take(): Buffer {
    const taken = this.#memory.subarray(0, this.length)
    this.#memory = Buffer.allocUnsafeSlow(PIECE + PIECE / 4)
    this.length = 0
    return taken
  }
}

function head(family: string): string {
  const { type, help } = describeFamily(family)
  return `# HELP ${family} ${help}\n# TYPE ${family} ${type}\n`
}
