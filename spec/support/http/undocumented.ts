// Fields of an answer that its schema does not name: a client that is generated from the document would not know them.
import * as z from 'zod'

interface Shape {
  readonly $ref?: string
  readonly properties?: Readonly<Record<string, Shape>>
  readonly additionalProperties?: Shape | boolean
  readonly items?: Shape
  readonly anyOf?: readonly Shape[]
  readonly allOf?: readonly Shape[]
}

interface Root extends Shape {
  readonly $defs?: Readonly<Record<string, Shape>>
}

/** Their places, such as `[0].replications[0].sqlDelay`. */
export function undocumented(schema: z.ZodType, value: unknown): readonly string[] {
  const root = z.toJSONSchema(schema, { io: 'input', unrepresentable: 'any' }) as Root
  return fieldsBeyond(resolverOf(root), root, { value, at: '' })
}

type Resolve = (shape: Shape) => Shape

const resolverOf =
  ({ $defs = {}, ...root }: Root): Resolve =>
  (shape) =>
    shape.$ref === undefined ? shape : shape.$ref === '#' ? root : ($defs[shape.$ref.split('/').at(-1) ?? ''] ?? {})

interface Place {
  readonly value: unknown
  readonly at: string
}

function fieldsBeyond(resolve: Resolve, given: Shape, { value, at }: Place): readonly string[] {
  const shape = merged(resolve, resolve(given))
  if (shape.anyOf) {
    const each = shape.anyOf.filter((one) => suits(resolve(one), value))
    const found = each.map((one) => fieldsBeyond(resolve, one, { value, at }))
    return found.toSorted((a, b) => a.length - b.length)[0] ?? []
  }
  if (Array.isArray(value))
    return value.flatMap((one, index) =>
      fieldsBeyond(resolve, shape.items ?? {}, { value: one, at: `${at}[${index}]` }),
    )
  if (typeof value !== 'object' || value === null) return []
  const { properties, additionalProperties } = shape
  return Object.entries(value).flatMap(([name, field]) => {
    const known = properties?.[name] ?? (typeof additionalProperties === 'object' ? additionalProperties : undefined)
    const place = `${at}.${name}`
    return known ? fieldsBeyond(resolve, known, { value: field, at: place }) : [place]
  })
}

/** All parts of an intersection as one. */
function merged(resolve: Resolve, shape: Shape): Shape {
  if (!shape.allOf) return shape
  const parts = shape.allOf.map((one) => merged(resolve, resolve(one)))
  return { properties: Object.assign({}, ...parts.map(({ properties }) => properties)) }
}

const suits = (shape: Shape, value: unknown): boolean =>
  Array.isArray(value) ? shape.items !== undefined || shape.anyOf !== undefined : shape.items === undefined
