// What a sampled statement reaches besides its own text: views and stored functions are statements too, and a user that reads
// or calls them does what they do. Each is fetched and judged, with what it reaches in turn.
import { fail, ok, type Result } from '../../base/result.js'
import {
  type Call,
  functionNamed,
  type Judged,
  judgeFunction,
  judgeStatement,
  type Rows,
  type Statement,
  unknownCall,
  viewsNamed,
} from '../../dialect/index.js'
import { textIn } from '../../dialect/statement/rows.js'
import type { Flavour } from '../../model/server/version.js'

/** Names that are searched among the views and functions, those of views in views included. */
const MOST_NAMES = 200

export type AskRows = (statement: Statement) => Promise<Result<Rows>>

type Named = readonly [schema: string, name: string]

interface Reached {
  readonly views: readonly Named[]
  readonly functions: readonly Named[]
}

/** Failures: `unsafe-statement`, naming the view or function that is to blame; those of SQL. */
export async function judgeReach(
  ask: AskRows,
  { flavour }: { readonly flavour: Flavour },
  { names, calls, schema }: Pick<Judged, 'names' | 'calls'> & { readonly schema: string },
): Promise<Result<void>> {
  // A column may be called like a function.
  const seen = { views: new Set<string>(), functions: new Set<string>() }
  const first = callsIn(calls, schema)
  if (!first.ok) return fail('unsafe-statement', `the sampled statement ${first.failure.message}`)
  let next: Reached = { views: qualified(names, schema), functions: first.value }
  while (next.views.length + next.functions.length > 0) {
    for (const one of next.views) seen.views.add(JSON.stringify(one))
    for (const one of next.functions) seen.functions.add(JSON.stringify(one))
    if (seen.views.size + seen.functions.size > MOST_NAMES)
      return fail('unsafe-statement', `the sampled statement holds more than ${MOST_NAMES} names`)
    const found: { readonly views: Named[]; readonly functions: Named[] } = { views: [], functions: [] }
    const searches = [
      () => judgeViews({ ask, flavour, schema }, next.views),
      ...next.functions.map((one) => () => judgeStored({ ask, flavour }, one)),
    ]
    for (const search of searches) {
      const reached = await search()
      if (!reached.ok) return reached
      found.views.push(...reached.value.views)
      found.functions.push(...reached.value.functions)
    }
    const views = found.views.filter((one) => !seen.views.has(JSON.stringify(one)))
    const functions = found.functions.filter((one) => !seen.functions.has(JSON.stringify(one)))
    next = { views, functions }
  }
  return ok(undefined)
}

interface Reach {
  readonly ask: AskRows
  readonly flavour: Flavour
  /** Names without one belong to it. */
  readonly schema: string
}

async function judgeViews({ ask, flavour, schema }: Reach, names: readonly Named[]): Promise<Result<Reached>> {
  const views = names.length === 0 ? ok([]) : await ask(viewsNamed(names))
  if (!views.ok) return views
  const found: { readonly views: Named[]; readonly functions: Named[] } = { views: [], functions: [] }
  for (const row of views.value) {
    const judged = judgeStatement(textIn(row, 'definition'), flavour, { stored: true })
    const calls = judged.ok ? callsIn(judged.value.calls, '') : judged
    if (!judged.ok || !calls.ok) return blame(`the view ${textIn(row, 'name')}`, judged.ok ? calls : judged)
    found.views.push(...qualified(judged.value.names, schema))
    found.functions.push(...calls.value)
  }
  return ok(found)
}

async function judgeStored({ ask, flavour }: Omit<Reach, 'schema'>, [schema, name]: Named): Promise<Result<Reached>> {
  const rows = await ask(functionNamed(schema, name))
  if (!rows.ok) return rows
  const [row] = rows.value
  if (!row) return fail('unsafe-statement', `the sampled statement ${unknownCall(name)}`)
  const what = `the stored function ${schema}.${name}`
  const language = textIn(row, 'language')
  if (row.definition === null || language.toUpperCase() !== 'SQL')
    return fail(
      'unsafe-statement',
      `${what} ${row.definition === null ? 'does not show its text to this account' : `is written in ${language}`}`,
    )
  const judged = judgeFunction(
    {
      definition: textIn(row, 'definition'),
      parameters: textIn(row, 'parameters').split(','),
      sqlMode: textIn(row, 'sql_mode'),
    },
    flavour,
  )
  // A name without a schema may be that of a function of the server's own.
  const calls = judged.ok ? callsIn(judged.value.calls, '') : judged
  if (!judged.ok || !calls.ok) return blame(what, judged.ok ? calls : judged)
  return ok({ views: qualified(judged.value.names, schema), functions: calls.value })
}

function blame(what: string, result: Result<unknown>): Result<never> {
  const message = result.ok ? '' : result.failure.message.replace(/^the sampled statement /, '')
  return fail('unsafe-statement', `${what} ${message}`)
}

function callsIn(calls: readonly Call[], schema: string): Result<readonly Named[]> {
  const named = calls.map((call): Named => [call.schema ?? schema, call.name])
  const homeless = named.find(([home]) => home === '')
  return homeless ? fail('unsafe-statement', unknownCall(homeless[1])) : ok(distinct(named))
}

const qualified = (names: Judged['names'], schema: string): readonly Named[] =>
  distinct(names.map(([given, name]): Named => [given ?? schema, name]).filter(([given]) => given !== ''))

const distinct = (names: readonly Named[]): readonly Named[] => [
  ...new Map(names.map((one) => [JSON.stringify(one), one])).values(),
]
