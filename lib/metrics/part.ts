// What stands in an exposition again and again, names and label sets, with what a packer remembers of them.
import { addByte, addBytes, aheadOf } from './checksum.js'
import { type Code, isJoinable, join, symbolCodes } from './deflate-codes.js'
import { compareSpans, type Difference, type Span } from './difference.js'

const BLANK = 32

/** A name of samples: a family, or one of the series of a histogram. */
export class Name implements Span {
  readonly text: string
  readonly bytes: Buffer
  readonly from = 0
  readonly length: number
  /** What has its effect on the checksum, see `aheadOf`. */
  readonly ahead: number
  /** The name that stood behind it in the frame that was read last. */
  next: Name | undefined = undefined
  readonly #series = new Map<string, Name>()

  constructor(text: string) {
    this.text = text
    this.bytes = Buffer.from(text)
    this.length = this.bytes.length
    this.ahead = aheadOf(this.bytes)
  }

  /** `_bucket`, `_sum` and `_count` of a histogram. */
  series(suffix: string): Name {
    const known = this.#series.get(suffix) ?? new Name(this.text + suffix)
    this.#series.set(suffix, known)
    return known
  }
}

/** A label set as it lies in its frame. */
export class LabelSet implements Span {
  readonly bytes: Uint8Array
  readonly from: number
  readonly length: number
  /** That of the bytes and the blank behind them, alone. */
  readonly checksum: number
  /** Kept by a packer: what it stood behind last, and how it is made of that one. */
  before: LabelSet | undefined = undefined
  /** First so many bytes of the other one's beginning. */
  prefix = 0
  /** Then these codes; less than 0: so many bytes that stand in the other one at the same place. */
  middle: readonly Code[] = []
  /** Then so many bytes of the other one's end, the blank behind it included. */
  suffix = 0

  constructor(bytes: Uint8Array, from: number, to: number) {
    this.bytes = bytes
    this.from = from
    this.length = to - from
    this.checksum = addByte(addBytes(0, bytes, from, to), BLANK)
  }

  /** Finds out how it is made of another one. */
  follow(before: LabelSet): void {
    const { prefix, middle, suffix } = compareSpans(this, before)
    this.before = before
    this.prefix = prefix
    this.middle = codesOf(suffix > 0 ? middle : [...middle, BLANK])
    this.suffix = suffix > 0 ? suffix + 1 : 0
  }
}

/** Bytes in a row as few codes. */
function codesOf(middle: Difference['middle']): readonly Code[] {
  const codes: Code[] = []
  for (const token of middle) {
    const code = token < 0 ? token : (symbolCodes[token] as number)
    const last = codes.at(-1) ?? -1
    if (code >= 0 && last >= 0 && isJoinable(last, code)) codes[codes.length - 1] = join(last, code)
    else codes.push(code)
  }
  return codes
}
