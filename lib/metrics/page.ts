// Text that is written piece by piece into memory: without a string for each number, each sample and each line.
import { PAIRS, ZERO } from './frame-format.js'
import { type Memory, withRoom } from './sink.js'

const LAST_OF_ASCII = 127
/** Numbers above are written by the engine. */
const LARGEST = 2 ** 31 - 1
/** Bytes of UTF-8 that a unit of a string takes at most. */
const WIDEST = 3
const FIRST = 16 * 1024

export class Page {
  #bytes: Memory = Buffer.allocUnsafeSlow(FIRST)
  #length = 0

  byte(byte: number): void {
    this.#room(1)
    this.#bytes[this.#length] = byte
    this.#length += 1
  }

  /** As the engine writes it, with its digits in pairs. */
  number(value: number): void {
    if (!Number.isInteger(value) || value < 0 || value > LARGEST) {
      this.digits(`${value}`)
      return
    }
    let digits = 1
    for (let bound = 10; bound <= value; bound *= 10) digits += 1
    this.#room(digits)
    const length = this.#length + ((digits + 1) >> 1)
    let [at, rest] = [length, value]
    if (digits % 2 === 1) {
      at -= 1
      rest = (value / 10) | 0
      this.#bytes[at] = ZERO + value - 10 * rest
    }
    while (at > this.#length) {
      const hundreds = (rest / 100) | 0
      at -= 1
      this.#bytes[at] = PAIRS + rest - 100 * hundreds
      rest = hundreds
    }
    this.#length = length
  }

  /** ASCII, with its digits in pairs. */
  digits(text: string): void {
    this.#room(text.length)
    for (let index = 0; index < text.length; index += 1) {
      const [first, second] = [text.charCodeAt(index) - ZERO, text.charCodeAt(index + 1) - ZERO]
      const isPair = first >= 0 && first <= 9 && second >= 0 && second <= 9 // not at the end, where the second is NaN
      this.#bytes[this.#length] = isPair ? PAIRS + 10 * first + second : ZERO + first
      this.#length += 1
      if (isPair) index += 1
    }
  }

  /** From a unit of it on. */
  text(text: string, from = 0): void {
    this.#room(WIDEST * text.length)
    const bytes = this.#bytes
    let at = this.#length
    for (let index = from; index < text.length; index += 1) {
      const unit = text.charCodeAt(index)
      if (unit > LAST_OF_ASCII) {
        at += bytes.write(text.slice(index), at)
        break
      }
      bytes[at] = unit
      at += 1
    }
    this.#length = at
  }

  /** All of it, in memory of its own; the page is blank again. */
  take(): Buffer {
    const taken = Buffer.allocUnsafeSlow(this.#length)
    this.#bytes.copy(taken, 0, 0, this.#length)
    this.#length = 0
    return taken
  }

  #room(count: number): void {
    this.#bytes = withRoom(this.#bytes, this.#length, count)
  }
}
