// Headers of responses: those that every one carries, and how they are set.
import type { IncomingMessage } from 'node:http'
import { namesTag } from '../../api/kit/fresh.js'
import type { GatewayContext } from '../kit/context.js'

export const JSON_TYPE = 'application/json; charset=utf-8'

/** Name, value, name, value: the form that node sends as it is, at a third of the cost of an object. */
export type Headers = readonly string[]

/** Few, since each costs on every request; pages add theirs. */
export function everyHeader({ req, state }: GatewayContext): Headers {
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

/** Whether the client has this version already. */
export const isFresh = ({ headers }: IncomingMessage, tag: string): boolean => namesTag(headers['if-none-match'], tag)
