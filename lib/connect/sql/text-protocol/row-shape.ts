// The shape of the rows of one result: column names and types, parsed once and shared by all sessions.
import type { Row } from '../session.js'
import { lengthAt, packetAt, type WirePacket } from './packets.js'

/** How a cell's text becomes a value; everything else stays text. */
type Kind = 'integer' | 'float' | 'bytes' | 'text'

/** Types by their number on the wire. https://mariadb.com/kb/en/result-set-packets/#field-types */
const integers = new Set([1, 2, 3, 8, 9, 13])
const floats = new Set([4, 5])
/** Texts and blobs: bytes when their character set is `binary`. */
const perhapsBytes = new Set([15, 16, 249, 250, 251, 252, 253, 254, 255])
const binaryCharset = 63

const NULL_CELL = 0xfb
/** Behind the names of a definition: character set (2), length (4), type, flags (2), decimals, filler (2). */
const fixedLength = 12
/** Integers with fewer digits are exact in floating point. */
const exactDigits = 15
/** Longer texts rarely repeat in the next row. */
const longestKept = 64

/** The current cell: one shared object, since rows are read one at a time and cells are many. */
const cell: { bytes: Buffer; start: number; end: number } = { bytes: Buffer.alloc(0), start: 0, end: 0 }

export class RowShape {
  /** The packets that define the columns, with what ends them. */
  readonly bytes: Buffer
  readonly #names: readonly string[]
  readonly #kinds: readonly Kind[]
  /** A copy of one object is cheap, and shares its layout. */
  readonly #empty: Row
  /** The latest text of each column: cells mostly repeat, even more so within a fleet. */
  readonly #latest: string[]

  constructor(bytes: Buffer, columns: readonly { readonly name: string; readonly kind: Kind }[]) {
    this.bytes = bytes
    this.#names = columns.map(({ name }) => name)
    this.#kinds = columns.map(({ kind }) => kind)
    this.#empty = Object.fromEntries(this.#names.map((name) => [name, null]))
    this.#latest = this.#names.map(() => '')
  }

  /** The row that a packet holds. */
  row({ bytes, start }: WirePacket): Row {
    const row: Record<string, unknown> = { ...this.#empty }
    cell.bytes = bytes
    cell.end = start
    for (let column = 0; column < this.#names.length; column += 1) {
      const first = bytes[cell.end] ?? NULL_CELL
      if (first === NULL_CELL) cell.end += 1
      else {
        this.#find(first)
        row[this.#names[column] ?? ''] = this.#value(column)
      }
    }
    return row
  }

  /** Moves to the next cell. */
  #find(first: number): void {
    if (first < NULL_CELL) {
      cell.start = cell.end + 1
      cell.end = cell.start + first
    } else {
      const { value, next } = lengthAt(cell.bytes, cell.end)
      cell.start = next
      cell.end = next + value
    }
  }

  #value(column: number): unknown {
    const { bytes, start, end } = cell
    const kind = this.#kinds[column]
    if (kind === 'bytes') return Buffer.from(bytes.subarray(start, end))
    const latest = this.#latest[column] ?? ''
    const text = isCell(latest) ? latest : bytes.toString('utf8', start, end)
    if (text.length <= longestKept) this.#latest[column] = text
    if (kind === 'float') return Number(text)
    return kind === 'integer' ? integerOf(text) : text
  }
}

/** Exact: as a number within 2^53, as text beyond. */
function integerOf(text: string): number | string {
  const value = Number(text)
  return text.length < exactDigits || Number.isSafeInteger(value) ? value : text
}

/** Whether the current cell holds this text; non-ASCII texts never compare equal. */
function isCell(text: string): boolean {
  const { bytes, start, end } = cell
  if (text.length !== end - start) return false
  for (let index = 0; index < text.length; index += 1) {
    const code = text.charCodeAt(index)
    if (code !== bytes[start + index] || code > 0x7f) return false
  }
  return true
}

/**
 * By number of columns. There are few statements, so few shapes; all sessions of a thread share them. What a server makes
 * up for itself must not push out those of the others, nor take memory: the least recently used goes, big ones are not kept.
 */
const known = new Map<number, KeptShape[]>()
const mostKept = 200
const biggestKept = 32_768
let kept = 0
let uses = 0

interface KeptShape {
  readonly shape: RowShape
  usedAt: number
}

function keep(columns: number, shape: RowShape): void {
  if (shape.bytes.length > biggestKept) return
  known.set(columns, [...(known.get(columns) ?? []), { shape, usedAt: ++uses }])
  kept += 1
  if (kept > mostKept) forgetOldest()
}

function forgetOldest(): void {
  const lists = [...known]
  const oldest = Math.min(...lists.flatMap(([, list]) => list.map(({ usedAt }) => usedAt)))
  for (const [columns, list] of lists) {
    const rest = list.filter(({ usedAt }) => usedAt !== oldest)
    kept -= list.length - rest.length
    if (rest.length === 0) known.delete(columns)
    else known.set(columns, rest)
  }
}

/** A shape and the start of its rows. */
export interface FoundShape {
  readonly shape: RowShape
  readonly next: number
}

/** The shape whose definitions start at `from`; undefined while bytes are missing. */
export function shapeAt(bytes: Buffer, from: number, columns: number): FoundShape | undefined {
  for (const candidate of known.get(columns) ?? []) {
    const { shape } = candidate
    const next = from + shape.bytes.length
    if (next > bytes.length || shape.bytes.compare(bytes, from, next) !== 0) continue
    candidate.usedAt = ++uses
    return { shape, next }
  }
  const read = readShape(bytes, from, columns)
  if (read) keep(columns, read.shape)
  return read
}

function readShape(bytes: Buffer, from: number, columns: number): FoundShape | undefined {
  const definitions: { name: string; kind: Kind }[] = []
  let next = from
  // One packet per column, and the packet that ends them.
  for (let count = 0; count <= columns; count += 1) {
    const packet = packetAt(bytes, next)
    if (!packet) return undefined
    if (count < columns) definitions.push(definitionOf(packet))
    next = packet.next
  }
  return { shape: new RowShape(Buffer.from(bytes.subarray(from, next)), definitions), next }
}

/** Catalog, schema, table twice, name, and more: the name is the fifth text. */
function definitionOf({ bytes, start, end }: WirePacket): { readonly name: string; readonly kind: Kind } {
  let at = start
  for (let count = 0; count < 4; count += 1) {
    const { value, next } = lengthAt(bytes, at)
    at = next + value
  }
  const { value: length, next } = lengthAt(bytes, at)
  const fixed = end - fixedLength
  const [charset, type] = [bytes.readUInt16LE(fixed), bytes[fixed + 6] ?? 0]
  return { name: bytes.toString('utf8', next, next + length), kind: kindOf(type, charset) }
}

function kindOf(type: number, charset: number): Kind {
  if (integers.has(type)) return 'integer'
  if (floats.has(type)) return 'float'
  return perhapsBytes.has(type) && charset === binaryCharset ? 'bytes' : 'text'
}
