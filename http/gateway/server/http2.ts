// HTTP/2 on TLS connections whose client asks for it: bounded as HTTP/1.1 is, so that a hostile session harms nobody else.
import type { RequestListener } from 'node:http'
import {
  constants,
  createServer,
  type Http2ServerRequest,
  type Http2ServerResponse,
  type ServerHttp2Session,
  type ServerHttp2Stream,
} from 'node:http2'
import type { Duplex } from 'node:stream'
import type { Limits } from '../kit/options.js'

/** Requests that one session may have open: a browser has all its tabs' streams on one. */
const STREAMS = 100
/** Requests that a session may reset at once, and a second later on: a browser that leaves a page resets a few. */
const RESETS = 200
const RESETS_A_SECOND = 33
/** Headers of one request. */
const PAIRS = 100

export interface Http2Sessions {
  /** Takes over a connection that has agreed on `h2`. */
  take(socket: Duplex): void
  /** Ends sessions without an open request. */
  closeIdle(): void
  /** Takes no more requests (GOAWAY); sessions end with their last one. */
  close(): void
}

interface Open {
  readonly streams: Set<ServerHttp2Stream>
  /** Runs while no request is open. */
  idle: NodeJS.Timeout
}

export function createHttp2(limits: Limits, serve: RequestListener): Http2Sessions {
  const sessions = new Map<ServerHttp2Session, Open>()
  // The two kinds of requests and responses are alike in what the gateway uses of them.
  const server = createServer(serverOptions(limits), (req: Http2ServerRequest, res: Http2ServerResponse) => {
    boundBody(req, limits.requestMs)
    ;(serve as unknown as (req: Http2ServerRequest, res: Http2ServerResponse) => void)(req, res)
  })
  server.on('session', (session) => {
    const endAfter = (ms: number) => setTimeout(() => session.destroy(), ms)
    const open: Open = { streams: new Set(), idle: endAfter(limits.headersMs) }
    sessions.set(session, open)
    session.setTimeout(limits.idleMs)
    session.on('timeout', () => {
      if (![...open.streams].some(isAwaited)) session.destroy()
    })
    session.on('stream', (stream: ServerHttp2Stream) => {
      clearTimeout(open.idle)
      open.streams.add(stream)
      stream.setTimeout(limits.idleMs)
      stream.on('timeout', () => {
        if (!isAwaited(stream)) stream.close(constants.NGHTTP2_CANCEL)
      })
      stream.once('close', () => {
        open.streams.delete(stream)
        if (open.streams.size === 0 && sessions.has(session)) open.idle = endAfter(limits.keepAliveMs)
      })
    })
    session.once('close', () => {
      clearTimeout(open.idle)
      sessions.delete(session)
    })
  })
  // What a client does wrong ends its session, and is no fault of the gateway.
  server.on('sessionError', (_error, session) => session.destroy())
  return {
    take: (socket) => void server.emit('connection', socket),
    closeIdle: () => {
      for (const [session, { streams }] of sessions) if (streams.size === 0) session.close()
    },
    close: () => {
      for (const session of sessions.keys()) session.close()
    },
  }
}

/** The request is whole and nothing of its answer was sent: it waits, as in HTTP/1.1 (`endIdle`). */
const isAwaited = ({ readableEnded, endAfterHeaders, headersSent }: ServerHttp2Stream): boolean =>
  (readableEnded || endAfterHeaders) && !headersSent

const serverOptions = ({ headerBytes }: Limits) => ({
  settings: { enablePush: false, maxConcurrentStreams: STREAMS, maxHeaderListSize: headerBytes },
  maxHeaderListPairs: PAIRS,
  maxSessionInvalidFrames: 100,
  maxSessionRejectedStreams: 100,
  streamResetBurst: RESETS,
  streamResetRate: RESETS_A_SECOND,
})

/** A body that does not end in time is cut off, as in HTTP/1.1. */
function boundBody({ stream, complete }: Http2ServerRequest, requestMs: number): void {
  if (complete) return
  const late = setTimeout(() => stream.close(constants.NGHTTP2_CANCEL), requestMs)
  const inTime = () => clearTimeout(late)
  stream.once('end', inTime)
  stream.once('close', inTime)
}
