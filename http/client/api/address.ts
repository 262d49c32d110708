// Addresses of the API as callers write them, `GET /api/clusters/:cluster/jobs`, and as requests have them.
import type { Address, Given, Input } from './types.js'

/** Values of parameters; one that is undefined is not sent, a list is sent value by value. */
export type Values = Readonly<Record<string, Value | readonly Value[] | undefined>>

type Value = string | number | boolean

/** Method and path with its query; every value may hold any character. */
export function requestOf(
  address: string,
  { params = {}, query = {} }: { readonly params?: Values | undefined; readonly query?: Values | undefined } = {},
): readonly [method: string, path: string] {
  const [method = '', pattern = ''] = address.split(' ')
  const path = pattern.replace(/:(\w+)/g, (_all, name: string) => encodeURIComponent(String(params[name] ?? '')))
  const given = Object.entries(query).flatMap(([name, value]) =>
    (value === undefined ? [] : [value].flat()).map((each) => [name, String(each)] as [string, string]),
  )
  return [method, given.length === 0 ? path : `${path}?${new URLSearchParams(given)}`]
}

/** The same for an address that is known when it is compiled. */
export const addressed = <A extends Address>(
  address: A,
  ...[given]: Given<Omit<Input<A>, 'body'>>
): readonly [method: string, path: string] => requestOf(address, given as Parameters<typeof requestOf>[1])
