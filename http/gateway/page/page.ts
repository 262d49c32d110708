// Serves the dashboard: its shell at the addresses of its pages, its assets by name, and a plain page while it is not built.
import { readFile } from 'node:fs/promises'
import type { Middleware } from 'koa'
import { escapeHtml } from '../../../lib/base/html.js'
import { isPagePath, VISITOR_PATH } from '../../../lib/model/page-paths.js'
import { type GatewayContext, type GatewayState, pathOf } from '../kit/context.js'
import { accepts } from '../reply/compress.js'
import { isFresh } from '../reply/headers.js'
import { INDEX, type Packing, type PageFile, watchPageFolder } from './page-folder.js'

export interface PageParts {
  /** The folder of the build. */
  readonly built: string
  /** `http-root`: another page in its place; '' for none. */
  readonly root: string
  /** `cache-static-max-age`: seconds that browsers keep files without a digest in their name. */
  readonly maxAge: () => number
  /** `http-root-origins`: from where else the page of `http-root` may load what it runs. */
  readonly origins: () => readonly string[]
  /** Whether `/dashboard` opens for the request. */
  readonly admits: (ctx: GatewayContext) => boolean
}

/** Nothing from elsewhere, no script or style in the text of a page, no text as a script. */
const POLICY = [
  "default-src 'self'",
  "img-src 'self' data:",
  "object-src 'none'",
  "base-uri 'none'",
  "form-action 'self'",
  "frame-ancestors 'none'",
  "require-trusted-types-for 'script'",
  'trusted-types manager',
].join('; ')

/** Pages of others set styles from their scripts. What they load from elsewhere is named; what they ask, they ask here. */
const foreignPolicy = (origins: readonly string[]): string =>
  [
    "default-src 'self'",
    ["script-src 'self'", ...origins].join(' '),
    ["style-src 'self' 'unsafe-inline'", ...origins].join(' '),
    "img-src 'self' data:",
    ["font-src 'self' data:", ...origins].join(' '),
    "connect-src 'self'",
    "object-src 'none'",
    "base-uri 'self'",
    "form-action 'self'",
    "frame-ancestors 'none'",
  ].join('; ')

/** Addresses below which nothing is a page of `http-root`: what is not found there stays unknown. */
const NO_PAGE = /^\/(?:api|api-docs|app|assets|images|static|graphite|grafana|meet|peer)(?:\/|$)/

const PLAIN_POLICY = "default-src 'none'; frame-ancestors 'none'; base-uri 'none'; form-action 'none'"

/** A name that holds a digest of its content: it never changes. */
const DIGEST = /[.-][\w-]{8,}\.[a-z0-9]+$/i

export function createPage({ built, root, maxAge, origins, admits }: PageParts): Middleware<GatewayState> {
  const files = watchPageFolder(root === '' ? built : root)
  return async (ctx, next) => {
    if (ctx.method !== 'GET' && ctx.method !== 'HEAD') return next()
    const path = pathOf(ctx.req)
    const isVisit = path === VISITOR_PATH
    if (isVisit && !admits(ctx)) return next()
    const found = await files()
    const isPage = isVisit || isPagePath(path) || (root !== '' && !found?.has(path) && isNavigation(ctx, path))
    if (!found) return isPage ? sendMissing(ctx, { path, root }) : next()
    const file = found.get(isPage ? INDEX : path)
    if (!file) return next()
    setPolicy(ctx, root === '' ? POLICY : foreignPolicy(origins()))
    ctx.set('Cache-Control', cachingOf(isPage || path === INDEX ? INDEX : path, maxAge()))
    return sendFile(ctx, file)
  }
}

/** A page of others has addresses of its own; a browser that opens one asks for HTML, its scripts and pictures do not. */
const isNavigation = (ctx: GatewayContext, path: string): boolean =>
  ctx.req.headers.accept?.includes('text/html') === true && !NO_PAGE.test(path)

const cachingOf = (path: string, maxAge: number): string => {
  if (path === INDEX) return 'no-cache'
  return path.startsWith('/assets/') && DIGEST.test(path)
    ? 'public, max-age=31536000, immutable'
    : `public, max-age=${maxAge}`
}

function setPolicy(ctx: GatewayContext, policy: string): void {
  ctx.set({
    'Content-Security-Policy': policy,
    'X-Frame-Options': 'DENY',
    'Referrer-Policy': 'no-referrer',
    'Cross-Origin-Opener-Policy': 'same-origin',
    'Cross-Origin-Resource-Policy': 'same-origin',
  })
}

async function sendFile(ctx: GatewayContext, { file, type, tag, packed }: PageFile): Promise<void> {
  const kinds = Object.keys(packed) as Packing[] // the keys of a record of packings
  if (kinds.length > 0) ctx.vary('Accept-Encoding')
  const kind = (['br', 'gzip'] as const).find(
    (one) => kinds.includes(one) && accepts(ctx.req.headers['accept-encoding'], one),
  )
  const entityTag = `"${tag}${kind === undefined ? '' : `-${kind}`}"`
  ctx.set('ETag', entityTag)
  if (isFresh(ctx.req, entityTag)) {
    ctx.status = 304
    return
  }
  ctx.set('Content-Type', type)
  if (kind !== undefined) ctx.set('Content-Encoding', kind)
  ctx.body = await readFile((kind && packed[kind]) ?? file)
}

/** At `/` it is an answer as before: links to what works without the page. */
function sendMissing(ctx: GatewayContext, { path, root }: { readonly path: string; readonly root: string }): void {
  const why =
    root === ''
      ? 'The dashboard is not built. Run <code>npm run build</code> in the folder of the manager; this page then opens it.'
      : `http-root names ${escapeHtml(root)}, which has no index.html.`
  setPolicy(ctx, PLAIN_POLICY)
  ctx.set({ 'Cache-Control': 'no-store', 'Content-Type': 'text/html; charset=utf-8' })
  ctx.status = path === '/' ? 200 : 404
  ctx.body = `<!doctype html><html lang="en"><head><meta charset="utf-8"><title>Replication manager</title></head><body>
<h1>Replication manager</h1><p>${why} The API works without it.</p><ul>
<li><a href="/api-docs">The interface and its document</a></li>
<li><a href="/api/status">Status</a></li>
<li><a href="/api/prometheus">Metrics</a></li>
<li><a href="/api/runbooks">Runbooks</a>: what findings and alerts mean, and what to do</li></ul></body></html>
`
}
