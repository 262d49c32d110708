// The OpenAPI 3.1 document, printed from the rows: nothing about an address is written twice.
import * as z from 'zod'
import { packageVersion } from '../../../lib/base/package-root.js'
import { portText, segmentJson } from '../kit/input.js'
import { partQuery } from '../kit/part.js'
import { isAction, type Method, pathNames, type Reply, type Route } from '../kit/route.js'
import { wireFailure } from '../kit/statuses.js'
import { planSchema } from '../schemas/shapes.js'
import { tagDescriptions } from './tags.js'

type Json = Readonly<Record<string, unknown>>

/** The document as an object; every spelling of a path is a separate path. */
export function openApiDocument(routes: readonly Route[]): Json {
  const shared = sharedRefusals(routes)
  return {
    openapi: '3.1.0',
    info: {
      title: 'Replication management service',
      version: packageVersion,
      description:
        'Actions answer GET and POST alike; POST is the method to use. Failures are texts for plain clients and application/problem+json for those who ask for it.',
      license: { name: 'Apache-2.0', identifier: 'Apache-2.0' },
    },
    servers: [{ url: '/' }],
    tags: [...new Set(routes.map(tagOf))].map((name) => ({ name, description: tagDescriptions[name] ?? name })),
    paths: pathItems(routes, shared),
    components: {
      securitySchemes: { token: { type: 'http', scheme: 'bearer', bearerFormat: 'JWT' } },
      schemas: { Problem: problemSchema, ...namedShapes(routes) },
      responses: { Problem: problemResponse, ...Object.fromEntries(shared.values()) },
    },
  }
}

/** The document as text, as in dist/doc/openapi.json. */
export const printOpenApi = (routes: readonly Route[]): string =>
  `${JSON.stringify(openApiDocument(routes), undefined, 2)}\n`

const problemSchema = {
  type: 'object',
  required: ['title', 'status'],
  properties: {
    type: { type: 'string' },
    title: { type: 'string' },
    status: { type: 'integer' },
    detail: { type: 'string' },
    code: { type: 'string' },
    hint: { type: 'string' },
  },
}

const problemResponse = {
  description: 'Any failure, for clients that accept problems.',
  content: { 'application/problem+json': { schema: { $ref: '#/components/schemas/Problem' } } },
}

const tagOf = ({ id }: Route): string => id.slice(0, id.indexOf('.'))

function pathItems(routes: readonly Route[], shared: SharedRefusals): Json {
  const items: Record<string, Json> = {}
  for (const route of routes)
    for (const [index, path] of route.paths.entries()) {
      const operations = route.methods.map(
        (method) => [method.toLowerCase(), operation({ route, path, index, method, shared })] as const,
      )
      items[templateOf(path)] = { ...items[templateOf(path)], ...Object.fromEntries(operations) }
    }
  return items
}

/** `/api/clusters/:cluster` → `/api/clusters/{cluster}`. */
export const templateOf = (path: string): string => path.replace(/:([A-Za-z]+)/g, '{$1}')

interface Address {
  readonly route: Route
  readonly path: string
  /** Place among the spellings; ids of operations must differ. */
  readonly index: number
  readonly method: Method
  readonly shared: SharedRefusals
}

function operation({ route, path, index, method, shared }: Address): Json {
  const suffix = `${method === route.methods[0] ? '' : `.${method.toLowerCase()}`}${index === 0 ? '' : `.${index}`}`
  return {
    operationId: `${route.id}${suffix}`,
    tags: [tagOf(route)],
    summary: route.summary,
    ...methodNote(route, method),
    parameters: [...pathParameters(route, path), ...queryParameters({ route, path, method })],
    ...(method === 'GET' || method === 'DELETE' ? {} : requestBody(route, path)),
    responses: responses({ route, method, shared }),
    security: route.grant === 'none' ? [] : [{ token: [] }],
    'x-grant': route.grant,
  }
}

/** Of a path that two methods reach: which one to use. */
function methodNote(route: Route, method: Method): Json {
  if (!route.methods.includes('GET') || !route.methods.includes('POST')) return {}
  const note = methodNotes[isAction(route) ? 'action' : 'read'][method]
  return note === undefined ? {} : { description: note }
}

const methodNotes: Readonly<Record<'action' | 'read', Readonly<Partial<Record<Method, string>>>>> = {
  action: {
    GET: 'Kept for existing clients, which act by GET: it does the same. New clients use POST, which nothing between them and the manager repeats or keeps; fields of the body stand in the query here.',
    POST: 'The method to use. GET does the same and is kept for existing clients.',
  },
  read: { GET: 'The method to use.', POST: 'Kept for existing clients, which ask by POST: it answers the same.' },
}

const pathParameters = (route: Route, path: string) =>
  pathNames(path).map((name) => ({
    name,
    in: 'path',
    required: true,
    schema: name === 'port' ? schemaOf(portText()) : segmentOf(propertiesOf(route.params)[name]),
  }))

