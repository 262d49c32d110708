// Values that a JSON Schema of the API's document allows, and texts that it denies, for property-based specs.
import fc from 'fast-check'

export interface Schema {
  readonly $ref?: string
  readonly type?: string | readonly string[]
  readonly enum?: readonly unknown[]
  readonly const?: unknown
  readonly anyOf?: readonly Schema[]
  readonly properties?: Readonly<Record<string, Schema>>
  readonly required?: readonly string[]
  readonly items?: Schema
  readonly pattern?: string
  readonly minLength?: number
  readonly maxLength?: number
  readonly minimum?: number
  readonly maximum?: number
  readonly maxItems?: number
}

/** Printable, also beyond ASCII; without what a path cannot carry. */
const letters = fc.stringMatching(/^[ -~¡-ÿ✓]*$/u)
const names = fc.stringMatching(/^[a-z][a-z0-9-]{1,20}$/)
/** With a port: random text is almost never one. */
const addresses = fc.stringMatching(/^db-[a-z0-9]{1,20}:[1-9]\d{0,3}$/)

/** fast-check reads a pattern for tens of milliseconds, and the document repeats few of them: each is read once. */
const known = new Map<string, fc.Arbitrary<string>>()

function matching(pattern: string): fc.Arbitrary<string> {
  const read = known.get(pattern) ?? fc.stringMatching(new RegExp(pattern))
  known.set(pattern, read)
  return read
}

/** A value that the schema allows. Only what this document uses of JSON Schema is understood; the rest throws. */
export function allowed(schema: Schema): fc.Arbitrary<unknown> {
  if (schema.enum) return fc.constantFrom(...schema.enum)
  if (schema.const !== undefined) return fc.constant(schema.const)
  if (schema.anyOf) return fc.oneof(...schema.anyOf.map(allowed))
  const types = [schema.type ?? 'object'].flat()
  return fc.oneof(...types.map((type) => ofType(type, schema)))
}

function ofType(type: string, schema: Schema): fc.Arbitrary<unknown> {
  const { minimum: min = -1_000_000, maximum: max = 1_000_000 } = schema
  switch (type) {
    case 'boolean':
      return fc.boolean()
    case 'null':
      return fc.constant(null)
    case 'integer':
      return fc.integer({ min: Math.max(min, Number.MIN_SAFE_INTEGER), max: Math.min(max, Number.MAX_SAFE_INTEGER) })
    case 'number':
      return fc.double({ min, max, noNaN: true }).map((value) => (Object.is(value, -0) ? 0 : value))
    case 'string':
      return text(schema)
    case 'array':
      return fc.array(allowed(schema.items ?? { type: 'string' }), { maxLength: Math.min(schema.maxItems ?? 4, 4) })
    case 'object':
      return fc.record(
        Object.fromEntries(Object.entries(schema.properties ?? {}).map(([name, one]) => [name, allowed(one)])),
        { requiredKeys: [...(schema.required ?? [])] },
      )
    default:
      throw new TypeError(`no values of type ${type}`)
  }
}

function text({ pattern, minLength = 0, maxLength = 200 }: Schema): fc.Arbitrary<string> {
  const fits = (value: string) => value.length >= minLength && value.length <= maxLength
  // Lookaheads are not generated from: what they deny is filtered.
  const base = pattern === undefined || pattern.includes('(?!') ? letters : matching(pattern)
  const isMeant = (value: string) => fits(value) && (pattern === undefined || new RegExp(pattern, 'u').test(value))
  return fc.oneof(base, names, addresses).filter(isMeant)
}

/** Texts that are no value of the schema, as they would stand in a path or a query; none for a schema of any text. */
export function denied(schema: Schema): readonly string[] {
  const candidates = ['maybe', '-1', '1.5', '0x10', ' 7 ', '1e400', '99999999999999999999', 'TRUE', 'null', '{}']
  return candidates.filter((candidate) => !isAllowed(schema, candidate))
}

function isAllowed(schema: Schema, candidate: string): boolean {
  if (schema.enum) return schema.enum.includes(candidate)
  if (schema.anyOf) return schema.anyOf.some((one) => isAllowed(one, candidate))
  return [schema.type ?? 'string'].flat().some((type) => fitsType(type, schema, candidate))
}

function fitsType(type: string, schema: Schema, candidate: string): boolean {
  const { minimum = -Infinity, maximum = Infinity, pattern, maxLength = Infinity } = schema
  const isNumber = /^-?(0|[1-9]\d*)(\.\d+)?([eE][+-]?\d+)?$/.test(candidate)
  const inRange = Number(candidate) >= minimum && Number(candidate) <= maximum
  if (type === 'boolean') return candidate === 'true' || candidate === 'false'
  if (type === 'integer') return isNumber && Number.isInteger(Number(candidate)) && inRange
  if (type === 'number') return isNumber && inRange
  if (type !== 'string') return true
  return candidate.length <= maxLength && (pattern === undefined || new RegExp(pattern, 'u').test(candidate))
}
