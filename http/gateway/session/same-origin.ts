// Requests that carry a cookie: only a page of the manager itself may make them.
import type { IncomingHttpHeaders } from 'node:http'
import { done, fail, type Result } from '../../../lib/base/result.js'

/**
 * Browsers say where a request comes from, and pages cannot change that: `Sec-Fetch-Site` over TLS and on this machine, else
 * `Origin`. A request without either is not a browser's. A page of the same site but another origin (another port, a
 * sub-domain) counts as foreign. Failure: `foreign-page`.
 */
export function refuseForeignPage(headers: IncomingHttpHeaders): Result<void> {
  return isSameOrigin(headers) ? done : fail('foreign-page', 'the request was made by a page of another origin')
}

function isSameOrigin(headers: IncomingHttpHeaders): boolean {
  const site = headers['sec-fetch-site']
  if (site !== undefined) return site === 'same-origin' || site === 'none'
  const { origin } = headers
  if (origin === undefined) return true
  const host = headers.host ?? headers[':authority']
  return URL.canParse(origin) && new URL(origin).host === String(host).toLowerCase()
}
