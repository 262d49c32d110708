// Headers of responses: those that every one carries, and how they are set.
import type { IncomingMessage } from 'node:http'
import { namesTag } from '../../api/kit/fresh.js'
import type { Route } from '../../api/kit/route.js'
import type { GatewayContext } from '../kit/context.js'

export const JSON_TYPE = 'application/json; charset=utf-8'

/** Name, value, name, value: the form that node sends as it is, at a third of the cost of an object. */
export type Headers = readonly string[]

/** Few, since each costs on every request; pages add theirs. */
export function everyHeader(ctx: GatewayContext): Headers {
  const { req, state } = ctx
  const own = ['X-Request-Id', state.id, 'X-Content-Type-Options', 'nosniff']
  if (state.origins.length === 0) return own
  const varying = [...own, 'Vary', 'Origin']
  const isReadable = isAllowedOrigin(ctx) && !isUnshared(state.route)
  return isReadable ? [...varying, 'Access-Control-Allow-Origin', req.headers.origin ?? '', ...exposed] : varying
}

/** Only a browser on another site's page sends an Origin. */
export const isAllowedOrigin = ({ req, state }: GatewayContext): boolean =>
  req.headers.origin !== undefined && state.origins.includes(req.headers.origin.toLowerCase())

/** What needs no login and opens something is read by no page at all: archives, and tokens without a login. */
const isUnshared = (route: Route | undefined): boolean =>
  route !== undefined &&
  (route.reply.type === 'bytes' ||
    (route.grant === 'none' && route.reply.secret === true && !route.methods.includes('POST')))

const exposed: Headers = [
  'Access-Control-Expose-Headers',
  'ETag, Link, Location, Retry-After, X-Request-Id, X-Servers, X-Total-Count',
]

export function setHeaders({ res }: GatewayContext, headers: Headers): void {
  for (let at = 0; at < headers.length; at += 2) {
    const [name = '', value = ''] = [headers[at], headers[at + 1]]
    const known = name === 'Vary' ? res.getHeader(name) : undefined
    res.setHeader(name, known === undefined ? value : `${known}, ${value}`)
  }
}

/** Whether the client has this version already. */
export const isFresh = ({ headers }: IncomingMessage, tag: string): boolean => namesTag(headers['if-none-match'], tag)
