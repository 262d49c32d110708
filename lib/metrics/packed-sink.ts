// Packs an exposition as gzip (RFC 1952) by what is known of it, without ever writing its text: a line is the one before
// it with some other bytes and another value. A general packer has to find that out, for twice the time of all the rest.
import { addByte, addPart, START } from './checksum.js'
import {
  blockHead,
  type Code,
  codeOf,
  distanceCodes,
  END_OF_BLOCK,
  LONGEST_MATCH,
  matchCodes,
  symbolCodes,
} from './deflate-codes.js'
import { compareParts, type Difference, Name, Part } from './part.js'
import { type Line, type Sink, withRoom } from './sink.js'

/** How far back deflate can refer, and how little. */
const WINDOW = 32_768
const SHORTEST_MATCH = 3

const FIRST = 80 * 1024
const BLANK = 32
const LINE_FEED = 10

/** Magic, deflate, no flags, no time, fastest, system Unix. */
const head = [0x1f, 0x8b, 8, 0, 0, 0, 0, 0, 4, 3]

export class PackedSink implements Sink {
  #bytes = Buffer.allocUnsafeSlow(FIRST)
  length = 0
  /** Bits that are no whole byte yet. */
  #bits = 0
  #count = 0
  /** Bytes that stand so far back as well: written as one reference when something else comes. */
  #same = 0
  #distance = 0

  #checksum = START
  /** Bytes of text so far. */
  #at = 0
  /** The line feed that ends the text so far is written with what follows. */
  #isOpen = false

  /** The line before, when the last thing was a line: its parts, and its length. */
  #name: Part | undefined
  #labels: Part | undefined
  #lineLength = 0
  /** The text before. */
  #text: Name | undefined

  constructor() {
    for (const byte of head) this.#put(codeOf(byte, 8))
    for (const code of blockHead) this.#put(code)
  }

  text(text: string): void {
    if (text === '') return
    const part = new Name(text.slice(0, -1)) // the line feed at the end waits
    this.#room(2 * part.length)
    this.#close()
    const before = this.#text
    if (before) this.#alike(part, before, this.#at - before.at)
    else this.#copy(part, 0, part.length)
    part.at = this.#at
    this.#text = part
    this.#at += part.length + 1
    this.#checksum = addByte(addPart(this.#checksum, part), LINE_FEED)
    this.#name = undefined
    this.#labels = undefined
    this.#isOpen = true
  }

  sample({ name, labels, bytes, valueFrom, valueTo }: Line): void {
    this.#room(2 * (name.length + labels.length + valueTo - valueFrom) + 16)
    this.#nameOf(name)
    this.#labelsOf(labels, name)
    this.#flush()
    this.#checksum = addByte(addPart(addPart(this.#checksum, name), labels), BLANK)
    this.#value(bytes, valueFrom, valueTo)
    labels.at = this.#at + name.length
    this.#lineLength = name.length + labels.length + valueTo - valueFrom + 2
    this.#at += this.#lineLength
    this.#name = name
    this.#labels = labels
    this.#isOpen = true
  }

  /** What is done most: so with variables of its own. The value, and the checksum of the line feed that waits. */
  #value(bytes: Uint8Array, from: number, to: number): void {
    const out = this.#bytes
    let [length, waiting, count, checksum] = [this.length, this.#bits, this.#count, this.#checksum]
    for (let at = from; at < to; at += 1) {
      const byte = bytes[at] as number // inside the frame
      const code = symbolCodes[byte] as number
      checksum = addByte(checksum, byte)
      waiting |= (code & 0xff_ffff) << count
      count += code >>> 24
      if (count < 16) continue
      out[length] = waiting & 255
      out[length + 1] = (waiting >>> 8) & 255
      length += 2
      waiting >>>= 16
      count -= 16
    }
    this.length = length
    this.#bits = waiting
    this.#count = count
    this.#checksum = addByte(checksum, LINE_FEED)
  }

  take(): Buffer {
    const taken = this.#bytes.subarray(0, this.length)
    this.#bytes = Buffer.allocUnsafeSlow(FIRST)
    this.length = 0
    return taken
  }

  end(): Buffer {
    this.#room(64)
    this.#close()
    this.#symbol(END_OF_BLOCK)
    for (; this.#count > 0; this.#count -= 8) {
      this.#bytes[this.length] = this.#bits & 255
      this.length += 1
      this.#bits >>>= 8
    }
    this.length = this.#bytes.writeInt32LE(~this.#checksum, this.length)
    this.length = this.#bytes.writeUInt32LE(this.#at % 2 ** 32, this.length)
    return this.take()
  }

