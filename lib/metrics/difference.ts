// How bytes are made of others, so that only what differs need be written.

/** A part of a buffer. */
export interface Span {
  readonly bytes: Uint8Array
  readonly from: number
  readonly length: number
}

/** The beginning of the others, then this, then their end. */
export interface Difference {
  /** So many bytes. */
  readonly prefix: number
  /** A byte as it is; less than 0: so many bytes that stand in the others at the same place. */
  readonly middle: readonly number[]
  /** So many bytes. */
  readonly suffix: number
}

/** Fewer equal bytes than this are not worth a reference. */
const LEAST_SAME = 4

export function compareSpans(span: Span, before: Span): Difference {
  const byte = (index: number) => span.bytes[span.from + index] as number // inside the span
  const isSame = (index: number, other = index) => byte(index) === before.bytes[before.from + other]
  const shift = before.length - span.length
  const shorter = Math.min(span.length, before.length)
  let prefix = 0
  while (prefix < shorter && isSame(prefix)) prefix += 1
  if (prefix < LEAST_SAME) prefix = 0
  let end = span.length
  while (end > prefix && end + shift > prefix && isSame(end - 1, end - 1 + shift)) end -= 1
  if (span.length - end < LEAST_SAME) end = span.length
  const middle: number[] = []
  for (let index = prefix; index < end; ) {
    let same = 0
    while (index + same < Math.min(end, before.length) && isSame(index + same)) same += 1
    if (same >= LEAST_SAME) middle.push(-same)
    else for (let next = 0; next < Math.max(same, 1); next += 1) middle.push(byte(index + next))
    index += Math.max(same, 1)
  }
  return { prefix, middle, suffix: span.length - end }
}
