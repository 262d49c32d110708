// Reads the answer to one statement text, as its bytes arrive: row lists one after the other, or an error.
// https://mariadb.com/kb/en/2-text-protocol/
import { type RowShape, shapeAt } from './row-shape.js'
import type { Row } from './sql.js'
import { lengthAt, packetAt, type WirePacket } from './wire-packets.js'

/** What the server says when it refuses, or ends a session. */
export interface ServerError {
  readonly errno: number
  readonly sqlMessage: string
}

export type Reply = { readonly rows: readonly (readonly Row[])[] } | { readonly error: ServerError }

const OK = 0x00
const ERROR = 0xff
const END = 0xfe
/** An end packet is shorter; a row may begin with the same byte. */
const longestEnd = 8
const LOCAL_FILE = 0xfb
const MORE_RESULTS = 0x0008

export class ReplyReader {
  readonly #lists: Row[][] = []
  /** Of the rows that come; undefined between two results. */
  #shape: RowShape | undefined
  #rows: Row[] = []
  #reply: Reply | undefined

  /** Set when the answer is complete. */
  get reply(): Reply | undefined {
    return this.#reply
  }

  /** Takes every packet that is there in full; answers where the first byte stands that was not taken. */
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
      if (!found) return undefined
      this.#shape = found.shape
      return found.next
    }
    return next
  }

  #readRow(shape: RowShape, bytes: Buffer, at: number): number | undefined {
    const packet = packetAt(bytes, at)
    if (!packet) return undefined
    const { start, end } = packet
    const first = packet.bytes[start]
    if (first === ERROR) this.#reply = { error: errorOf(packet) }
    else if (first === END && end - start <= longestEnd) this.#end(this.#rows, packet.bytes.readUInt16LE(start + 3))
    else this.#rows.push(shape.row(packet))
    return packet.next
  }

  #end(rows: Row[], status: number): void {
    this.#lists.push(rows)
    this.#shape = undefined
    this.#rows = []
    if ((status & MORE_RESULTS) === 0) this.#reply = { rows: this.#lists }
  }
}

/** Behind the numbers of changed rows and of the last inserted one. */
function okStatus({ bytes, start }: WirePacket): number {
  const changed = lengthAt(bytes, start + 1)
  return bytes.readUInt16LE(lengthAt(bytes, changed.next).next)
}

/** Number, then `#` and the state, then the text; before the login the state is missing. */
export function errorOf({ bytes, start, end }: WirePacket): ServerError {
  const text = bytes.toString('utf8', start + 3, end)
  return { errno: bytes.readUInt16LE(start + 1), sqlMessage: text.startsWith('#') ? text.slice(6) : text }
}
