// Mounts the rows on @koa/router: one router for each noun, since a router compares a path with its rows one by one.
import Router, { type Layer, type RouterMiddleware } from '@koa/router'
import type { Middleware } from 'koa'
import type { Route } from '../../api/kit/route.js'
import { type GatewayContext, type GatewayState, pathOf } from '../kit/context.js'

/** The middleware of a row under one of its paths. */
export type RowMiddleware = (route: Route, path: string) => Middleware<GatewayState>

/** Answers a request whose path belongs to rows of other methods; `allow` is the `Allow` header. */
export type WrongMethod = (ctx: GatewayContext, allow: readonly string[]) => void

export interface RouterOptions {
  readonly routes: readonly Route[]
  readonly row: RowMiddleware
  readonly wrongMethod: WrongMethod
}

/**
 * The middleware of all rows; a path of none goes on to the next one. Among rows that match, the one whose path is
 * literal earliest wins: `/api/clusters/settings/…` before `/api/clusters/:cluster/…`, unless only the latter takes
 * the method. Paths are compared as they are sent: case, slashes and escapes count.
 * Throws when two rows claim the same method and path: a fault of the tables.
 */
export function createRouter({ routes, row, wrongMethod }: RouterOptions): Middleware<GatewayState> {
  const mounts = routes.flatMap((route) => route.paths.map((path) => ({ route, path })))
  refuseDuplicates(mounts)
  const nouns = new Map<string, Middleware<GatewayState>>()
  for (const [noun, own] of groupByNoun(mounts)) nouns.set(noun, mount(own, row))
  return (ctx, next) => {
    const path = pathOf(ctx.req)
    const serve = NOT_PLAIN.test(path) ? undefined : nouns.get(nounOf(path))
    if (!serve) return next()
    return serve(ctx, async () => {
      const allow = allowedMethods(ctx)
      return allow.length === 0 ? next() : wrongMethod(ctx, allow)
    })
  }
}

interface Mount {
  readonly route: Route
  readonly path: string
}

/** Names of folders, and what koa's reading of a path would cut off or turn into something else: no row's path has them. */
const NOT_PLAIN = /[#\s\\]|\/\.\.?(?:\/|$)/

const CLUSTERS = '/api/clusters/'
const ACTIONS = '/actions/'

const endOf = (path: string, from: number): number => {
  const end = path.indexOf('/', from)
  return end < 0 ? path.length : end
}

/** What a path is about: the segment after the cluster's, of actions with the action's name; else the first one below `/api`. */
export function nounOf(path: string): string {
  if (path.startsWith(CLUSTERS)) {
    const start = path.indexOf('/', CLUSTERS.length)
    if (start < 0) return CLUSTERS
    return path.slice(start, endOf(path, start + (path.startsWith(ACTIONS, start) ? ACTIONS.length : 1)))
  }
  return path.startsWith('/api/') ? path.slice(0, endOf(path, '/api/'.length)) : path.slice(0, endOf(path, 1))
}

function groupByNoun(mounts: readonly Mount[]): ReadonlyMap<string, readonly Mount[]> {
  const groups = new Map<string, Mount[]>()
  for (const one of mounts) {
    const noun = nounOf(one.path)
    if (noun.includes(':')) throw new Error(`${one.path} of ${one.route.id} has a parameter where its noun belongs`)
    groups.set(noun, [...(groups.get(noun) ?? []), one])
  }
  return groups
}

function mount(mounts: readonly Mount[], row: RowMiddleware): Middleware<GatewayState> {
  const router = new Router<GatewayState>({ sensitive: true, strict: true })
  for (const { route, path } of mounts.toSorted(byLiterals)) {
    const middleware = row(route, path) as RouterMiddleware<GatewayState> // koa's type of it knows no params
    router.register(path, [...route.methods], middleware, { sensitive: true, strict: true, name: route.id })
  }
  return router.routes() as Middleware<GatewayState>
}

/** Literal segments before parameters, the leftmost difference first: rows of a router are tried in their order. */
function byLiterals(one: Mount, other: Mount): number {
  const [left, right] = [one.path.split('/'), other.path.split('/')]
  const at = left.findIndex((part, index) => part.startsWith(':') !== (right[index] ?? '').startsWith(':'))
  if (at < 0) return 0
  return left[at]?.startsWith(':') ? 1 : -1
}

function refuseDuplicates(mounts: readonly Mount[]): void {
  const owners = new Map<string, string>()
  for (const { route, path } of mounts) {
    for (const method of route.methods) {
      const key = `${method} ${path.replace(/:\w+/g, ':')}`
      const other = owners.get(key)
      if (other !== undefined) throw new Error(`${method} ${path} belongs to both ${other} and ${route.id}`)
      owners.set(key, route.id)
    }
  }
}

/** Methods of the rows that the router found at the path, in the tables' order; none when there are no such rows. */
function allowedMethods(ctx: GatewayContext): readonly string[] {
  const layers: readonly Layer[] = ctx.matched ?? []
  const methods = layers.flatMap((layer) => layer.methods).filter((method) => method !== 'HEAD')
  if (methods.length === 0) return []
  return [...new Set([...methods, ...(methods.includes('GET') ? ['HEAD'] : []), 'OPTIONS'])]
}
