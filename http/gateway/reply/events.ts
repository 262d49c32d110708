// Server-sent events: resumable, kept alive, and cut off when the reader is too slow or its session has ended.
import { Readable } from 'node:stream'
import type { ClusterEvent } from '../../../lib/model/event.js'
import type { EventSource } from '../../api/kit/route.js'

/** Pieces of a stream follow each other no faster: five hundred listeners of a failover are written to a few times, not fifty. */
const PIECES_MS = 20

export interface EventStreamOptions {
  readonly source: EventSource
  /** The last event that the reader has; undefined: new ones only. */
  readonly after: number | undefined
  /** Bytes that may wait for the reader. */
  readonly maxBytes: number
  readonly heartbeatMs: number
  /** Asked with every heartbeat; false ends the stream. */
  readonly mayGoOn: () => boolean
  readonly signal: AbortSignal
}

/** The stream of events. It ends with `signal` and with the session, and is broken off when the reader falls behind. */
export function createEventStream(options: EventStreamOptions): Readable {
  const { source, after, maxBytes, heartbeatMs, mayGoOn, signal } = options
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
  const flush = () => {
    const text = waiting
    waiting = ''
    flushedAt = performance.now()
    if (text !== '' && !stream.destroyed) stream.push(text)
  }
  const flushSoon = () => {
    const restMs = PIECES_MS - (performance.now() - flushedAt)
    if (restMs > 0) setTimeout(flush, restMs)
    else setImmediate(flush)
  }
  const write = (text: string) => {
    if (over.signal.aborted) return
    if (stream.readableLength + waiting.length + text.length > maxBytes) {
      stream.destroy()
      return
    }
    if (waiting === '') flushSoon()
    waiting += text
  }
  const beat = setInterval(() => (mayGoOn() ? write(': alive\n\n') : end()), heartbeatMs)
  signal.addEventListener('abort', end, { once: true })
  over.signal.addEventListener('abort', () => {
    clearInterval(beat)
    signal.removeEventListener('abort', end)
    flush()
    if (!stream.destroyed) stream.push(null)
  })
  write('retry: 2000\n\n')
  if (signal.aborted) end()
  else source(after, numbered(after, write), over.signal)
  return stream
}

/** Writes events; a number that does not follow on means that some were missed, and that the state must be read again. */
function numbered(after: number | undefined, write: (text: string) => void): (event: ClusterEvent) => void {
  let last = after
  return (event) => {
    if (last !== undefined && event.id !== last + 1) write(`event: reset\ndata: {"after":${last}}\n\n`)
    last = event.id
    write(renderEvent(event))
  }
}

/** The number a reader gives to resume: `Last-Event-ID`, or `?lastEventId=` where headers cannot be set. */
export function parseLastEventId(header: string | string[] | undefined, query: string | undefined): number | undefined {
  const text = typeof header === 'string' ? header : query
  return text !== undefined && /^\d{1,15}$/.test(text) ? Number(text) : undefined
}

/** Every listener is sent the same text. */
const rendered = new WeakMap<ClusterEvent, string>()

function renderEvent(event: ClusterEvent): string {
  const text = rendered.get(event) ?? `id: ${event.id}\nevent: ${event.kind}\ndata: ${JSON.stringify(event)}\n\n`
  rendered.set(event, text)
  return text
}
