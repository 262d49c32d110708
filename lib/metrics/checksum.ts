// The CRC-32 of gzip (RFC 1952, 8) over text that is never written out: parts count with the checksum they have alone.
//
// The checksum is linear: that of two parts in a row is the first one's, moved on by as many zero bytes as the second
// has, plus (without carry) the second one's.
import type { Part } from './part.js'

const POLYNOMIAL = 0xedb88320
const BITS = 8

/** The checksum's step for each byte. */
const steps = Int32Array.from({ length: 256 }, (_, byte) => {
  let value = byte
  for (let bit = 0; bit < BITS; bit += 1) value = value & 1 ? (value >>> 1) ^ POLYNOMIAL : value >>> 1
  return value
})

/** The checksum ahead of the first byte; what gzip stores is the last one's complement. */
export const START = -1

export const addByte = (checksum: number, byte: number): number =>
  (steps[(checksum ^ byte) & 255] as number) ^ (checksum >>> BITS)

/** The checksum after this part. */
export function addPart(checksum: number, part: Part): number {
  part.checksum ??= ofBytes(part)
  return moveOn(checksum, part.length) ^ part.checksum
}

function ofBytes({ bytes, from, to }: Part): number {
  let checksum = 0
  for (let at = from; at < to; at += 1) checksum = addByte(checksum, bytes[at] as number)
  return checksum
}

/** Lengths that have tables, 4 KB each: names and label sets are seldom longer. */
const LONGEST = 512
const tables: (Int32Array | undefined)[] = []

/** The checksum after so many zero bytes. */
function moveOn(checksum: number, count: number): number {
  if (count > LONGEST) return addZeros(checksum, count)
  const table = tables[count] ?? makeTable(count)
  return (
    (table[checksum & 255] as number) ^
    (table[256 + ((checksum >>> 8) & 255)] as number) ^
    (table[512 + ((checksum >>> 16) & 255)] as number) ^
    (table[768 + (checksum >>> 24)] as number)
  )
}

function makeTable(count: number): Int32Array {
  const table = Int32Array.from({ length: 1_024 }, (_, index) =>
    addZeros((index & 255) << (BITS * (index >>> BITS)), count),
  )
  tables[count] = table
  return table
}

function addZeros(checksum: number, count: number): number {
  let value = checksum
  for (let zero = 0; zero < count; zero += 1) value = addByte(value, 0)
  return value
}
