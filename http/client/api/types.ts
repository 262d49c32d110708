// What a call of an address takes and gives, read from the printed table of the API.
import type { Api } from './generated.js'

/** `GET /api/fleet`: every method and path of the API. */
export type Address = keyof Api

/** Those that answer with a value; the others answer with a stream of bytes. */
export type ValueAddress = { [A in Address]: Api[A] extends { readonly reply: unknown } ? A : never }[Address]

/** Those that do something on request, and say before what they would do. */
export type PlannedAddress = { [A in Address]: Api[A] extends { readonly plan: unknown } ? A : never }[Address]

type Part<Row, Name extends 'params' | 'query' | 'body'> = Name extends keyof Row
  ? Pick<Row, Name>
  : { readonly [N in Name]?: never }

/** Parameters of the path, of the query, and the body. */
export type Input<A extends Address> = Part<Api[A], 'params'> & Part<Api[A], 'query'> & Part<Api[A], 'body'>

/** What it answers; never where that is a stream. */
export type Reply<A extends Address> = Api[A] extends { readonly reply: infer Value } ? Value : never

/** The argument of a call: it may be left out where nothing is required. */
export type Given<Options> = Record<never, never> extends Options ? [options?: Options] : [options: Options]

/** What a reply holds in practice: a manager of another version may leave out any field. */
export type Loose<T> = T extends readonly (infer Item)[]
  ? readonly Loose<Item>[]
  : T extends object
    ? { readonly [Key in keyof T]?: Loose<T[Key]> | undefined }
    : T
