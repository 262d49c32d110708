// Finds the row of a path in time that depends on the path's length only, not on the number of rows.
import { fail, ok, type Result } from '../../lib/base/result.js'
import { type Method, pathNames, type Route } from '../api/kit/route.js'

export interface Match {
  readonly route: Route
  readonly params: Readonly<Record<string, string>>
}

/** `found`: a row; `method`: the path exists for other methods; `none`: nothing there. */
export type Found =
  | { readonly type: 'found'; readonly match: Result<Match> }
  | { readonly type: 'method'; readonly allow: readonly string[] }
  | { readonly type: 'none' }

interface Leaf {
  readonly route: Route
  readonly names: readonly string[]
}

/** One segment deep in the tree; a literal segment wins over a parameter. */
interface Branch {
  readonly literals: Map<string, Branch>
  readonly leaves: Map<Method, Leaf>
  parameter?: Branch
}

export type Matcher = (method: string, path: string) => Found

/** Builds the tree once. Throws when two rows claim the same method and path: a fault of the tables. */
export function createMatcher(routes: readonly Route[]): Matcher {
  const root = branch()
  for (const route of routes) for (const path of route.paths) plant(root, route, path)
  return (method, path) => {
    const parts = path.split('/')
    const values: string[] = []
    const leaf = descend(root, { parts, values, method: rowMethod(method) }, 1)
    if (leaf) return { type: 'found', match: bind(leaf, values) }
    const methods = collectMethods(root, parts, 1)
    return methods.length === 0 ? { type: 'none' } : { type: 'method', allow: allowed(methods) }
  }
}

function branch(): Branch {
  return { literals: new Map(), leaves: new Map() }
}

function plant(root: Branch, route: Route, path: string): void {
  let at = root
  for (const part of path.split('/').slice(1)) at = part.startsWith(':') ? parameterOf(at) : literalOf(at, part)
  const names = pathNames(path)
  for (const method of route.methods) {
    const other = at.leaves.get(method)
    if (other) throw new Error(`${method} ${path} belongs to both ${other.route.id} and ${route.id}`)
    at.leaves.set(method, { route, names })
  }
}

function parameterOf(at: Branch): Branch {
  at.parameter ??= branch()
  return at.parameter
}

function literalOf(at: Branch, part: string): Branch {
  const next = at.literals.get(part) ?? branch()
  at.literals.set(part, next)
  return next
}

interface Walk {
  readonly parts: readonly string[]
  readonly method: Method
  /** Of the parameters on the way down. */
  readonly values: string[]
}

function descend(at: Branch, walk: Walk, index: number): Leaf | undefined {
  const part = walk.parts[index]
  if (part === undefined) return at.leaves.get(walk.method)
  const literal = at.literals.get(part)
  const leaf = literal && descend(literal, walk, index + 1)
  if (leaf || !at.parameter || !isValue(part)) return leaf
  walk.values.push(part)
  const found = descend(at.parameter, walk, index + 1)
  if (!found) walk.values.pop()
  return found
}

function collectMethods(at: Branch, parts: readonly string[], index: number): readonly Method[] {
  const part = parts[index]
  if (part === undefined) return [...at.leaves.keys()]
  const literal = at.literals.get(part)
  return [
    ...(literal ? collectMethods(literal, parts, index + 1) : []),
    ...(at.parameter && isValue(part) ? collectMethods(at.parameter, parts, index + 1) : []),
  ]
}

function isValue(part: string): boolean {
  return part !== '' && part !== '.' && part !== '..'
}

function rowMethod(method: string): Method {
  return (method === 'HEAD' ? 'GET' : method) as Method // any other word misses the map
}

function allowed(methods: readonly Method[]): readonly string[] {
  return [...new Set([...methods, ...(methods.includes('GET') ? ['HEAD'] : []), 'OPTIONS'])]
}

/** Decodes after splitting, so that an encoded slash stays inside its parameter. */
function bind({ route, names }: Leaf, values: readonly string[]): Result<Match> {
  const params: Record<string, string> = {}
  for (const [index, name] of names.entries()) {
    const value = decode(values[index] ?? '')
    if (value === undefined) return fail('bad-request', `${name}: cannot be decoded`)
    params[name] = value
  }
  return ok({ route, params })
}

/** Undefined for broken escapes, control characters and names of folders. */
function decode(part: string): string | undefined {
  if (!part.includes('%')) return part
  try {
    const text = decodeURIComponent(part)
    // biome-ignore lint/suspicious/noControlCharactersInRegex: they are what is refused
    return /[\u0000-\u001f\u007f]/.test(text) || text === '.' || text === '..' ? undefined : text
  } catch {
    return undefined
  }
}
