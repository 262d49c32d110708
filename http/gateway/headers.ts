// Headers of responses: those that every one carries, and how they are set.
import type { GatewayContext } from './context.js'

/** Name, value, name, value: the form that node sends as it is, at a third of the cost of an object. */
export type Headers = readonly string[]

/** Few, since each costs on every request; pages have more of their own. */
export function everyHeader({ state, req }: GatewayContext): Headers {
  // Only a browser on another site's page sends an Origin.
  const others = req.headers.origin === undefined ? [] : exposed
  return ['X-Request-Id', state.id, 'X-Content-Type-Options', 'nosniff', 'Access-Control-Allow-Origin', '*', ...others]
}

const exposed: Headers = [
  'Access-Control-Expose-Headers',
  'ETag, Link, Location, Retry-After, X-Request-Id, X-Servers, X-Total-Count',
]

export function setHeaders({ res }: GatewayContext, headers: Headers): void {
  for (let at = 0; at < headers.length; at += 2) res.setHeader(headers[at] ?? '', headers[at + 1] ?? '')
}

/** Ends past koa's own ending, which costs as much as the rest of the chain: for what is read most. 304 without bytes. */
export function endWith(ctx: GatewayContext, headers: Headers, bytes?: Buffer): void {
  ctx.respond = false
  const length = bytes ? ['Content-Length', String(bytes.length)] : []
  ctx.res.writeHead(bytes ? 200 : 304, [...everyHeader(ctx), ...headers, ...length])
  ctx.res.end(bytes)
}
