// Words that schemas of wide objects are written with.
import * as z from 'zod'

export const text = z.string()
export const flag = z.boolean()
export const number = z.number()
export const count = z.number().int().min(0)

/** The same schema for each of these names. */
export const all = <const Name extends string, Schema extends z.ZodType>(
  schema: Schema,
  names: readonly Name[],
): Readonly<Record<Name, Schema>> =>
  Object.fromEntries(names.map((name) => [name, schema])) as Readonly<Record<Name, Schema>>

/** A value of a setting, secrets masked. */
export const plainValue = z.union([z.boolean(), z.number(), z.string()]).meta({ id: 'PlainValue' })

/** Any JSON: what a recorded event carries depends on its kind. */
export const jsonValue: z.ZodType = z
  .union([
    z.null(),
    z.boolean(),
    z.number(),
    z.string(),
    z.array(z.lazy(() => jsonValue)),
    z.record(
      z.string(),
      z.lazy(() => jsonValue),
    ),
  ])
  .meta({ id: 'JsonValue' })

/** What is never there: existing clients read the key. */
export const emptyList = z.array(z.never())
export const emptyObject = z.object({}).strict()
