// Sends a published view: the bytes of its owner with their version, packed for who accepts it, 304 for who has it.
import type { PublishedView } from '../../actors/protocol/manager/face.js'
import { mayPack, packOnce } from './compress.js'
import type { Exchange } from './context.js'
import { everyHeader, type Headers, isFresh, JSON_TYPE } from './headers.js'

/** The promise is there only when the bytes have to be packed. */
export function sendPublished(exchange: Exchange, { bytes, etag }: PublishedView): void | Promise<void> {
  const { req } = exchange
  // Weak: the packed and the plain form of a version are equal in meaning, not in bytes.
  const tag = `W/"${etag}"`
  const headers = [
    ...['Content-Type', JSON_TYPE, 'Cache-Control', 'private, no-cache'],
    ...['Vary', 'Accept-Encoding', 'ETag', tag],
  ]
  if (isFresh(req, tag)) return end(exchange, headers)
  if (!mayPack(req, bytes)) return end(exchange, headers, bytes)
  return packOnce(bytes).then((packed) => end(exchange, [...headers, 'Content-Encoding', 'gzip'], packed))
}

/** Ends past koa's own ending, which costs as much as the rest of the chain. 304 without bytes. */
function end(exchange: Exchange, headers: Headers, bytes?: Buffer): void {
  const length = bytes ? ['Content-Length', String(bytes.length)] : []
  const [status, phrase] = bytes ? [200, 'OK'] : [304, 'Not Modified']
  exchange.res.writeHead(status, phrase, [...everyHeader(exchange), ...headers, ...length])
  exchange.res.end(bytes)
}
