// Which row of a table the router gives a request to, without a socket.
import type { Route } from '../../../http/api/kit/route.js'
import { createRouter } from '../../../http/gateway/request/router.js'

/** `found`: a row; `method`: the path exists for other methods; `none`: nothing there. */
export type Found =
  | { readonly type: 'found'; readonly route: Route; readonly params: Readonly<Record<string, string>> }
  | { readonly type: 'method'; readonly allow: readonly string[] }
  | { readonly type: 'none' }

export function createMatcher(routes: readonly Route[]): (method: string, path: string) => Found {
  let found: Found = { type: 'none' }
  const router = createRouter({
    routes,
    row: (route) => (ctx) => {
      found = { type: 'found', route, params: ctx.params }
    },
    wrongMethod: (_ctx, allow) => {
      found = { type: 'method', allow }
    },
  })
  return (method, path) => {
    found = { type: 'none' }
    // Koa's middlewares run at once up to their first wait, and these wait for nothing.
    void router({ method, path, host: 'x', request: {}, req: { url: path } } as never, async () => {})
    return found
  }
}
