// gzip for clients that accept it, off the main thread; bytes that are sent repeatedly are compressed once.
import type { IncomingMessage } from 'node:http'
import { promisify } from 'node:util'
import { gzip } from 'node:zlib'
import type { GatewayContext } from '../kit/context.js'

/** Smaller bodies are sent as they are: one packet either way. */
const THRESHOLD = 1_024

const pack = promisify(gzip)
const packed = new WeakMap<Buffer, Promise<Buffer>>()

/** Sets the body, compressed when that is worth it, with `Vary` for caches. */
export async function sendBytes(ctx: GatewayContext, bytes: Buffer): Promise<void> {
  if (bytes.length > THRESHOLD) ctx.vary('Accept-Encoding')
  if (!mayPack(ctx.req, bytes)) {
    ctx.body = bytes
    return
  }
  const body = await packOnce(bytes)
  ctx.set('Content-Encoding', 'gzip')
  ctx.body = body
}

export const mayPack = ({ headers, method }: IncomingMessage, bytes: Buffer): boolean =>
  bytes.length > THRESHOLD && acceptsGzip(headers['accept-encoding']) && method !== 'HEAD'

/** The same bytes, compressed once for all requests. */
export function packOnce(bytes: Buffer): Promise<Buffer> {
  const running = packed.get(bytes) ?? pack(bytes)
  packed.set(bytes, running)
  return running
}

const refused = '(?!\\s*;\\s*q=0(\\.0*)?\\s*(,|$))'

const codings = { gzip: new RegExp(`\\bgzip\\b${refused}`), br: new RegExp(`\\bbr\\b${refused}`) }

/** Whether the client's `Accept-Encoding` takes the coding. */
export const accepts = (header: string | undefined, coding: keyof typeof codings): boolean =>
  header !== undefined && codings[coding].test(header)

export const acceptsGzip = (header: string | undefined): boolean => accepts(header, 'gzip')
