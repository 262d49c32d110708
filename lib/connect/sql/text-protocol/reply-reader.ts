// Reads the answer to one statement text, as its bytes arrive: row lists one after the other, or an error.
// https://mariadb.com/kb/en/2-text-protocol/

import type { ServerError } from '../failures.js'
import type { Row } from '../session.js'
import type { Reply } from '../wire.js'
import { lengthAt, packetAt, type WirePacket } from './packets.js'
import { type FoundShape, type RowShape, shapeAt } from './row-shape.js'

const OK = 0x00
const ERROR = 0xff
const END = 0xfe
/** An end packet is shorter; a row may begin with the same byte. */
const longestEnd = 8
const LOCAL_FILE = 0xfb
const MORE_RESULTS = 0x0008

/** A list of rows and the bytes that it was read from, as text: the same bytes under the same columns are the same rows. */
interface KnownList {
  readonly shape: RowShape
  /** Of the rows and of the packet that ends them. */
  readonly text: string
  readonly rows: readonly Row[]
  readonly status: number
}

/** Earlier lists of a session, by their position in the reply. */
export type KnownLists = (KnownList | undefined)[]

/**
 * Longer lists, and those after so many others, are parsed each time: they are requested rarely, and many rows take
 * much memory in each of thousands of sessions.
 */
const longestKnown = 4_096
const mostRows = 4
const mostKnown = 4

export class ReplyReader {
  readonly #known: KnownLists
  readonly #lists: (readonly Row[])[] = []
  /** Shape of the incoming rows; undefined between two results. */
  #shape: RowShape | undefined
  #rows: Row[] = []
  /** The bytes in which the rows of the current list started, and the offset. */
  #began: { readonly bytes: Buffer; readonly at: number } | undefined
  #reply: Reply | undefined

  /** Lists equal to one of `known` are returned as that same object; new lists are added there. */
  constructor(known: KnownLists = []) {
    this.#known = known
  }

  /** Set when the answer is complete. */
  get reply(): Reply | undefined {
    return this.#reply
  }

  /** Consumes every complete packet; returns the offset of the first byte not consumed. */
  read(bytes: Buffer, from: number): number {
    let at = from
    while (!this.#reply) {
      const next = this.#shape ? this.#readRow(this.#shape, bytes, at) : this.#readHead(bytes, at)
      if (next === undefined) break
      at = next
    }
    return at
  }

  #readHead(bytes: Buffer, at: number): number | undefined {
    const packet = packetAt(bytes, at)
    if (!packet) return undefined
    const { next } = packet
    const first = packet.bytes[packet.start]
    if (first === ERROR) this.#reply = { error: errorOf(packet) }
    else if (first === LOCAL_FILE) throw new TypeError('the server asks for a local file')
    else if (first === OK) this.#end([], okStatus(packet))
    else {
      const found = shapeAt(bytes, next, lengthAt(packet.bytes, packet.start).value)
      return found && (this.#repeatedTo(bytes, found) ?? this.#begin(bytes, found))
    }
    return next
  }

  /** End of the rows when they equal the earlier ones. */
  #repeatedTo(bytes: Buffer, { shape, next }: FoundShape): number | undefined {
    const known = this.#known[this.#lists.length]
    if (known?.shape !== shape) return undefined
    const end = next + known.text.length
    if (bytes.toString('latin1', next, end) !== known.text) return undefined
    this.#end(known.rows, known.status)
    return end
  }

  #begin(bytes: Buffer, { shape, next }: FoundShape): number {
    this.#shape = shape
    this.#began = { bytes, at: next }
    return next
  }

  #readRow(shape: RowShape, bytes: Buffer, at: number): number | undefined {
    const packet = packetAt(bytes, at)
    if (!packet) return undefined
    const { start, end } = packet
    const first = packet.bytes[start]
    if (first === ERROR) this.#reply = { error: errorOf(packet) }
    else if (first === END && end - start <= longestEnd) this.#endRows(shape, packet)
    else this.#rows.push(shape.row(packet))
    return packet.next
  }

  #endRows(shape: RowShape, { bytes, start, next }: WirePacket): void {
    const [rows, status, began] = [this.#rows, bytes.readUInt16LE(start + 3), this.#began]
    // Data of several reads is not joined for this.
    const isWhole = began?.bytes === bytes && next - began.at <= longestKnown
    if (isWhole && rows.length <= mostRows && this.#lists.length < mostKnown)
      this.#known[this.#lists.length] = { shape, rows, status, text: bytes.toString('latin1', began.at, next) }
    this.#end(rows, status)
  }

  #end(rows: readonly Row[], status: number): void {
    this.#lists.push(rows)
    this.#shape = undefined
    this.#rows = []
    this.#began = undefined
    if ((status & MORE_RESULTS) === 0) this.#reply = { rows: this.#lists }
  }
}

/** After the number of affected rows and the last insert id. */
function okStatus({ bytes, start }: WirePacket): number {
  const changed = lengthAt(bytes, start + 1)
  return bytes.readUInt16LE(lengthAt(bytes, changed.next).next)
}

/** Number, then `#` and the state, then the text; before the login the state is missing. */
export function errorOf({ bytes, start, end }: WirePacket): ServerError {
  const text = bytes.toString('utf8', start + 3, end)
  return { errno: bytes.readUInt16LE(start + 1), sqlMessage: text.startsWith('#') ? text.slice(6) : text }
}
