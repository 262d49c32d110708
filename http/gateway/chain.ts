// The koa chain of a listener: guard → row → caller → answer, with the pages for people behind it.
import Koa, { type Middleware } from 'koa'
import type { Route } from '../api/kit/route.js'
import { type AnswerParts, answerRoute } from './answer.js'
import { isTooLarge, tooLarge } from './body.js'
import { createNumbering, exchangeOf, type GatewayContext, type GatewayState, pathOf } from './context.js'
import { everyHeader, setHeaders } from './headers.js'
import { createMatcher } from './match.js'
import type { GatewayLog } from './options.js'
import { createPages, type PageOptions } from './pages.js'
import { refuse } from './problem.js'
import { isPreflight, type Serve } from './role-path.js'

export interface ChainParts extends AnswerParts, PageOptions {
  readonly routes: readonly Route[]
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
  app.use(createGuard(parts.log))
  app.use(createApi(parts))
  app.use(createPages(parts).routes())
  app.use((ctx) => refuse(ctx, { code: 'unknown-route', message: 'Not found' }))
  const callback = app.callback()
  return (req, res) => void callback(req, res)
}

/** Numbers the request, sets what every response carries, and answers for what was thrown. */
function createGuard(log: GatewayLog): Middleware<GatewayState> {
  const nextId = createNumbering()
  return async (ctx, next) => {
    const id = nextId()
    ctx.state.id = id
    try {
      await next()
    } catch (error) {
      logFault(log, error, ctx)
      refuse(ctx, { code: 'internal', message: `internal error, request ${id}` })
    }
    if (!ctx.res.headersSent) setHeaders(ctx, everyHeader(exchangeOf(ctx)))
  }
}

/** Answers what the rows cover; everything else goes on to the pages. */
function createApi(parts: ChainParts): Middleware<GatewayState> {
  const find = createMatcher(parts.routes)
  const { bodyBytes } = parts.limits
  return (ctx, next) => {
    const { req } = ctx
    if (isPreflight(req)) return respondToPreflight(ctx)
    if (!req.url?.startsWith('/')) return refuse(ctx, { code: 'bad-request', message: 'the target is no path' })
    if (isTooLarge(req, bodyBytes)) return refuse(ctx, tooLarge(bodyBytes))
    const found = find(req.method ?? '', pathOf(req))
    if (found.type === 'none') return next()
    if (found.type === 'method') return refuseMethod(ctx, found.allow)
    if (!found.match.ok) return refuse(ctx, found.match.failure)
    ctx.state.match = found.match.value
    return answerRoute(parts, ctx, found.match.value)
  }
}

function refuseMethod(ctx: GatewayContext, allow: readonly string[]): void {
  ctx.set('Allow', allow.join(', '))
  if (ctx.method === 'OPTIONS') ctx.status = 204
  else refuse(ctx, { code: 'wrong-method', message: `${ctx.method} is not taken here` })
}

function respondToPreflight(ctx: GatewayContext): void {
  setHeaders(ctx, preflightHeaders)
  ctx.status = 204
}

/** Clients that go away are no fault. */
function logFault(log: GatewayLog, error: unknown, ctx: GatewayContext | undefined): void {
  const code = error instanceof Error && 'code' in error ? String(error.code) : ''
  if (['ECONNRESET', 'EPIPE', 'ERR_STREAM_PREMATURE_CLOSE', 'ABORT_ERR'].includes(code)) return
  const stack = error instanceof Error ? error.stack : String(error)
  log('error', 'request-failed', { request: ctx?.state.id, route: ctx?.state.match?.route.id, stack })
}
