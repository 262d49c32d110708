// Turns what a row answered into the response, by the type of its reply.
import { createHash } from 'node:crypto'
import { Readable } from 'node:stream'
import { done, type Result } from '../../../lib/base/result.js'
import { ageOf } from '../../api/kit/age.js'
import { cookieOf } from '../../api/kit/cookie.js'
import { emptyReasonOf } from '../../api/kit/empty.js'
import { type PartRequest, takePart } from '../../api/kit/part.js'
import {
  type Download,
  type EventSource,
  type FleetSource,
  isRead,
  type ReplyValues,
  type Route,
} from '../../api/kit/route.js'
import type { GatewayContext } from '../kit/context.js'
import { acceptsGzip, sendBytes } from './compress.js'
import { type Headers, isFresh, JSON_TYPE, setHeaders } from './headers.js'
import { sendPublished } from './view.js'

export interface ReplyParts {
  readonly ctx: GatewayContext
  readonly route: Route
  /** The part of the list that was asked for. */
  readonly part?: PartRequest | undefined
  /** Starts an event stream on the response. */
  readonly stream: (ctx: GatewayContext, source: EventSource | FleetSource) => Result<void>
}

type Send<T> = (parts: ReplyParts, value: T) => Result<void> | Promise<Result<void>>

const TEXT_TYPE = 'text/plain; charset=utf-8'
const CSV_TYPE = 'text/csv; charset=utf-8'
const EVENT_TYPE = 'text/event-stream; charset=utf-8'
const METRICS_TYPE = 'text/plain; version=0.0.4; charset=utf-8'

const senders: { readonly [Type in keyof ReplyValues]: Send<ReplyValues[Type]> } = {
  json: sendJson,
  view: sendView,
  text: (parts, value) => {
    const { ctx, route } = parts
    if (route.reply.emptyForGet && ctx.method === 'GET') return sendEmpty(parts)
    ctx.res.setHeader('Content-Type', TEXT_TYPE)
    return sendOnce({ ctx, route }, Buffer.from(typeof value === 'string' ? value : (route.reply.text ?? '')))
  },
  page: sendPage,
  empty: sendEmpty,
  bytes: sendDownload,
  events: async ({ ctx, stream }, source) => {
    setHeaders(ctx, ['Content-Type', EVENT_TYPE, 'Cache-Control', 'no-cache, no-transform'])
    return ctx.method === 'HEAD' ? done : stream(ctx, source)
  },
  metrics: sendMetrics,
}

/** Sends the value; a failure when it cannot be sent after all (too many streams). */
export function sendReply(parts: ReplyParts, value: unknown): Result<void> | Promise<Result<void>> {
  const { ctx, route } = parts
  ctx.status = route.reply.status
  const location = route.reply.location?.(value)
  if (location !== undefined) ctx.set('Location', location)
  const cookie = cookieOf(value)
  if (cookie !== undefined) ctx.res.appendHeader('Set-Cookie', cookie)
  const send = senders[route.reply.type] as Send<unknown> // the row's own types tie value and type together
  return send(parts, value)
}

function sendEmpty({ ctx, route }: Pick<ReplyParts, 'ctx' | 'route'>): Result<void> {
  ctx.res.setHeader('Cache-Control', 'no-store')
  ctx.body = ''
  ctx.status = route.reply.status
  ctx.remove('Content-Type')
  return done
}

function sendJson({ ctx, route, part }: ReplyParts, value: unknown): Promise<Result<void>> {
  const { csv, html, orText, typedWhenAsked } = route.reply
  if (orText && typeof value === 'string') {
    ctx.res.setHeader('Content-Type', TEXT_TYPE)
    return sendOnce({ ctx, route }, Buffer.from(value))
  }
  const age = ageOf(value)
  if (age !== undefined) ctx.set('Age', `${age}`)
  const reason = emptyReasonOf(value)
  if (reason !== undefined) ctx.set('X-Empty-Reason', reason)
  const { accept = '' } = ctx.req.headers
  if (csv && (accept.includes('text/csv') || ctx.query.form === 'csv')) {
    setHeaders(ctx, ['Content-Type', CSV_TYPE, 'Vary', 'Accept'])
    return sendOnce({ ctx, route }, Buffer.from(csv(value as never)))
  }
  const wantsHtml = html !== undefined && accept.includes('text/html')
  const isText = wantsHtml || (typedWhenAsked && !accept.includes('application/json'))
  ctx.res.setHeader('Content-Type', isText ? TEXT_TYPE : JSON_TYPE)
  const body = part ? partOf({ ctx, route, part }, value) : value
  return sendOnce({ ctx, route }, Buffer.from(wantsHtml ? html(value) : JSON.stringify(body)))
}

