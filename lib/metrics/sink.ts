// Where the samples of an exposition go: as text, or packed on the way.
import { PAIRS } from './frame-format.js'
import { firstOf, secondOf } from './frame-value.js'
import type { Name } from './name.js'

/** One sample as it lies in its frame. One object serves all samples: nobody keeps it. */
export interface Line {
  name: Name
  /** The label set's row among those of all frames. */
  labels: number
  /** The frame: label set and value lie in it. */
  bytes: Uint8Array
  labelsFrom: number
  labelsTo: number
  valueFrom: number
  valueTo: number
}

export interface Sink {
  /** How many bytes wait to be taken. */
  readonly length: number
  /** Whole lines, the last one ended. */
  text(text: string): void
  sample(line: Line): void
  /** What was written since the last time; belongs to the caller. */
  take(): Buffer
  /** The last bytes. Nothing is written afterwards. */
  end(): Buffer
}

const BLANK = 32
const LINE_FEED = 10

/** Text format 0.0.4 as it is. */
export class TextSink implements Sink {
  readonly #asked: number
  #bytes: Memory
  length = 0

  /** How many bytes of memory it asks for at a time, before a chunk is found to need more. */
  constructor(asked: number) {
    this.#asked = asked
    this.#bytes = Buffer.allocUnsafeSlow(asked)
  }

  text(text: string): void {
    this.#room(Buffer.byteLength(text))
    this.length += this.#bytes.write(text, this.length)
  }

  sample({ name, bytes, labelsFrom, labelsTo, valueFrom, valueTo }: Line): void {
    this.#room(name.length + labelsTo - labelsFrom + 2 * (valueTo - valueFrom) + 2)
    this.#copy(name.bytes, 0, name.length)
    this.#copy(bytes, labelsFrom, labelsTo)
    this.#bytes[this.length] = BLANK
    this.length += 1
    this.#value(bytes, valueFrom, valueTo)
    this.#bytes[this.length] = LINE_FEED
    this.length += 1
  }

  take(): Buffer {
    const taken = this.#bytes.subarray(0, this.length)
    this.#bytes = Buffer.allocUnsafeSlow(this.#asked)
    this.length = 0
    return taken
  }

  end(): Buffer {
    return this.take()
  }

  #room(count: number): void {
    this.#bytes = withRoom(this.#bytes, this.length, count)
  }

  /** A loop: the parts are short, and a call into the runtime costs more than their bytes. */
  #copy(bytes: Uint8Array, from: number, to: number): void {
    const out = this.#bytes
    let end = this.length
    for (let next = from; next < to; next += 1) {
      out[end] = bytes[next] as number // both ends are inside; a check costs a third
      end += 1
    }
    this.length = end
  }

  #value(bytes: Uint8Array, from: number, to: number): void {
    const out = this.#bytes
    let end = this.length
    for (let next = from; next < to; next += 1) {
      const byte = bytes[next] as number
      out[end] = firstOf[byte] as number
      if (byte >= PAIRS) end += 1
      out[end] = secondOf[byte] as number
      end += 1
    }
    this.length = end
  }
}

export type Memory = Buffer<ArrayBuffer>

/** The same memory, or more with the same bytes, so that `count` more fit behind `length`. */
export function withRoom(bytes: Memory, length: number, count: number): Memory {
  if (length + count <= bytes.length) return bytes
  const larger = Buffer.allocUnsafeSlow(Math.max(2 * bytes.length, length + count))
  bytes.copy(larger, 0, 0, length)
  return larger
}
