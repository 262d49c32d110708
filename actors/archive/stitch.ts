// Makes one gzip member of a prefix that was deflated once and a rest that is deflated for each archive.
import { constants, crc32, deflateRawSync } from 'node:zlib'

/** A deflated beginning of archives, with what the trailer needs to know of it. */
export interface Prefix {
  readonly deflated: Buffer
  readonly crc: number
  readonly length: number
}

/** Compressed as well as it goes, and ended on a byte boundary with nothing that the rest could refer to. */
export const deflatePrefix = (bytes: Buffer): Prefix => ({
  deflated: deflateRawSync(bytes, { level: 9, memLevel: 9, finishFlush: constants.Z_FULL_FLUSH }),
  crc: crc32(bytes),
  length: bytes.length,
})

/** An ordinary gzip file (RFC 1952) of prefix and rest; `label` is its comment: ASCII without NUL. */
export function stitchGzip(prefix: Prefix, rest: Buffer, label: string): Buffer {
  const trailer = Buffer.alloc(8)
  trailer.writeUInt32LE(crc32(rest, prefix.crc), 0)
  trailer.writeUInt32LE((prefix.length + rest.length) % 2 ** 32, 4)
  return Buffer.concat([
    gzipHead,
    Buffer.from(`${label}\0`, 'latin1'),
    prefix.deflated,
    deflateRawSync(rest, REST),
    trailer,
  ])
}

/** The rest is small: a small window costs less to set up and packs it as well. */
const REST = { windowBits: 13, memLevel: 7 } as const

/** Magic, deflate, a comment follows, no time, no extra flags, system Unix. */
const gzipHead = Buffer.from([0x1f, 0x8b, 8, 0x10, 0, 0, 0, 0, 0, 3])

/** The label of an archive from its first bytes; undefined when it has none. */
export function readLabel(start: Buffer): string | undefined {
  const end = start.indexOf(0, gzipHead.length)
  if (end < 0 || !start.subarray(0, gzipHead.length).equals(gzipHead)) return undefined
  return start.toString('latin1', gzipHead.length, end)
}