/** A text without a form of its own is any segment. */
const segmentOf = (own: Json = {}): Json =>
  (own.type ?? 'string') === 'string' && own.pattern === undefined && own.enum === undefined && !own.anyOf
    ? { ...segmentJson, ...own }
    : own

/** A GET gives the fields of the body in its query. */
function queryParameters({ route, path, method }: Omit<Address, 'index' | 'shared'>) {
  const fields = {
    ...propertiesOf(route.query),
    ...(method === 'GET' ? propertiesOf(route.body) : {}),
    ...(route.reply.list ? propertiesOf(partQuery(route.reply.list)) : {}),
  }
  const required = [
    ...requiredOf(route.query),
    ...(method === 'GET' ? [...requiredOf(route.body), ...owedBy(route, path)] : []),
  ]
  return Object.entries(fields).map(([name, schema]) => ({
    name,
    in: 'query',
    required: required.includes(name),
    schema,
  }))
}

/** Fields that another spelling has in its path: this one needs them. */
const owedBy = (route: Route, path: string): readonly string[] => {
  const elsewhere = route.paths.flatMap((other) => pathNames(other)).filter((name) => !pathNames(path).includes(name))
  return Object.keys(propertiesOf(route.body)).filter((name) => elsewhere.includes(name))
}

/** An action refuses fields that it does not name. */
function requestBody(route: Route, path: string): Json {
  const { body, example } = route
  if (!body) return {}
  const required = [...new Set([...requiredOf(body), ...owedBy(route, path)])]
  const schema = {
    ...schemaOf(body),
    ...(required.length > 0 ? { required } : {}),
    ...(isAction(route) ? { additionalProperties: false } : {}),
  }
  const shown = example?.request === undefined || required.length > 0 ? {} : { example: example.request }
  const isFlat = Object.values(propertiesOf(body)).every(({ type }) => type !== 'array' && type !== 'object')
  return {
    requestBody: {
      required: required.length > 0,
      content: {
        'application/json': { schema, ...shown },
        ...(isFlat ? { 'application/x-www-form-urlencoded': { schema } } : {}),
      },
    },
  }
}

const mediaTypes: Readonly<Record<Reply['type'], string>> = {
  json: 'application/json',
  view: 'application/json',
  text: 'text/plain',
  empty: 'text/plain',
  bytes: 'application/octet-stream',
  events: 'text/event-stream',
  page: 'text/markdown',
  metrics: 'text/plain',
}

function responses({ route, method, shared }: Pick<Address, 'route' | 'method' | 'shared'>): Json {
  return {
    ...(hasOwnPlan(route) ? { 200: { description: 'With `plan=true`: what it would do.', content: planContent } } : {}),
    [route.reply.status]: success(route, method),
    ...Object.fromEntries(
      refusalsByStatus(route, method).map(([status, texts]) => {
        const [name] = shared.get(keyOf(status, texts)) ?? []
        return [status, name === undefined ? refusal(texts) : { $ref: `#/components/responses/${name}` }]
      }),
    ),
    default: { $ref: '#/components/responses/Problem' },
  }
}

/** Every status that the operation may be refused with, and its texts. */
function refusalsByStatus(
  route: Route,
  method: Method,
): readonly (readonly [status: number, texts: readonly string[]])[] {
  const byStatus = new Map<number, string[]>()
  for (const [status, text] of [...refusals(route), ...bySize(method)])
    byStatus.set(status, [...(byStatus.get(status) ?? []), text])
  return [...byStatus]
}

/** By status and texts: the name as a component, and the response. */
type SharedRefusals = ReadonlyMap<string, readonly [name: string, response: Json]>

/** What so many operations are refused with is written once. */
const MANY = 10

const keyOf = (status: number, texts: readonly string[]): string => [status, ...texts].join('; ')

/** Refusals that many operations share, as components: generators of clients make one type of each. */
function sharedRefusals(routes: readonly Route[]): SharedRefusals {
  const uses = new Map<string, { readonly status: number; readonly texts: readonly string[]; count: number }>()
  for (const route of routes)
    for (const method of route.methods)
      for (const [status, texts] of refusalsByStatus(route, method)) {
        const use = uses.get(keyOf(status, texts)) ?? { status, texts, count: 0 }
        use.count += route.paths.length
        uses.set(keyOf(status, texts), use)
      }
  const names = new Set<string>()
  return new Map(
    [...uses]
      .filter(([, { count }]) => count >= MANY)
      .flatMap(([key, { status, texts }]) => {
        const name = refusalName(status, texts)
        if (names.has(name)) return []
        names.add(name)
        return [[key, [name, refusal(texts)]] as const]
      }),
  )
}

const NAME_LENGTH = 80

