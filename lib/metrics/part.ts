// Bytes that stand in an exposition again and again, names and label sets, with what a packer remembers of them.

export class Part {
  readonly bytes: Uint8Array
  readonly from: number
  /** The end, excluded. */
  readonly to: number
  readonly length: number
  /** Kept by a packer: checksum of the bytes alone, once it is needed. */
  checksum: number | undefined = undefined
  /** Kept by a packer: where in the text it stood last. */
  at = Number.MIN_SAFE_INTEGER
  /** Kept by a packer: what it stood behind last, and how the two differ. */
  before: Part | undefined = undefined
  difference: Difference | undefined = undefined

  constructor(bytes: Uint8Array, from: number, to: number) {
    this.bytes = bytes
    this.from = from
    this.to = to
    this.length = to - from
  }
}

/** A name of samples: a family, or one of the series of a histogram. */
export class Name extends Part {
  readonly text: string
  readonly #series = new Map<string, Name>()

  constructor(text: string) {
    const bytes = Buffer.from(text)
    super(bytes, 0, bytes.length)
    this.text = text
  }

  /** `_bucket`, `_sum` and `_count` of a histogram. */
  series(suffix: string): Name {
    const known = this.#series.get(suffix) ?? new Name(this.text + suffix)
    this.#series.set(suffix, known)
    return known
  }
}

/** How a part is made of another one: its beginning, then this, then its end. */
export interface Difference {
  readonly prefix: number
  /** A byte as it is; less than 0: so many bytes that stand in the other part at the same place. */
  readonly middle: readonly number[]
  readonly suffix: number
}

/** Fewer equal bytes than this are not worth a reference. */
const LEAST_SAME = 4

export function compareParts(part: Part, before: Part): Difference {
  if (part === before) return { prefix: part.length, middle: [], suffix: 0 }
  const byte = (index: number) => part.bytes[part.from + index] as number
  const other = (index: number) => before.bytes[before.from + index] as number
  const shorter = Math.min(part.length, before.length)
  let prefix = 0
  while (prefix < shorter && byte(prefix) === other(prefix)) prefix += 1
  let suffix = 0
  while (suffix < shorter - prefix && byte(part.length - 1 - suffix) === other(before.length - 1 - suffix)) suffix += 1
  const middle: number[] = []
  const end = part.length - suffix
  for (let index = prefix; index < end; ) {
    let same = 0
    while (index + same < Math.min(end, before.length) && byte(index + same) === other(index + same)) same += 1
    if (same >= LEAST_SAME) middle.push(-same)
    else for (let next = 0; next < Math.max(same, 1); next += 1) middle.push(byte(index + next))
    index += Math.max(same, 1)
  }
  return { prefix, middle, suffix }
}
