// Requests as the OpenAPI document allows them, drawn at random for each of its operations.
import fc from 'fast-check'
import { openApiDocument, routes } from '../../../http/api/index.js'
import { allowed, type Schema } from './from-schema.js'

export interface Parameter {
  readonly name: string
  readonly in: 'path' | 'query'
  readonly required: boolean
  readonly schema: Schema
}

export interface Operation {
  readonly operationId: string
  readonly summary: string
  readonly parameters: readonly Parameter[]
  readonly requestBody?: { readonly required: boolean; readonly content: Readonly<Record<string, { schema: Schema }>> }
  readonly responses: Readonly<Record<string, { readonly content?: Readonly<Record<string, unknown>> }>>
}

export interface DrawnRequest {
  readonly path: string
  readonly type?: string | undefined
  readonly body?: string | undefined
}

const document = JSON.parse(JSON.stringify(openApiDocument(routes))) as {
  readonly paths: Readonly<Record<string, Readonly<Record<string, Operation>>>>
}

/** Every address with every method. */
export const operations = Object.entries(document.paths).flatMap(([path, item]) =>
  Object.entries(item).map(([method, operation]) => ({ path, method, operation })),
)

const isForm = (type: string): boolean => type.includes('urlencoded')

const asText = (value: unknown): string => (typeof value === 'string' ? value : JSON.stringify(value))

const formOf = (value: object): string =>
  new URLSearchParams(Object.entries(value).map(([name, one]): [string, string] => [name, asText(one)])).toString()

/** A body names a server that there is. */
const withServer = (value: unknown, { prefmaster }: Existing): unknown =>
  typeof value === 'object' && value !== null && 'prefmaster' in value ? { ...value, prefmaster } : value

/** What must exist for a request to come as far as its parameters, by the name of the parameter. */
export type Existing = Readonly<Record<string, string>>

/** Requests for an operation: parameters and body as its schemas allow them. */
export function drawRequests(
  path: string,
  { parameters, requestBody }: Operation,
  existing: Existing,
): fc.Arbitrary<DrawnRequest> {
  const named = parameters.map(({ name, in: place, required, schema }) => {
    const known = place === 'path' || name === 'prefmaster' ? existing[name] : undefined
    const value = known === undefined ? allowed(schema) : fc.constant(known)
    return required ? value : fc.option(value, { nil: undefined })
  })
  const bodies = Object.entries(requestBody?.content ?? {}).map(([type, { schema }]) =>
    allowed(schema)
      .map((value) => withServer(value, existing))
      .map((value) => ({
        type,
        body: isForm(type) ? formOf(value as object) : JSON.stringify(value),
      })),
  )
  const none = fc.constant({ type: undefined, body: undefined })
  const body = bodies.length === 0 ? none : fc.oneof(...bodies, ...(requestBody?.required ? [] : [none]))
  return fc.tuple(fc.tuple(...named), body).map(([values, sent]) => {
    const given = parameters.map((parameter, index) => [parameter, values[index]] as const)
    const texts = new Map(
      given.flatMap(([{ name, in: place }, value]) => (place === 'path' ? [[name, asText(value)]] : [])),
    )
    const query = new URLSearchParams(
      given.flatMap(([{ name, in: place }, value]): [string, string][] =>
        place === 'query' && value !== undefined ? [value].flat().map((one) => [name, asText(one)]) : [],
      ),
    )
    const filled = path.replace(/\{(\w+)\}/g, (_, name: string) => encodeURIComponent(texts.get(name) ?? ''))
    return { path: query.size === 0 ? filled : `${filled}?${query}`, ...sent }
  })
}
