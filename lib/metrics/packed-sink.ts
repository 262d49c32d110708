// Packs an exposition as gzip (RFC 1952) by what is known of it, without ever writing its text: a line is the one before
// it with some other bytes and another value. A general packer has to find that out, for many times the work of the rest.
import { BitStream } from './bit-stream.js'
import { addByte, moveOn, START } from './checksum.js'
import {
  blockHead,
  codeOf,
  distanceCodes,
  END_OF_BLOCK,
  LONGEST_MATCH,
  matchCodes,
  SHORTEST_MATCH,
  symbolCodes,
  WINDOW,
} from './deflate-codes.js'
import { compareSpans, type Span } from './difference.js'
import { LINE_FEED, PAIRS } from './frame-format.js'
import { effectOf, valueCodes } from './frame-value.js'
import { BEFORE, CHECKSUM, type LabelSets, LENGTH, MIDDLE, NONE, PREFIX, SUFFIX } from './label-sets.js'
import { Name } from './name.js'
import type { Line, Sink } from './sink.js'

const BLANK = 32
const lineFeedAlone = addByte(0, LINE_FEED)

/** Magic, deflate, no flags, no time, fastest, system Unix. */
const head = [0x1f, 0x8b, 8, 0, 0, 0, 0, 0, 4, 3]

export class PackedSink implements Sink {
  readonly #out: BitStream
  readonly #sets: LabelSets
  #checksum = START
  /** Bytes of text so far. */
  #at = 0
  /** The line feed that ends the text so far is written with what follows. */
  #isOpen = false

  /** The line before, when the last thing was a line. */
  #name: Name | undefined
  #labels = NONE
  #lineLength = 0
  /** The text before, and where it began. */
  #text = new Name('')
  #textAt = 0
  /** The label set that stood first in the family before, and where. */
  #first = NONE
  #firstAt = 0

  /** `labelSets`: those of all lines; `asked`: how many bytes of memory are asked for at a time. */
  constructor(labelSets: LabelSets, asked: number) {
    this.#out = new BitStream(asked)
    this.#sets = labelSets
    this.#out.room(512)
    for (const byte of head) this.#out.put(codeOf(byte, 8))
    for (const code of blockHead) this.#out.put(code)
  }

  get length(): number {
    return this.#out.length
  }

  text(text: string): void {
    if (text === '') return
    const own = new Name(text.slice(0, -1)) // the line feed at the end waits
    this.#out.room(2 * own.length)
    this.#lineFeed()
    this.#like(own, this.#text, this.#at - this.#textAt)
    this.#text = own
    this.#textAt = this.#at
    this.#at += own.length + 1
    this.#checksum = addByte(moveOn(this.#checksum ^ own.ahead, own.length), LINE_FEED)
    this.#name = undefined
    this.#labels = NONE
    this.#isOpen = true
  }

