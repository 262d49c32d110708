// Texts by name, as two columns: servers have hundreds of them, and thousands of servers share the names.

/** Plain data. The n-th value belongs to the n-th name; a name comes once. */
export interface Named {
  readonly names: readonly string[]
  readonly values: readonly string[]
}

export const nothingNamed: Named = { names: [], values: [] }

/** Where each name stands: made once for each list of names, and lists are shared. */
const places = new WeakMap<readonly string[], ReadonlyMap<string, number>>()

/** The text of a name; undefined for one that is not there. */
export function textOf(named: Named | undefined, name: string): string | undefined {
  if (!named) return undefined
  const place = placesOf(named.names).get(name)
  return place === undefined ? undefined : named.values[place]
}

export const named = (record: Readonly<Record<string, string>>): Named => ({
  names: Object.keys(record),
  values: Object.values(record),
})

function placesOf(names: readonly string[]): ReadonlyMap<string, number> {
  const known = places.get(names)
  if (known) return known
  const made = new Map(names.map((name, index) => [name, index]))
  places.set(names, made)
  return made
}
