// Joins pieces that were deflated once and the individual rest of an archive to one gzip member.
import { constants, crc32, deflateRawSync } from 'node:zlib'

/** A deflated part of archives, with what the trailer needs of it. */
export interface Piece {
  readonly deflated: Buffer
  readonly bytes: Buffer
  /** Of the bytes alone: used where the piece comes first. */
  readonly crc: number
}

/**
 * Ended on a byte boundary with nothing that what follows could refer to. `compress`: as small as possible, for what many
 * archives begin with; `store`: unchanged, since packing a few kilobytes costs more than the rest of an archive.
 */
export const deflatePiece = (bytes: Buffer, method: 'compress' | 'store'): Piece => ({
  deflated:
    method === 'compress'
      ? deflateRawSync(bytes, { level: 9, memLevel: 9, finishFlush: constants.Z_FULL_FLUSH })
      : Buffer.concat(storedBlocks(bytes, { last: false })),
  bytes,
  crc: crc32(bytes),
})

/** Most bytes of one stored block (RFC 1951, 3.2.4). */
const MOST_STORED = 65_535

/** Bytes as they are, in blocks that start on a byte boundary: the head of each and what it holds. */
function storedBlocks(bytes: Buffer, { last }: { readonly last: boolean }): readonly Buffer[] {
  const blocks: Buffer[] = []
  for (let at = 0; at === 0 || at < bytes.length; at += MOST_STORED) {
    const part = bytes.subarray(at, at + MOST_STORED)
    const { length } = part
    const isLast = last && at + length === bytes.length
    blocks.push(Buffer.from([Number(isLast), length, length >> 8, ~length, ~length >> 8]), part)
  }
  return blocks
}

/** The parts of an archive, in this order. */
export interface ArchiveParts {
  readonly first: Piece
  /** Individual pieces; few and small, since their checksums are computed each time. */
  readonly more: readonly Piece[]
  readonly rest: Buffer
  /** The comment of the file: ASCII without NUL. */
  readonly label: string
}

/** An ordinary gzip file (RFC 1952) of all pieces and the rest. */
export function stitchGzip({ first, more, rest, label }: ArchiveParts): Buffer {
  // zlib takes an empty buffer for a request to restart the checksum.
  const others = [...more.map(({ bytes }) => bytes), rest].filter(({ length }) => length > 0)
  const checksum = others.reduce((crc, bytes) => crc32(bytes, crc), first.crc)
  const length = more.reduce((sum, { bytes }) => sum + bytes.length, first.bytes.length + rest.length)
  const trailer = Buffer.alloc(8)
  trailer.writeUInt32LE(checksum, 0)
  trailer.writeUInt32LE(length % 2 ** 32, 4)
  return Buffer.concat([
    gzipHead,
    Buffer.from(`${label}\0`, 'latin1'),
    first.deflated,
    ...more.map(({ deflated }) => deflated),
    ...storedBlocks(rest, { last: true }),
    trailer,
  ])
}

/** Magic, deflate, a comment follows, no time, no extra flags, system Unix. */
const gzipHead = Buffer.from([0x1f, 0x8b, 8, 0x10, 0, 0, 0, 0, 0, 3])

/** Bytes of an archive's beginning that hold its label. */
export const LABEL_BYTES = 128

/** The label of an archive from its first bytes; undefined when it has none. */
export function readLabel(start: Buffer): string | undefined {
  const end = start.indexOf(0, gzipHead.length)
  if (end < 0 || !start.subarray(0, gzipHead.length).equals(gzipHead)) return undefined
  return start.toString('latin1', gzipHead.length, end)
}
