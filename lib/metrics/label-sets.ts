// The label sets of all frames of a scrape, as rows of numbers. They are walked in this order once for each family: side
// by side in one piece of memory they are there when they are needed, as so many objects they are not.
import { addByte, addBytes } from './checksum.js'
import { type Code, isJoinable, join, symbolCodes } from './deflate-codes.js'
import { compareSpans, type Span } from './difference.js'

/** Numbers of a row. A label set is known by where its row begins. */
export const ROW = 8

/** Where its text begins in its frame, and how long it is. */
export const FROM = 0
export const LENGTH = 1
/** That of the text and the blank behind it, alone. */
export const CHECKSUM = 2
/** The label set that it stood behind last; how it is made of that one is found once and remembered. */
export const BEFORE = 3
/** It begins with so many bytes of the other one's beginning. */
export const PREFIX = 4
/** It ends with so many bytes of the other one's end, the blank behind it included. */
export const SUFFIX = 5
/** Where the codes of what stands between begin. */
export const MIDDLE = 6
/** How many codes have room there. */
const CAPACITY = 7

/** No label set. */
export const NONE = -1

const BLANK = 32
const FIRST_ROWS = 64

export class LabelSets {
  rows = new Int32Array(FIRST_ROWS * ROW)
  /** Lists ended by 0; less than 0: so many bytes that stand in the other label set at the same place. */
  codes = new Int32Array(FIRST_ROWS * ROW)
  readonly #frames: Uint8Array[] = []
  #codes = 0

  /** The row of a label set, behind those there are. */
  add(frame: Uint8Array, from: number, to: number): number {
    const row = this.#frames.length * ROW
    this.#frames.push(frame)
    this.rows = withPlace(this.rows, row + ROW)
    this.rows[row + FROM] = from
    this.rows[row + LENGTH] = to - from
    this.rows[row + CHECKSUM] = addByte(addBytes(0, frame, from, to), BLANK)
    this.rows[row + BEFORE] = NONE
    return row
  }

  /** How many rows there are. */
  get size(): number {
    return this.#frames.length
  }

  /** Its text. */
  spanOf(row: number): Span {
    const { rows } = this
    return { bytes: this.#frames[row / ROW] ?? nothing, from: rows[row + FROM] ?? 0, length: rows[row + LENGTH] ?? 0 }
  }

  /** Finds out how one is made of another one. */
  follow(row: number, before: number): void {
    const { prefix, middle, suffix } = compareSpans(this.spanOf(row), this.spanOf(before))
    const { rows } = this
    rows[row + BEFORE] = before
    rows[row + PREFIX] = prefix
    rows[row + SUFFIX] = suffix > 0 ? suffix + 1 : 0
    this.#keep(row, codesOf(suffix > 0 ? middle : [...middle, BLANK]))
  }

  #keep(row: number, codes: readonly Code[]): void {
    const needed = codes.length + 1
    if (needed > (this.rows[row + CAPACITY] as number)) {
      this.rows[row + CAPACITY] = needed
      this.rows[row + MIDDLE] = this.#codes
      this.#codes += needed
      this.codes = withPlace(this.codes, this.#codes)
    }
    this.codes.set([...codes, 0], this.rows[row + MIDDLE])
  }
}

const nothing = new Uint8Array(0)

/** The same numbers, with place for so many. */
function withPlace(numbers: Int32Array<ArrayBuffer>, count: number): Int32Array<ArrayBuffer> {
  if (count <= numbers.length) return numbers
  const larger = new Int32Array(2 * count)
  larger.set(numbers)
  return larger
}

/** Bytes in a row as few codes. */
function codesOf(middle: readonly number[]): readonly Code[] {
  const codes: Code[] = []
  for (const token of middle) {
    const code = token < 0 ? token : (symbolCodes[token] as number)
    const last = codes.at(-1) ?? NONE
    if (code >= 0 && last >= 0 && isJoinable(last, code)) codes[codes.length - 1] = join(last, code)
    else codes.push(code)
  }
  return codes
}