  sample({ name, labels, bytes, valueFrom, valueTo }: Line): void {
    const { rows } = this.#sets
    const labelled = name.length + (rows[labels + LENGTH] as number) + 1 // a row there is
    let [valued, effect] = [1, lineFeedAlone]
    for (let at = valueTo - 1; at >= valueFrom; at -= 1) {
      const byte = bytes[at] as number // inside the frame
      effect ^= effectOf(byte, valued)
      valued += byte < PAIRS ? 1 : 2
    }
    const length = labelled + valued
    this.#out.room(2 * length)
    if (this.#labels !== NONE && this.#lineLength + length <= WINDOW) this.#again(name, labels)
    else this.#anew(name, labels)
    this.#out.putBytes(valueCodes, bytes, valueFrom, valueTo)
    const checksum = moveOn(this.#checksum ^ name.ahead, labelled) ^ (rows[labels + CHECKSUM] as number)
    this.#checksum = moveOn(checksum, valued) ^ effect
    this.#name = name
    this.#labels = labels
    this.#lineLength = length
    this.#at += length
    this.#isOpen = true
  }

  take(): Buffer {
    return this.#out.take()
  }

  end(): Buffer {
    this.#out.room(64)
    this.#lineFeed()
    this.#out.put(symbolCodes[END_OF_BLOCK] as number)
    this.#out.align()
    for (const word of [~this.#checksum, this.#at % 2 ** 32])
      for (let bit = 0; bit < 32; bit += 8) this.#out.put(codeOf((word >>> bit) & 255, 8))
    return this.take()
  }

  /** Name, labels and blank, made of those of the line before. */
  #again(name: Name, labels: number): void {
    const before = this.#labels
    const { rows } = this.#sets
    if (rows[labels + BEFORE] !== before) this.#sets.follow(labels, before)
    const own = this.#name as Name // there is a line before
    const distance = this.#lineLength + name.length - own.length
    // With the line feed ahead of it: that stood ahead of the line before, too.
    let same = name.length + 1
    if (name !== own || same < SHORTEST_MATCH) {
      same = 0
      this.#lineFeed()
      this.#like(name, own, this.#lineLength)
    }
    same += rows[labels + PREFIX] as number
    const { codes } = this.#sets
    for (let at = rows[labels + MIDDLE] as number; ; at += 1) {
      const code = codes[at] as number // a list ends with 0
      if (code < 0) same -= code
      else {
        if (same > 0) this.#refer(same, distance)
        if (code === 0) break
        same = 0
        this.#out.put(code)
      }
    }
    const suffix = rows[labels + SUFFIX] as number
    if (suffix > 0)
      this.#refer(suffix, distance + (rows[labels + LENGTH] as number) - (rows[before + LENGTH] as number))
  }

  /** Name, labels and blank of the first line of a family. */
  #anew(name: Name, labels: number): void {
    this.#lineFeed()
    const found = this.#text.bytes.lastIndexOf(name.bytes)
    const back = this.#at - this.#textAt - found
    if (found >= 0 && back <= WINDOW) this.#repeat(name, back)
    else this.#copy(name)
    const at = this.#at + name.length
    const span = this.#sets.spanOf(labels)
    if (labels === this.#first && at - this.#firstAt <= WINDOW) this.#repeat(span, at - this.#firstAt)
    else this.#copy(span)
    this.#literal(BLANK)
    this.#first = labels
    this.#firstAt = at
  }

  /** What is made of other bytes, which begin so far back. */
  #like(span: Span, before: Span, distance: number): void {
    if (distance + span.length > WINDOW) {
      this.#copy(span)
      return
    }
    const { prefix, middle, suffix } = compareSpans(span, before)
    if (prefix > 0) this.#refer(prefix, distance)
    for (const token of middle)
      if (token < 0) this.#refer(-token, distance)
      else this.#literal(token)
    if (suffix > 0) this.#refer(suffix, distance + span.length - before.length)
  }

  /** What stands so far back as a whole. */
  #repeat(span: Span, distance: number): void {
    if (span.length < SHORTEST_MATCH) this.#copy(span)
    else this.#refer(span.length, distance)
  }

  #copy({ bytes, from, length }: Span): void {
    this.#out.putBytes(symbolCodes, bytes, from, from + length)
  }

  #lineFeed(): void {
    if (this.#isOpen) this.#literal(LINE_FEED)
    this.#isOpen = false
  }

  #literal(byte: number): void {
    this.#out.put(symbolCodes[byte] as number)
  }

  /** So many bytes that stand so far back, both within the bounds of the format; in pieces of what one code may span. */
  #refer(count: number, distance: number): void {
    const back = distanceCodes[distance] as number
    let rest = count
    for (; rest > LONGEST_MATCH; rest -= LONGEST_MATCH - SHORTEST_MATCH)
      this.#out.putBoth(matchCodes[LONGEST_MATCH - SHORTEST_MATCH] as number, back)
    this.#out.putBoth(matchCodes[rest] as number, back)
  }
}
