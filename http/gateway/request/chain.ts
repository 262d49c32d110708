// The koa application of a listener: guard, checks of the request itself, the rows, then the pages for people.

import { randomBytes } from 'node:crypto'
import Koa, { type Middleware } from 'koa'
import type { WriteLog } from '../../../lib/base/log-codes.js'
import type { Route } from '../../api/kit/route.js'
import type { GatewayContext, GatewayState } from '../kit/context.js'
import type { LiveOptions } from '../kit/options.js'
import { createPage, type PageParts } from '../page/page.js'
import { everyHeader, isAllowedOrigin, setHeaders } from '../reply/headers.js'
import { createPages, type PageOptions } from '../reply/pages.js'
import { sendFailure } from '../reply/problem.js'
import { isTooLarge, tooLarge } from './body.js'
import { clientAddress, isSecure } from './client-address.js'
import { isPreflight, type Serve } from './role-path.js'
import { createRouter } from './router.js'
import { createRowMiddleware, type RowParts } from './row.js'

/** What decides about a request before its row: as configured now. */
export type Edge = Pick<LiveOptions, 'origins' | 'trustedProxies'>

export interface ChainParts extends RowParts, PageOptions {
  readonly routes: readonly Route[]
  readonly edge: () => Edge
  readonly page: PageParts
}

const preflightHeaders = [
  ...['Access-Control-Allow-Methods', 'GET, POST, PUT, DELETE, HEAD, OPTIONS'],
  'Access-Control-Allow-Headers',
  'X-Requested-With, Content-Type, Authorization, Accept, If-None-Match, Last-Event-ID',
  ...['Access-Control-Max-Age', '600'],
]

/** The request listener of one set of rows. */
export function createChain(parts: ChainParts): Serve {
  const app = new Koa<GatewayState>()
  app.silent = true
  app.on('error', (error: unknown, ctx?: GatewayContext) => logFault(parts.log, error, ctx))
  app.use(createGuard(parts.log, parts.edge))
  app.use(checkRequest(parts.limits.bodyBytes))
  app.use(createRouter({ routes: parts.routes, row: createRowMiddleware(parts), wrongMethod: refuseMethod }))
  app.use(createPages(parts).routes())
  app.use(createPage(parts.page))
  app.use((ctx) => sendFailure(ctx, { code: 'unknown-route', message: 'Not found' }))
  const callback = app.callback()
  return (req, res) => void callback(req, res)
}

/** Numbers the request, sets what every response carries, and answers for what was thrown. */
function createGuard(log: WriteLog, edge: () => Edge): Middleware<GatewayState> {
  const prefix = randomBytes(4).toString('hex')
  let count = 0
  return async (ctx, next) => {
    count += 1
    const id = `${prefix}-${count.toString(36)}`
    ctx.state.id = id
    const { origins = [], trustedProxies = [] } = edge()
    ctx.state.address = clientAddress(ctx.req, trustedProxies)
    ctx.state.secure = isSecure(ctx.req, trustedProxies)
    ctx.state.origins = origins
    try {
      await next()
    } catch (error) {
      logFault(log, error, ctx)
      sendFailure(ctx, { code: 'internal', message: `internal error, request ${id}` })
    }
    if (!ctx.res.headersSent) setHeaders(ctx, everyHeader(ctx))
  }
}

/** Answers preflights, and refuses what no row may get. */
function checkRequest(bodyBytes: number): Middleware<GatewayState> {
  return (ctx, next) => {
    const { req } = ctx
    if (isPreflight(req)) return respondToPreflight(ctx)
    if (!req.url?.startsWith('/')) return sendFailure(ctx, { code: 'bad-request', message: 'the target is no path' })
    return isTooLarge(req, bodyBytes) ? sendFailure(ctx, tooLarge(bodyBytes)) : next()
  }
}

function refuseMethod(ctx: GatewayContext, allow: readonly string[]): void {
  ctx.set('Allow', allow.join(', '))
  if (ctx.method === 'OPTIONS') ctx.status = 204
  else sendFailure(ctx, { code: 'wrong-method', message: `${ctx.method} is not allowed here` })
}

/** A page of another origin learns nothing that lets it go on. */
function respondToPreflight(ctx: GatewayContext): void {
  if (isAllowedOrigin(ctx)) setHeaders(ctx, preflightHeaders)
  ctx.status = 204
}

/** Clients that disconnect are no fault. */
function logFault(log: WriteLog, error: unknown, ctx: GatewayContext | undefined): void {
  const code = error instanceof Error && 'code' in error ? String(error.code) : ''
  if (['ECONNRESET', 'EPIPE', 'ERR_STREAM_PREMATURE_CLOSE', 'ABORT_ERR'].includes(code)) return
  const stack = error instanceof Error ? error.stack : String(error)
  log('error', 'request-failed', { request: ctx?.state.id, route: ctx?.state.route?.id, stack })
}
