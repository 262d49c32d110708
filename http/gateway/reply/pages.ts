// The interface's document for people, with its browser, at /api-docs.
import { readFile } from 'node:fs/promises'
import { fileURLToPath } from 'node:url'
import Router from '@koa/router'
import type { GatewayContext, GatewayState } from '../kit/context.js'
import { sendBytes } from './compress.js'

/** Files of the document's browser that are served, and nothing else of its folder. */
const assets: Readonly<Record<string, string>> = {
  'swagger-ui.css': 'text/css; charset=utf-8',
  'swagger-ui-bundle.js': 'text/javascript; charset=utf-8',
  'favicon-32x32.png': 'image/png',
}

const starter = `SwaggerUIBundle({ url: '/api-docs/openapi.json', dom_id: '#ui', deepLinking: true })\n`

const browser = page(
  'Interface of the replication manager',
  '<div id="ui"></div><script src="/api-docs/swagger-ui-bundle.js"></script><script src="/api-docs/start.js"></script>',
  '<link rel="stylesheet" href="/api-docs/swagger-ui.css">',
)

export interface PageOptions {
  readonly openapi: () => unknown
  /** Whether the interface's document is served here. */
  readonly documents: boolean
}

export function createPages({ openapi, documents }: PageOptions): Router<GatewayState> {
  const router = new Router<GatewayState>()
  if (!documents) return router
  let text: Buffer | undefined
  router.get('/api-docs/openapi.json', (ctx) => {
    text ??= Buffer.from(JSON.stringify(openapi()))
    return send(ctx, 'application/json; charset=utf-8', text)
  })
  // Where the existing system has its document, and what generators of clients were given.
  router.get('/api-docs/swagger.json', (ctx) => ctx.redirect('/api-docs/openapi.json'))
  router.get('/api-docs', (ctx) => send(ctx, 'text/html; charset=utf-8', browser))
  router.get('/api-docs/start.js', (ctx) => send(ctx, 'text/javascript; charset=utf-8', Buffer.from(starter)))
  const files = new Map<string, Promise<Buffer>>()
  for (const [name, type] of Object.entries(assets)) {
    router.get(`/api-docs/${name}`, async (ctx) => {
      const file = files.get(name) ?? readFile(fileURLToPath(import.meta.resolve(`swagger-ui-dist/${name}`)))
      files.set(name, file)
      await send(ctx, type, await file)
    })
  }
  return router
}

function send(ctx: GatewayContext, type: string, bytes: Buffer): Promise<void> {
  ctx.set({ 'X-Frame-Options': 'DENY', 'Referrer-Policy': 'no-referrer' })
  ctx.set('Content-Type', type)
  ctx.set('Cache-Control', 'no-cache')
  ctx.set(
    'Content-Security-Policy',
    "default-src 'self'; style-src 'self' 'unsafe-inline'; img-src 'self' data:; frame-ancestors 'none'; base-uri 'none'",
  )
  return sendBytes(ctx, bytes)
}

function page(title: string, body: string, head = ''): Buffer {
  return Buffer.from(
    `<!doctype html><html lang="en"><head><meta charset="utf-8"><title>${title}</title>${head}</head><body>${body}</body></html>\n`,
  )
}