/** Without scripts and foreign resources: a browser that shows it loads nothing else. */
const PAGE_POLICY =
  "default-src 'none'; style-src 'unsafe-inline'; frame-ancestors 'none'; base-uri 'none'; form-action 'none'"

function sendPage({ ctx, route }: ReplyParts, { html, markdown }: ReplyValues['page']): Promise<Result<void>> {
  const wantsHtml = ctx.req.headers.accept?.includes('text/html') === true
  const type = wantsHtml ? 'text/html; charset=utf-8' : 'text/markdown; charset=utf-8'
  setHeaders(ctx, ['Content-Type', type, 'Vary', 'Accept', 'Content-Security-Policy', PAGE_POLICY])
  setHeaders(ctx, ['X-Frame-Options', 'DENY', 'Referrer-Policy', 'no-referrer'])
  return sendOnce({ ctx, route }, Buffer.from(wantsHtml ? html : markdown))
}

/** Bytes made for this request; those of a read carry the ETag of what they say. */
async function sendOnce({ ctx, route }: Pick<ReplyParts, 'ctx' | 'route'>, bytes: Buffer): Promise<Result<void>> {
  if (!isRead(route) || route.reply.text !== undefined) {
    ctx.res.setHeader('Cache-Control', 'no-store')
    await sendBytes(ctx, bytes)
    return done
  }
  const tag = `W/"${createHash('sha1').update(bytes).digest('base64url')}"`
  setHeaders(ctx, ['Cache-Control', 'private, no-cache', 'ETag', tag])
  if (isFresh(ctx.req, tag)) ctx.status = 304
  else await sendBytes(ctx, bytes)
  return done
}

/** The body with the part of its list that was asked for; headers say how much there is and where the next part is. */
function partOf({ ctx, route, part }: Omit<ReplyParts, 'stream'> & { part: PartRequest }, value: unknown): unknown {
  const { body, total, next } = takePart(value, route.reply.list ?? {}, part)
  setHeaders(ctx, partHeaders(ctx, { total, ...(next === undefined ? {} : { next }) }))
  return body
}

/** How much there is, and where the next part begins. */
function partHeaders(
  ctx: GatewayContext,
  { total, next }: { readonly total: number; readonly next?: number },
): Headers {
  if (next === undefined) return ['X-Total-Count', String(total)]
  const query = new URLSearchParams(ctx.querystring)
  query.set('offset', String(next))
  return ['X-Total-Count', String(total), 'Link', `<${ctx.path}?${query}>; rel="next"`]
}

function sendView(parts: ReplyParts, view: ReplyValues['view']): Result<void> | Promise<Result<void>> {
  const { ctx, part } = parts
  if (part) return sendJson(parts, JSON.parse(view.bytes.toString()))
  return sendPublished(ctx, view, view.part ? partHeaders(ctx, view.part) : [])?.then(() => done) ?? done
}

function sendDownload({ ctx }: ReplyParts, { bytes, etag, name }: Download): Result<void> {
  const tag = `"${etag}"`
  setHeaders(ctx, ['Content-Type', 'application/octet-stream', 'Cache-Control', 'private, no-cache', 'ETag', tag])
  if (name !== undefined) ctx.set('Content-Disposition', `attachment; filename="${name.replace(/[^\w.-]/g, '_')}"`)
  if (isFresh(ctx.req, tag)) {
    ctx.status = 304
    return done
  }
  ctx.length = bytes.length
  if (ctx.method !== 'HEAD') ctx.body = bytes
  return done
}

/** Pieces go out as the client takes them: a slow scrape holds one piece, not the whole text. */
async function sendMetrics({ ctx }: ReplyParts, pieces: ReplyValues['metrics']): Promise<Result<void>> {
  setHeaders(ctx, ['Content-Type', METRICS_TYPE, 'Cache-Control', 'no-store', 'Vary', 'Accept-Encoding'])
  const form = acceptsGzip(ctx.req.headers['accept-encoding']) ? 'gzip' : 'plain'
  if (ctx.method === 'HEAD') return done
  if (form === 'gzip') ctx.set('Content-Encoding', form)
  ctx.body = Readable.from(pieces(form), { objectMode: true, highWaterMark: 1 })
  return done
}
