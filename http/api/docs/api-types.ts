// The types of the API for its clients in TypeScript, printed from the OpenAPI document: every named shape and every address.

type Json = Readonly<Record<string, unknown>>

interface Parameter {
  readonly name: string
  readonly in: 'path' | 'query'
  readonly required: boolean
  readonly schema: Json
}

type Content = Readonly<Record<string, { readonly schema: Json }>>

interface Operation {
  readonly summary: string
  readonly parameters: readonly Parameter[]
  readonly requestBody?: { readonly required: boolean; readonly content: Content }
  readonly responses: Readonly<Record<string, { readonly content?: Content }>>
}

interface Document {
  readonly paths: Readonly<Record<string, Readonly<Record<string, Operation>>>>
  readonly components: { readonly schemas: Readonly<Record<string, Json>> }
}

/** Text of http/client/api/generated.ts. */
export function printApiTypes(document: Json): string {
  const { paths, components } = document as unknown as Document
  return [
    '// The shapes and addresses of the API, printed from its route tables by the build; do not edit.',
    ...Object.entries(components.schemas).flatMap(([name, schema]) => ['', shapeText(name, schema)]),
    '',
    '/** What each address takes and answers, by method and path. */',
    'export interface Api {',
    ...Object.entries(paths).flatMap(([path, operations]) =>
      Object.entries(operations).map(([method, operation]) => indented(addressText({ method, path, operation }))),
    ),
    '}',
    '',
  ].join('\n')
}

function shapeText(name: string, schema: Json): string {
  const type = typeOf(schema)
  return isPlainObject(schema) ? `export interface ${name} ${type}` : `export type ${name} = ${type}`
}

interface Address {
  readonly method: string
  readonly path: string
  readonly operation: Operation
}

function addressText({ method, path, operation }: Address): string {
  const { summary, parameters, requestBody } = operation
  const address = `${method.toUpperCase()} ${path.replace(/\{(\w+)\}/g, ':$1')}`
  const members = [
    ...parametersIn('path', parameters),
    ...parametersIn('query', parameters),
    ...(requestBody ? [`body${requestBody.required ? '' : '?'}: ${bodyType(requestBody.content)}`] : []),
    ...replyMembers(operation),
  ]
  return `${comment(summary)}${literal(address)}: ${block(members.map((member) => `readonly ${member}`))}`
}

/** One member that holds the parameters of a place; optional where all of them are. */
function parametersIn(place: Parameter['in'], all: readonly Parameter[]): readonly string[] {
  const parameters = all.filter((parameter) => parameter.in === place && !isPlanWish(parameter))
  if (parameters.length === 0) return []
  const fields = parameters.map(({ name, required, schema }) => givenField({ name, required, schema }))
  const isOptional = !parameters.some(({ required }) => required)
  return [`${place === 'path' ? 'params' : 'query'}${isOptional ? '?' : ''}: ${block(fields)}`]
}

/** Whether a plan is wanted is no parameter of a client: it asks for the plan, or for the action. */
const isPlanWish = ({ name, in: place }: Parameter): boolean => place === 'query' && name === 'plan'

/** What a caller gives: a field that is absent may be named, and a number in an address is text there. */
function givenField({ name, required, schema }: Omit<Parameter, 'in'>): string {
  const type = typeOf(schema)
  const given = type === 'number' ? 'number | string' : type
  return `${describe(schema)}readonly ${key(name)}${required ? '' : '?'}: ${given}${required ? '' : ' | undefined'}`
}

/** The first level of a body is given field by field, as a query is. */
function bodyType(content: Content): string {
  const schema = content['application/json']?.schema ?? {}
  if (!isPlainObject(schema)) return typeOf(schema)
  const fields = fieldsOf(schema).map(({ name, required, schema: field }) => {
    const type = typeOf(field)
    return `${describe(field)}readonly ${key(name)}${required ? '' : '?'}: ${type}${required ? '' : ' | undefined'}`
  })
  return block(fields)
}

/** The reply, or that it is a stream of bytes; what `plan=true` is answered with is a member of its own. */
function replyMembers({ parameters, responses }: Operation): readonly string[] {
  const [, { content = {} } = {}] = Object.entries(responses).findLast(([status]) => /^[23]/.test(status)) ?? []
  const hasPlan = parameters.some(isPlanWish)
  const plan = hasPlan ? ['plan: Plan'] : []
  const json = jsonReply(content, hasPlan)
  if (json !== undefined) return [`reply: ${json}`, ...plan]
  const [type, { schema = {} } = {}] = Object.entries(content).find(([each]) => each !== 'application/json') ?? []
  if (type === undefined) return ["reply: ''", ...plan]
  if (!type.startsWith('text/') || type === 'text/event-stream') return ['stream: true', ...plan]
  return [`reply: ${typeOf(schema)}`, ...plan]
}

