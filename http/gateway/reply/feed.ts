// An open response of server-sent events: kept alive, cut off when the reader is too slow, ended when it may not have it any more.
import { Readable } from 'node:stream'
import type { Failure } from '../../../lib/base/result.js'
import { gzipHead, packPiece, storePiece } from './gzip-pieces.js'

/** Pieces of a stream follow each other no faster: five hundred listeners of a failover are written to a few times, not fifty. */
const PIECES_MS = 20

export interface FeedOptions {
  /** Bytes that may wait for the reader. */
  readonly maxBytes: number
  readonly heartbeatMs: number
  /** Calls back when the reader may not have the stream any more: it ends with an event that says why. What is returned ends the watch. */
  readonly watch: (ended: (why: Failure) => void) => () => void
  readonly signal: AbortSignal
  /** The reader takes gzip: what it is given whole is compressed. */
  readonly packs?: boolean
}

export interface Feed {
  /** What comes within a moment goes out together. */
  write(text: string): void
  /** Bytes that other readers are sent as well: they are not copied. */
  share(bytes: Buffer): void
  /** The same, whatever waits already: a reader that is slower than it is large is not cut off for it. */
  shareWhole(bytes: Buffer): void
}

/** The stream; `begin` is given its end. It ends with `signal` and with what permits it, and is broken off when the reader falls behind. */
export function createFeed(options: FeedOptions, begin: (feed: Feed, over: AbortSignal) => void): Readable {
  const { maxBytes, heartbeatMs, watch, signal, packs = false } = options
  const over = new AbortController()
  const stream = new Readable({
    highWaterMark: maxBytes,
    read() {},
    destroy: (error, callback) => {
      over.abort()
      callback(error)
    },
  })
  const end = () => over.abort()
  // A failover raises many events at once, and a write costs more than its bytes: the first event after a pause goes out with
  // what else comes within its turn, and whatever follows soon goes out together.
  let waiting = ''
  let flushedAt = Number.NEGATIVE_INFINITY
  let whole = 0
  /** What follows a piece that is being compressed. */
  let held: Buffer[] | undefined
  const put = (bytes: Buffer) => {
    if (held) held.push(bytes)
    else if (!stream.destroyed) stream.push(bytes)
  }
  const flush = () => {
    const text = waiting
    waiting = ''
    flushedAt = performance.now()
    if (text === '') return
    const bytes = Buffer.from(text)
    put(packs ? storePiece(bytes) : bytes)
  }
  const flushSoon = () => {
    const restMs = PIECES_MS - (performance.now() - flushedAt)
    if (restMs > 0) setTimeout(flush, restMs)
    else setImmediate(flush)
  }
  /** False for a reader that is cut off now, or was before. */
  const hasRoom = (bytes: number): boolean => {
    if (over.signal.aborted) return false
    const most = maxBytes + whole
    if (stream.readableLength + waiting.length + bytes <= most) return true
    stream.destroy()
    return false
  }
  const push = (bytes: Buffer) => {
    flush()
    put(packs ? storePiece(bytes) : bytes)
  }
  const pushPacked = async (bytes: Buffer) => {
    flush()
    held = []
    const piece = await packPiece(bytes).catch(() => storePiece(bytes))
    const after = held
    held = undefined
    for (const each of [piece, ...after]) put(each)
    if (over.signal.aborted && !stream.destroyed) stream.push(null)
  }
  const feed: Feed = {
    write: (text) => {
      if (!hasRoom(text.length)) return
      if (waiting === '') flushSoon()
      waiting += text
    },
    share: (bytes) => {
      if (hasRoom(bytes.length)) push(bytes)
    },
    shareWhole: (bytes) => {
      whole = bytes.length
      if (!hasRoom(bytes.length)) return
      if (packs && !held) void pushPacked(bytes)
      else push(bytes)
    },
  }
  const beat = setInterval(() => feed.write(': alive\n\n'), heartbeatMs)
  const unwatch = watch(({ code, message }) => {
    feed.write(`event: ended\ndata: ${JSON.stringify({ code, message })}\n\n`)
    end()
  })
  signal.addEventListener('abort', end, { once: true })
  over.signal.addEventListener('abort', () => {
    clearInterval(beat)
    unwatch()
    signal.removeEventListener('abort', end)
    flush()
    if (!held && !stream.destroyed) stream.push(null)
  })
  if (packs) stream.push(gzipHead)
  feed.write('retry: 2000\n\n')
  if (signal.aborted) end()
  else begin(feed, over.signal)
  return stream
}
