// Actions refuse parameters that they do not know: `rolling?plan=true` must not restart anything because `plan` is ignored.
import { done, fail, type Result } from '../../../lib/base/result.js'
import { suggest } from '../../../lib/base/suggest.js'
import type { Route } from '../../api/kit/route.js'

/** Without meaning to any row: what clients add against caches, and the fixed field of the existing client's forms. */
const meaningless: ReadonlySet<string> = new Set(['_', '_t', 'ts', 'nocache', 'cachebuster', 'customer_name'])

/** What a request says in its query and in its body. */
export interface Named {
  readonly query: Readonly<Record<string, unknown>>
  readonly body: object
}

/**
 * Failure `bad-request`: the first name that the row does not know, with those that it knows; or a name that query and
 * body give differently, unless it means two things there: neither of `?plan=true` and `plan=false` may win.
 */
export function refuseUnknown(route: Pick<Route, 'query' | 'body'>, { query, body }: Named): Result<void> {
  const names = [...Object.keys(query), ...Object.keys(body)]
  const [ofQuery, ofBody] = [namesOf(route.query), namesOf(route.body)]
  const isBoth = (name: string) => ofQuery.includes(name) && ofBody.includes(name)
  const twice = Object.entries(body).find(
    ([name, value]) => name in query && query[name] !== String(value) && !isBoth(name),
  )
  if (twice) return fail('bad-request', `${twice[0]}: the query and the body give different values`)
  const known = [...ofQuery, ...ofBody]
  const unknown = names.find((name) => !known.includes(name) && !meaningless.has(name))
  if (unknown === undefined) return done
  const near = suggest(unknown, known)
  const hint = near === undefined ? listed(known) : `did you mean ${near}?`
  return fail('bad-request', `${unknown}: this action has no such parameter; ${hint}`)
}

const listed = (known: readonly string[]): string =>
  known.length === 0 ? 'it takes none' : `it takes ${known.join(', ')}`

/** Keys of an object shape, also below what gives it a default. */
function namesOf(schema: Route['body']): readonly string[] {
  const inner = schema as { readonly shape?: object; readonly unwrap?: () => Route['body'] } | undefined
  if (inner?.shape) return Object.keys(inner.shape)
  return inner?.unwrap ? namesOf(inner.unwrap()) : []
}
