// A name of samples: a family, or one of the series of a histogram. One object stands for it in all frames of a scrape.
import { aheadOf } from './checksum.js'
import type { Span } from './difference.js'

/** A name, and the bytes that tell it in a frame behind a certain other one. */
export interface Told {
  readonly name: Name
  readonly word: Uint8Array
}

export class Name implements Span {
  readonly text: string
  readonly bytes: Buffer
  readonly from = 0
  readonly length: number
  /** What has its effect on the checksum, see `aheadOf`. */
  readonly ahead: number
  /** The name that stood behind it in the frame that was read last. */
  next: Told | undefined = undefined
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