/** By what it says, so that the name remains when routes come and go: `Refused403NoValidACL`. */
const refusalName = (status: number, texts: readonly string[]): string =>
  `Refused${status}${texts
    .flatMap((text) => text.split(/\W+/))
    .map((word) => word.slice(0, 1).toUpperCase() + word.slice(1))
    .join('')}`.slice(0, NAME_LENGTH)

/** A plan is answered with 200, whatever the action is answered with. */
const hasOwnPlan = ({ plan, reply }: Route): boolean => plan !== undefined && reply.status !== 200

function success(route: Route, method: Method): Json {
  const { reply, example, summary } = route
  const plan = route.plan !== undefined && !hasOwnPlan(route)
  if (reply.type === 'empty' || (reply.emptyForGet && method === 'GET'))
    return { description: 'Done; the body is empty.', ...(plan ? { content: planContent } : {}) }
  const schema = reply.schema
    ? schemaOf(reply.schema)
    : { type: 'string', ...(reply.text === undefined ? {} : { const: reply.text }) }
  if (plan) return planned({ reply, schema, description: reply.text ?? summary })
  const shown = example?.reply ?? reply.text
  return {
    description: reply.text ?? summary,
    content: {
      [mediaTypes[reply.type]]: { schema, ...(shown === undefined ? {} : { example: shown }) },
      ...(reply.typedWhenAsked ? { 'text/plain': { schema: { type: 'string' } } } : {}),
      ...(reply.csv ? { 'text/csv': { schema: { type: 'string' } } } : {}),
    },
  }
}

const planContent = { 'application/json': { schema: schemaOf(planSchema) } }

/** The answer of the action, or of its plan. */
function planned({ reply, schema, description }: { reply: Reply; schema: Json; description: string }): Json {
  if (mediaTypes[reply.type] !== 'application/json')
    return { description, content: { [mediaTypes[reply.type]]: { schema }, ...planContent } }
  return { description, content: { 'application/json': { schema: { anyOf: [schema, schemaOf(planSchema)] } } } }
}

/** What the listener refuses whatever the address: texts of Node.js for headers, of the gateway for bodies. */
const bySize = (method: Method): readonly (readonly [status: number, text: string])[] => [
  [431, 'Request Header Fields Too Large'],
  ...(method === 'GET' ? [] : ([[413, 'the body is too large']] as const)),
]

/** What the row may be refused with, besides what the gateway refuses for every row. */
export function refusals(route: Route): readonly (readonly [status: number, text: string])[] {
  const open = route.grant === 'none'
  const every = [
    ...(open ? [] : [wireFailure('not-logged-in', route), wireFailure('no-grant', route)]),
    ...(route.body || route.query || route.params || route.reply.list || isAction(route)
      ? [wireFailure('bad-request', route)]
      : []),
  ]
  const own = [...Object.entries(route.failures), ...Object.entries(route.withoutAccept ?? {})].map(
    ([code, [status, text]]) => [status, text ?? code] as const,
  )
  const all = [...every.map(([status, text]) => [status, text ?? 'bad-request'] as const), ...own]
  return [...new Map(all.map((pair) => [pair.join(' '), pair])).values()].sort(([left], [right]) => left - right)
}

const refusal = (texts: readonly string[]): Json => ({
  description: texts.join('; '),
  content: { 'text/plain': { schema: { type: 'string' }, example: texts[0] } },
})

/** The shape as clients send it, or read it: JSON Schema 2020-12 that refers to named shapes as components. */
function schemaOf(schema: z.ZodType | undefined): Json {
  if (!schema) return {}
  const { properties } = jsonSchema(schema)
  return (properties as { readonly it: Json }).it
}

/** The schema as the one property of an object, so that a named shape is always referred to, as a component. */
function jsonSchema(it: z.ZodType): Json {
  const text = JSON.stringify(z.toJSONSchema(z.object({ it }), { io: 'input', unrepresentable: 'any' }))
  return JSON.parse(text.replaceAll('#/$defs/', '#/components/schemas/'))
}

/** Every named shape that a row's schemas lead to. */
function namedShapes(routes: readonly Route[]): Json {
  const schemas = routes
    .flatMap(({ body, query, reply, plan }) => [body, query, reply.schema, plan ? planSchema : undefined])
    .filter((one) => one !== undefined)
  const shapes = new Map(schemas.flatMap((schema) => Object.entries((jsonSchema(schema).$defs ?? {}) as Json)))
  return Object.fromEntries([...shapes].sort(([left], [right]) => (left < right ? -1 : 1)))
}

const requiredOf = (schema: z.ZodType | undefined): readonly string[] =>
  (schemaOf(schema).required as readonly string[] | undefined) ?? []

function propertiesOf(schema: z.ZodType | undefined): Readonly<Record<string, Json>> {
  const { properties } = schemaOf(schema)
  return (properties ?? {}) as Readonly<Record<string, Json>>
}
