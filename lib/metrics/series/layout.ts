// How series lie in a file: two rings of blocks, of ten seconds for two hours and of a minute for two days. Pure.
import { crc32 } from 'node:zlib'
import { DAY, HOUR, MINUTE, SECOND } from '../../base/time.js'
import type { SeriesColumn } from './columns.js'

/** Distance of points in the fine ring, and how long they are kept. */
export const FINE_MS = 10 * SECOND
export const FINE_KEPT_MS = 2 * HOUR
/** The same of the coarse ring. */
export const COARSE_MS = MINUTE
export const COARSE_KEPT_MS = 2 * DAY
/** What is written at once. */
export const BLOCK_MS = 2 * MINUTE
/** Rows of a block. */
export const ROWS = BLOCK_MS / FINE_MS
const COARSE_ROWS = BLOCK_MS / COARSE_MS
/** Two more than are kept: the newest ones are not written yet. */
const FINE_BLOCKS = FINE_KEPT_MS / BLOCK_MS + 2
const COARSE_BLOCKS = COARSE_KEPT_MS / BLOCK_MS + 2

/** The points of BLOCK_MS, by row: as many values as there are columns. NaN: not known. */
export interface Block {
  /** Whole BLOCK_MS since the epoch. */
  readonly number: number
  readonly rows: Float32Array
}

export type RingName = 'fine' | 'coarse'

/** The first bytes of a file say what is in it; a file of other columns is not read. */
export const HEAD_BYTES = 4_096

const VERSION = 1
/** Before the values of a block: its number, and the check of its bytes. */
const MARK_BYTES = 8

export const emptyRows = (columns: number, rows = ROWS): Float32Array =>
  new Float32Array(rows * columns).fill(Number.NaN)

export function renderHead(columns: readonly SeriesColumn[]): Buffer {
  const text = JSON.stringify({ version: VERSION, columns: columns.map(({ name }) => name) })
  if (Buffer.byteLength(text) > HEAD_BYTES)
    throw new Error('the names of the series do not fit into the head of their file')
  return Buffer.from(text.padEnd(HEAD_BYTES))
}

const rings = {
  fine: { blocks: FINE_BLOCKS, rows: ROWS, stepMs: FINE_MS },
  coarse: { blocks: COARSE_BLOCKS, rows: COARSE_ROWS, stepMs: COARSE_MS },
} as const

export const stepOf = (ring: RingName): number => rings[ring].stepMs

export const blockBytes = (ring: RingName, columns: number): number => MARK_BYTES + rings[ring].rows * columns * 4

/** Where a block of a ring lies: that of the newest one takes the place of the oldest. */
export function placeOf(ring: RingName, number: number, columns: number): number {
  const begin = ring === 'fine' ? HEAD_BYTES : HEAD_BYTES + FINE_BLOCKS * blockBytes('fine', columns)
  return begin + (number % rings[ring].blocks) * blockBytes(ring, columns)
}

/** Where the ring begins, and its size. */
export const ringRange = (ring: RingName, columns: number): { readonly at: number; readonly bytes: number } => ({
  at: placeOf(ring, 0, columns),
  bytes: rings[ring].blocks * blockBytes(ring, columns),
})

/** A block of a ring as bytes. */
export function encodeBlock({ number, rows }: Block): Buffer {
  const bytes = Buffer.alloc(MARK_BYTES + rows.length * 4)
  bytes.writeUInt32LE(number, 0)
  for (const [index, value] of rows.entries()) bytes.writeFloatLE(value, MARK_BYTES + index * 4)
  bytes.writeUInt32LE(check(bytes), 4)
  return bytes
}

/** The block of this number in these bytes; undefined where another one is there, none, or a torn one. */
export function decodeBlock(bytes: Buffer, number: number): Block | undefined {
  if (bytes.length < MARK_BYTES || bytes.readUInt32LE(0) !== number || bytes.readUInt32LE(4) !== check(bytes))
    return undefined
  const rows = new Float32Array((bytes.length - MARK_BYTES) / 4)
  for (let index = 0; index < rows.length; index += 1) rows[index] = bytes.readFloatLE(MARK_BYTES + index * 4)
  return { number, rows }
}

/** Over the number and the values. */
const check = (bytes: Buffer): number => crc32(bytes.subarray(MARK_BYTES), crc32(bytes.subarray(0, 4)))

/** The blocks of a ring, as its bytes were read, that overlap a span of time; oldest first. */
export function decodeRing(bytes: Buffer, { ring, columns, from, to }: RingSpan): readonly Block[] {
  const size = blockBytes(ring, columns)
  const newest = Math.floor((to - 1) / BLOCK_MS)
  const oldest = Math.max(Math.floor(from / BLOCK_MS), newest - rings[ring].blocks + 1)
  const found: Block[] = []
  for (let number = oldest; number <= newest; number += 1) {
    const at = (number % rings[ring].blocks) * size
    const block = at + size <= bytes.length ? decodeBlock(bytes.subarray(at, at + size), number) : undefined
    if (block) found.push(block)
  }
  return found
}

export interface RingSpan {
  readonly ring: RingName
  readonly columns: number
  /** Milliseconds; `to` is not part of it. */
  readonly from: number
  readonly to: number
}

/** The same block with points of a minute. */
export function coarsen({ number, rows }: Block, columns: readonly SeriesColumn[]): Block {
  const width = columns.length
  const coarse = emptyRows(width, COARSE_ROWS)
  const each = ROWS / COARSE_ROWS
  for (let row = 0; row < COARSE_ROWS; row += 1)
    for (const [column, { thin }] of columns.entries()) {
      const values = Array.from(
        { length: each },
        (_, index) => rows[(row * each + index) * width + column] ?? Number.NaN,
      )
      coarse[row * width + column] = thinned(thin, values)
    }
  return { number, rows: coarse }
}

/** One value for several; NaN when none of them is known. */
export function thinned(thin: SeriesColumn['thin'], values: readonly number[]): number {
  const known = values.filter((value) => !Number.isNaN(value))
  if (known.length === 0) return Number.NaN
  if (thin === 'max') return Math.max(...known)
  if (thin === 'min') return Math.min(...known)
  return known.reduce((sum, value) => sum + value, 0) / known.length
}

/** What a block had before a restart fills what the same block does not know now. */
export function joinBlocks(earlier: Block | undefined, { number, rows }: Block): Block {
  if (!earlier) return { number, rows }
  return {
    number,
    rows: rows.map((value, index) => (Number.isNaN(value) ? (earlier.rows[index] ?? Number.NaN) : value)),
  }
}