  #nameOf(name: Name): void {
    const before = this.#name
    if (before === name && name.length + 1 >= SHORTEST_MATCH && this.#lineLength <= WINDOW) {
      // With the line feed ahead of it: that stood ahead of the line before, too.
      this.#same = name.length + 1
      this.#distance = this.#lineLength
      this.#isOpen = false
      return
    }
    this.#close()
    if (before) {
      this.#alike(name, before, this.#lineLength)
      return
    }
    const found = this.#text?.text.lastIndexOf(name.text) ?? -1
    const text = this.#text
    if (text && found >= 0 && isAscii(text)) this.#repeat(name, 0, name.length, this.#at - text.at - found)
    else this.#copy(name, 0, name.length)
  }

  /** The labels and the blank behind them. */
  #labelsOf(labels: Part, name: Part): void {
    const whole = this.#at + name.length - labels.at
    if (whole <= WINDOW) {
      this.#repeat(labels, 0, labels.length, whole)
      this.#repeat(blank, 0, 1, whole)
      return
    }
    if (!this.#labels || !this.#name) {
      this.#copy(labels, 0, labels.length)
      this.#copy(blank, 0, 1)
      return
    }
    const distance = this.#lineLength + name.length - this.#name.length
    this.#alike(labels, this.#labels, distance)
    this.#repeat(blank, 0, 1, distance + labels.length - this.#labels.length)
  }

  /** Writes what is like another part, which begins so far back. */
  #alike(part: Part, before: Part, distance: number): void {
    if (part.before !== before) {
      part.before = before
      part.difference = compareParts(part, before)
    }
    const { prefix, middle, suffix } = part.difference as Difference // made just above
    this.#repeat(part, 0, prefix, distance)
    let at = prefix
    for (const token of middle) {
      if (token < 0) this.#repeat(part, at, -token, distance)
      else this.#literal(token)
      at += token < 0 ? -token : 1
    }
    this.#repeat(part, part.length - suffix, suffix, distance + part.length - before.length)
  }

  /** Bytes of the part that stand so far back as well; too few, or too far: they are written anew. */
  // biome-ignore lint/complexity/useMaxParams: an object for each would cost as much as what it is for
  #repeat(part: Part, from: number, count: number, distance: number): void {
    if (this.#same > 0 && this.#distance === distance) {
      this.#same += count
      return
    }
    if (count < SHORTEST_MATCH || distance > WINDOW) {
      this.#copy(part, from, count)
      return
    }
    this.#flush()
    this.#same = count
    this.#distance = distance
  }

  #copy({ bytes, from }: Part, first: number, count: number): void {
    for (let at = from + first; at < from + first + count; at += 1) this.#literal(bytes[at] as number)
  }

  #literal(byte: number): void {
    this.#flush()
    this.#symbol(byte)
  }

  #close(): void {
    this.#flush()
    if (this.#isOpen) this.#symbol(LINE_FEED)
    this.#isOpen = false
  }

  /** Writes the reference that waits, in pieces of what one may span. */
  #flush(): void {
    while (this.#same > 0) {
      const rest = this.#same - LONGEST_MATCH
      const length = rest <= 0 ? this.#same : rest < SHORTEST_MATCH ? LONGEST_MATCH - SHORTEST_MATCH : LONGEST_MATCH
      this.#put(matchCodes[length] as number)
      this.#putDistance(this.#distance - 1)
      this.#same -= length
    }
  }

  /** RFC 1951, 3.2.5: two symbols for each power of two, and which of those between them it is. */
  #putDistance(past: number): void {
    const extra = past < 4 ? 0 : 30 - Math.clz32(past)
    const symbol = past < 4 ? past : 2 * extra + (past >> extra)
    this.#put(distanceCodes[symbol] as number)
    if (extra > 0) this.#put(codeOf(past & ((1 << extra) - 1), extra))
  }

  #symbol(symbol: number): void {
    this.#put(symbolCodes[symbol] as number)
  }

  /** Fewer than 16 bits wait. */
  #put(code: Code): void {
    let waiting = this.#bits | ((code & 0xff_ffff) << this.#count)
    let count = this.#count + (code >>> 24)
    if (count >= 16) {
      this.#bytes[this.length] = waiting & 255
      this.#bytes[this.length + 1] = (waiting >>> 8) & 255
      this.length += 2
      waiting >>>= 16
      count -= 16
    }
    this.#bits = waiting
    this.#count = count
  }

  #room(count: number): void {
    this.#bytes = withRoom(this.#bytes, this.length, count + 16)
  }
}

const blankBytes = Buffer.from(' ')
const blank = new Part(blankBytes, 0, 1)

/** Of such a text, places among its characters are places among its bytes. */
const isAscii = ({ text, length }: Name): boolean => text.length === length
