// Reads fields of replies that may be absent: a field that is missing or of another type is undefined, never a default.
import type { Loose, Reply, ValueAddress } from '../../../client/api/types.js'

export type Fields = Readonly<Record<string, unknown>>

/** A reply of this address: the compiler knows its fields, and that any of them may be absent. */
export const wireOf = <A extends ValueAddress>(reply: unknown) => reply as Loose<Reply<A>> | undefined

/** The fields that the type of a value names; any, of a value without one. */
type FieldsOf<T> = unknown extends T ? Fields : Loose<Extract<NonNullable<T>, object>>

type ItemOf<T> = NonNullable<T> extends readonly (infer Item)[] ? Item : unknown

export const fieldsOf = <T>(value: T): FieldsOf<T> =>
  (typeof value === 'object' && value !== null && !Array.isArray(value) ? value : {}) as FieldsOf<T>

export const listOf = <T>(value: T): readonly FieldsOf<ItemOf<T>>[] =>
  Array.isArray(value) ? value.map((item: ItemOf<T>) => fieldsOf(item)) : []

/** Texts that say something: an empty one is none. */
export const textOf = (value: unknown): string | undefined =>
  typeof value === 'string' && value !== '' ? value : undefined

export const numberOf = (value: unknown): number | undefined =>
  typeof value === 'number' && Number.isFinite(value) ? value : undefined

/** `{ String, Valid }`, `{ Int64, Valid }`: undefined where the database has NULL. */
export function nullable(value: unknown): string | undefined {
  const { Valid, String: text, Int64 } = fieldsOf(value)
  if (Valid !== true) return undefined
  return typeof text === 'string' ? text : typeof Int64 === 'number' ? String(Int64) : undefined
}

/** Entries whose value is absent are left out, so that optional fields stay absent. */
export function present<T extends object>(fields: { readonly [K in keyof T]: T[K] | undefined }): T {
  return Object.fromEntries(Object.entries(fields).filter(([, value]) => value !== undefined)) as T
}
