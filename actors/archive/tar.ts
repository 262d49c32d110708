// Writes the entries of a tree as tar records: fixed owner and time, so equal trees give equal bytes.
import type { TreeEntry } from '../../lib/configure/index.js'

const BLOCK = 512

/** 2000-01-01: fixed, yet late enough that no tar calls it implausible. */
const FIXED_TIME = 946_684_800

/** Header and padded content of each entry (ustar); paths are relative and at most 100 bytes long. */
export const tarRecords = (entries: readonly TreeEntry[]): Buffer => writeRecords(entries, 0)

/** The same, and what ends an archive. */
export const tarEnding = (entries: readonly TreeEntry[]): Buffer => writeRecords(entries, 2 * BLOCK)

/** All in one piece of memory: a buffer for each part would cost more than its content. */
function writeRecords(entries: readonly TreeEntry[], blanks: number): Buffer {
  const sizes = entries.map((entry) => (entry.kind === 'file' ? Buffer.byteLength(entry.text) : 0))
  const bytes = Buffer.alloc(sizes.reduce((sum, size) => sum + BLOCK + padded(size), blanks))
  let at = 0
  entries.forEach((entry, index) => {
    const size = sizes[index] ?? 0
    writeHeader(bytes.subarray(at, at + BLOCK), entry, size)
    if (entry.kind === 'file') bytes.write(entry.text, at + BLOCK)
    at += BLOCK + padded(size)
  })
  return bytes
}

const padded = (size: number): number => Math.ceil(size / BLOCK) * BLOCK

const types = { file: '0', link: '2', directory: '5' } as const

/** POSIX.1-1988 ustar header: https://pubs.opengroup.org/onlinepubs/9699919799/utilities/pax.html#tag_20_92_13_06 */
function writeHeader(block: Buffer, entry: TreeEntry, size: number): void {
  block.set(blank)
  writeName(block, 0, entry.kind === 'directory' ? `${entry.path}/` : entry.path)
  block.write(octal(entry.kind === 'link' ? 0o777 : entry.mode, 7), 100, 'latin1')
  block.write(octal(size, 11), 124, 'latin1')
  block.write(types[entry.kind], 156, 'latin1')
  if (entry.kind === 'link') writeName(block, 157, entry.target)
  block.write(`${octal(checksum(block), 6)}\0 `, 148, 'latin1')
}

/** The sum of all bytes; only the fields of an entry are counted anew, since the others are as in `blank`. */
function checksum(block: Buffer): number {
  let sum = BLANK_SUM
  for (const [start, end] of ownFields) {
    for (let at = start; at < end; at += 1) sum += (block[at] ?? 0) - (blank[at] ?? 0)
  }
  return sum
}

/** Name, mode, size, and type with the name of a link's target. */
const ownFields = [
  [0, 108],
  [124, 136],
  [156, 257],
] as const

/** What all headers have in common: owner root, the time, blanks where the checksum will stand, the magic. */
const blank = Buffer.alloc(BLOCK)
for (const [offset, text] of [
  [108, '0000000'],
  [116, '0000000'],
  [136, FIXED_TIME.toString(8)],
  [148, ' '.repeat(8)],
  [257, 'ustar\u000000'],
  [265, 'root'],
  [297, 'root'],
] as const)
  blank.write(text, offset)

const BLANK_SUM = blank.reduce((sum, byte) => sum + byte, 0)

const octal = (value: number, digits: number): string => value.toString(8).padStart(digits, '0')

function writeName(block: Buffer, offset: number, name: string): void {
  if (Buffer.byteLength(name) > 100) throw new RangeError(`a name in an archive has at most 100 bytes: ${name}`)
  block.write(name, offset)
}