/** Undefined for an answer that is no JSON but for its plan. */
function jsonReply(content: Content, hasPlan: boolean): string | undefined {
  const schema = content['application/json']?.schema
  if (!schema || (hasPlan && isPlan(schema))) return undefined
  const own = hasPlan ? alternativesOf(schema).filter((each) => !isPlan(each)) : []
  return own.length > 0 ? unionOf(own.map(typeOf)) : typeOf(schema)
}

const isPlan = ({ $ref }: Json): boolean => $ref === '#/components/schemas/Plan'

const alternativesOf = ({ anyOf, oneOf }: Json): readonly Json[] => (anyOf ?? oneOf ?? []) as readonly Json[]

/** The type of a JSON Schema, as far as the schemas of the API use that language; a kind that they do not use yet is an error. */
function typeOf(schema: Json): string {
  const { $ref, enum: values, type, allOf, not } = schema
  if (typeof $ref === 'string') return $ref.slice($ref.lastIndexOf('/') + 1)
  if ('const' in schema) return literal(schema.const)
  if (Array.isArray(values)) return unionOf(values.map(literal))
  if (alternativesOf(schema).length > 0) return unionOf(alternativesOf(schema).map(typeOf))
  if (Array.isArray(allOf)) return allOf.map(typeOf).join(' & ')
  if (not) return 'never'
  if (Array.isArray(type)) return unionOf(type.map((each) => typeOf({ ...schema, type: each })))
  if (type === undefined) return 'unknown'
  const print = printers[String(type)]
  if (!print) throw new Error(`JSON Schema type ${type}: api-types.ts has no printer for it`)
  return print(schema)
}

const printers: Readonly<Record<string, (schema: Json) => string>> = {
  string: () => 'string',
  number: () => 'number',
  integer: () => 'number',
  boolean: () => 'boolean',
  null: () => 'null',
  array: arrayType,
  object: objectType,
}

function arrayType({ prefixItems, items }: Json): string {
  if (Array.isArray(prefixItems)) return `readonly [${prefixItems.map(typeOf).join(', ')}]`
  const type = typeOf((items ?? {}) as Json)
  return `readonly ${/^[\w']+$/.test(type) ? type : `(${type})`}[]`
}

/** Fields that a shape does not name are not offered: nothing says what they hold. */
function objectType(schema: Json): string {
  const { additionalProperties = {} } = schema
  if (isPlainObject(schema))
    return block(
      fieldsOf(schema).map(
        ({ name, required, schema: field }) =>
          `${describe(field)}readonly ${key(name)}${required ? '' : '?'}: ${typeOf(field)}`,
      ),
    )
  if (additionalProperties === false) return 'Readonly<Record<string, never>>'
  return `{ readonly [key: string]: ${typeOf(additionalProperties as Json)} }`
}

const isPlainObject = ({ type, properties, anyOf, allOf }: Json): boolean =>
  type === 'object' && !anyOf && !allOf && Object.keys(properties ?? {}).length > 0

const fieldsOf = ({ properties = {}, required = [] }: Json): readonly Omit<Parameter, 'in'>[] =>
  Object.entries(properties as Readonly<Record<string, Json>>).map(([name, schema]) => ({
    ...{ name, schema },
    required: (required as readonly string[]).includes(name),
  }))

const describe = ({ description }: Json): string => (typeof description === 'string' ? comment(description) : '')

const comment = (text: string): string => `/** ${text.replaceAll('*/', '* /')} */\n`

const block = (lines: readonly string[]): string => `{\n${lines.map(indented).join('\n')}\n}`

const indented = (text: string): string => text.replace(/^(?=.)/gm, '  ')

const key = (name: string): string => (/^[A-Za-z_$][\w$]*$/.test(name) ? name : literal(name))

const literal = (value: unknown): string =>
  typeof value === 'string'
    ? `'${JSON.stringify(value).slice(1, -1).replaceAll('\\"', '"').replaceAll("'", "\\'")}'`
    : JSON.stringify(value)

const unionOf = (types: readonly string[]): string => [...new Set(types)].join(' | ')
