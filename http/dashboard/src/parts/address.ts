// The address as the place of what a page shows: filter, sort, form.
import { useLocation } from 'preact-iso/router'

export type Changes = Readonly<Record<string, string | undefined>>

/** The address with other values in its query; '' and undefined remove one. */
export function addressWith(path: string, query: Readonly<Record<string, string>>, changes: Changes): string {
  const values = Object.entries({ ...query, ...changes }).flatMap(([key, value]) => (value ? [[key, value]] : []))
  return values.length === 0 ? path : `${path}?${new URLSearchParams(values)}`
}

/** What the query says and how to change it, without a new entry of the history. */
export function useQuery() {
  const { path, query, route } = useLocation()
  return { query, setQuery: (changes: Changes) => route(addressWith(path, query, changes), true) }
}
