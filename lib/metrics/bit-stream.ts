// A growing stream of bits, the lowest of a byte first (RFC 1951, 3.1.1).
import { type Code, MOST_BITS } from './deflate-codes.js'
import { type Memory, withRoom } from './sink.js'

/** Bytes that are written with a code, whether it fills them or not. */
const MOST_AT_ONCE = 4

export class BitStream {
  readonly #asked: number
  #bytes: Memory
  #view: DataView
  /** Whole bytes so far. */
  length = 0
  /** Fewer than 8 bits that are no whole byte yet. */
  #waiting = 0
  #count = 0

  /** How many bytes of memory it asks for at a time, before they are found to be too few. */
  constructor(asked: number) {
    this.#asked = asked
    this.#bytes = Buffer.allocUnsafeSlow(asked)
    this.#view = viewOf(this.#bytes)
  }

  /** Codes of so many bytes altogether may follow without another look at the memory. */
  room(bytes: number): void {
    if (this.length + bytes + MOST_AT_ONCE <= this.#bytes.length) return
    this.#bytes = withRoom(this.#bytes, this.length, bytes + MOST_AT_ONCE)
    this.#view = viewOf(this.#bytes)
  }

  /** All bytes that may be full are written, also those that are not: that costs less than to ask. */
  put(code: Code): void {
    const bits = this.#waiting | ((code & 0xff_ffff) << this.#count)
    const count = this.#count + (code >>> 24)
    const { length } = this
    this.#view.setInt32(length, bits, true)
    this.length = length + (count >>> 3)
    this.#waiting = bits >>> (count & 24)
    this.#count = count & 7
  }

  /** Two codes: at once, where they are short. */
  putBoth(first: Code, second: Code): void {
    const bits = (first >>> 24) + (second >>> 24)
    if (bits > MOST_BITS) {
      this.put(first)
      this.put(second)
    } else this.put((bits << 24) | (first & 0xff_ffff) | ((second & 0xff_ffff) << (first >>> 24)))
  }

  /** A code for each byte, two at a time where they are short. What is done most, so with variables of its own. */
  // biome-ignore lint/complexity/useMaxParams: an object for each value would cost as much as what it is for
  putBytes(codes: Int32Array, bytes: Uint8Array, from: number, to: number): void {
    const view = this.#view
    let [length, waiting, count] = [this.length, this.#waiting, this.#count]
    for (let at = from; at < to; at += 2) {
      const first = codes[bytes[at] as number] as number // inside both
      const second = at + 1 < to ? (codes[bytes[at + 1] as number] as number) : 0
      waiting |= (first & 0xff_ffff) << count
      count += first >>> 24
      if (count + (second >>> 24) > 31) {
        view.setInt32(length, waiting, true)
        length += count >>> 3
        waiting >>>= count & 24
        count &= 7
      }
      waiting |= (second & 0xff_ffff) << count
      count += second >>> 24
      view.setInt32(length, waiting, true)
      length += count >>> 3
      waiting >>>= count & 24
      count &= 7
    }
    this.length = length
    this.#waiting = waiting
    this.#count = count
  }

  /** Fills up the byte that was begun, with zeros. */
  align(): void {
    if (this.#count > 0) this.put((8 - this.#count) << 24)
  }

  /** The whole bytes since the last time; they belong to the caller. */
  take(): Buffer {
    const taken = this.#bytes.subarray(0, this.length)
    this.#bytes = Buffer.allocUnsafeSlow(this.#asked)
    this.#view = viewOf(this.#bytes)
    this.length = 0
    return taken
  }
}

const viewOf = ({ buffer, byteOffset, byteLength }: Memory): DataView => new DataView(buffer, byteOffset, byteLength)
