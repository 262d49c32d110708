// Sends a published view: the bytes of its owner with their version, gzip for clients that accept it, 304 for a known version.
import type { PublishedView } from '../../../actors/protocol/manager/face.js'
import type { GatewayContext } from '../kit/context.js'
import { mayPack, packOnce } from './compress.js'
import { everyHeader, type Headers, isFresh, JSON_TYPE, setHeaders } from './headers.js'

/** The promise is there only when the bytes have to be packed. */
export function sendPublished(
  ctx: GatewayContext,
  { bytes, etag }: PublishedView,
  more: Headers = [],
): void | Promise<void> {
  const { req } = ctx
  // Weak: the packed and the plain form of a version are equal in meaning, not in bytes.
  const tag = `W/"${etag}"`
  const headers = [
    ...['Content-Type', JSON_TYPE, 'Cache-Control', 'private, no-cache'],
    ...['Vary', 'Accept-Encoding', 'ETag', tag, ...more],
  ]
  if (isFresh(req, tag)) return end(ctx, headers)
  if (!mayPack(req, bytes)) return end(ctx, headers, bytes)
  return packOnce(bytes).then((packed) => end(ctx, [...headers, 'Content-Encoding', 'gzip'], packed))
}

/** Ends the response itself: koa's own way of it costs half as much as a bare server's whole request. 304 without bytes. */
function end(ctx: GatewayContext, headers: Headers, bytes?: Buffer): void {
  const length = bytes ? ['Content-Length', String(bytes.length)] : []
  const [status, phrase] = bytes ? [200, 'OK'] : [304, 'Not Modified']
  ctx.respond = false
  if (ctx.req.httpVersionMajor === 2) {
    // It has no phrases, and keeps only the last of two headers of one name.
    setHeaders(ctx, [...everyHeader(ctx), ...headers, ...length])
    ctx.res.writeHead(status)
  } else ctx.res.writeHead(status, phrase, [...everyHeader(ctx), ...headers, ...length])
  ctx.res.end(bytes)
}
