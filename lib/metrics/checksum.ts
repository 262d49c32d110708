// The CRC-32 of gzip (RFC 1952, 8) over text that is never written out: parts count with the checksum they have alone.
//
// The checksum is linear: that of two parts in a row is the first one's, moved on by as many zero bytes as the second
// has, plus (without carry) the second one's.
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

/** What two steps make of the byte that is taken first. */
const twoSteps = steps.map((value) => addByte(value, 0))

/** The checksum after these bytes. */
// biome-ignore lint/complexity/useMaxParams: an object for each value would cost as much as what it is for
export function addBytes(checksum: number, bytes: Uint8Array, from: number, to: number): number {
  let value = checksum
  let at = from
  for (; at + 1 < to; at += 2) {
    value ^= (bytes[at] as number) | ((bytes[at + 1] as number) << BITS) // both are inside
    value = (twoSteps[value & 255] as number) ^ (steps[(value >>> BITS) & 255] as number) ^ (value >>> (2 * BITS))
  }
  return at < to ? addByte(value, bytes[at] as number) : value
}

/** What, added (without carry) to the checksum ahead of as many zero bytes, has the effect of these bytes. */
export function aheadOf(bytes: Uint8Array): number {
  let value = addBytes(0, bytes, 0, bytes.length)
  for (let zero = 0; zero < bytes.length; zero += 1) {
    const step = stepTo[value >>> 24] as number
    value = ((value ^ (steps[step] as number)) << BITS) | step
  }
  return value
}

/** Which step leaves this in the highest byte: each leaves something else. */
const stepTo = Uint8Array.from({ length: 256 }, (_, highest) => steps.findIndex((value) => value >>> 24 === highest))

/** Lengths that have tables, 4 KB each: name and label set are seldom longer. */
const LONGEST = 512
const tables: (Int32Array | undefined)[] = []

/** The checksum after so many zero bytes. */
export function moveOn(checksum: number, count: number): number {
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
  const table = new Int32Array(4 * 256)
  for (let index = 0; index < table.length; index += 1) {
    const byte = index & 255
    const lowest = byte & -byte
    // Of one bit it is found, of several it is the sum of theirs.
    table[index] =
      byte === lowest
        ? addZeros(byte << (BITS * (index >>> BITS)), count)
        : (table[index - lowest] as number) ^ (table[index - byte + lowest] as number)
  }
  tables[count] = table
  return table
}

function addZeros(checksum: number, count: number): number {
  let value = checksum
  for (let zero = 0; zero < count; zero += 1) value = addByte(value, 0)
  return value
}
