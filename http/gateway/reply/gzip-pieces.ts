// A gzip stream of pieces that are made apart and sent to many readers: what is large is compressed once, all else is stored in it as it is.
import { promisify } from 'node:util'
import { constants, deflateRaw, type ZlibOptions } from 'node:zlib'

/** RFC 1952: deflate, no name, no time. It has no end of its own: a stream that ends is broken off. */
export const gzipHead = Buffer.from([0x1f, 0x8b, 8, 0, 0, 0, 0, 0, 0, 0xff])

/** Bytes of one stored block. */
const MOST = 0xffff

const stored = new WeakMap<Buffer, Buffer>()
const packed = new WeakMap<Buffer, Promise<Buffer>>()

/** The bytes in stored blocks (RFC 1951, 3.2.4), made once for all readers. */
export function storePiece(bytes: Buffer): Buffer {
  const known = stored.get(bytes)
  if (known) return known
  const parts: Buffer[] = []
  for (let at = 0; at < bytes.length; at += MOST) {
    const part = bytes.subarray(at, at + MOST)
    const head = Buffer.alloc(5)
    head.writeUInt16LE(part.length, 1)
    head.writeUInt16LE(part.length ^ MOST, 3)
    parts.push(head, part)
  }
  const piece = Buffer.concat(parts)
  stored.set(bytes, piece)
  return piece
}

const deflate = promisify<Buffer, ZlibOptions, Buffer>(deflateRaw)

/** The bytes compressed, off the main thread, once for all readers: it ends with a whole byte and refers to nothing before it. */
export function packPiece(bytes: Buffer): Promise<Buffer> {
  const running = packed.get(bytes) ?? deflate(bytes, { finishFlush: constants.Z_FULL_FLUSH })
  packed.set(bytes, running)
  return running
}
