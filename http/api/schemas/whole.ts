// Completes an example: what its schema requires and it does not name gets the plainest value that there is.
import * as z from 'zod'

/** The example with every required field, in each object of it. */
export function whole<Example>(schema: z.ZodType, example: Example): Example {
  return completed(schema, example) as Example
}

function completed(given: z.ZodType, value: unknown): unknown {
  const schema = plainOf(given)
  if (schema instanceof z.ZodArray && Array.isArray(value))
    return value.map((one) => completed(schema.element as z.ZodType, one))
  if (!(schema instanceof z.ZodObject) || typeof value !== 'object' || value === null) return value
  const known = value as Readonly<Record<string, unknown>>
  const shape = Object.entries(schema.shape as Readonly<Record<string, z.ZodType>>)
  const fields = shape.flatMap(([name, field]): [string, unknown][] =>
    name in known
      ? [[name, completed(field, known[name])]]
      : field instanceof z.ZodOptional
        ? []
        : [[name, plainest(field)]],
  )
  return { ...known, ...Object.fromEntries(fields) }
}

const plainOf = (schema: z.ZodType): z.ZodType =>
  schema instanceof z.ZodOptional || schema instanceof z.ZodNullable ? plainOf(schema.unwrap() as z.ZodType) : schema

function plainest(schema: z.ZodType): unknown {
  if (schema instanceof z.ZodNullable || schema instanceof z.ZodNull) return null
  if (schema instanceof z.ZodArray) return []
  if (schema instanceof z.ZodBoolean) return false
  if (schema instanceof z.ZodNumber) return 0
  if (schema instanceof z.ZodEnum) return schema.options[0]
  if (schema instanceof z.ZodObject) return completed(schema, {})
  return schema instanceof z.ZodRecord ? {} : ''
}
