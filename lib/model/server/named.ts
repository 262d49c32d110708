// Texts by name, as two columns: each server has hundreds, and thousands of servers share the names.

/** Plain data. The n-th value belongs to the n-th name; names come once, in the order of their code units. */
export interface Named {
  readonly names: readonly string[]
  readonly values: readonly string[]
}

export const nothingNamed: Named = { names: [], values: [] }

/** The two columns of these pairs. */
export function namedOf(pairs: readonly (readonly [name: string, value: string])[]): Named {
  const sorted = [...pairs].sort(([left], [right]) => (left < right ? -1 : Number(left > right)))
  return { names: sorted.map(([name]) => name), values: sorted.map(([, value]) => value) }
}

export const named = (record: Readonly<Record<string, string>>): Named => namedOf(Object.entries(record))

/** The text of a name; undefined for one that is not there. */
export function textOf(named: Named | undefined, name: string): string | undefined {
  if (!named) return undefined
  const index = indexOf(named.names, name)
  return index === undefined ? undefined : named.values[index]
}

/** Binary search: every evaluation reads a dozen of the 650 variables of each server. */
function indexOf(names: readonly string[], name: string): number | undefined {
  let low = 0
  let high = names.length - 1
  while (low <= high) {
    const middle = (low + high) >> 1
    const at = names[middle] ?? ''
    if (at === name) return middle
    if (at < name) low = middle + 1
    else high = middle - 1
  }
  return undefined
}

/** The names that both have with different values. */
export function differingNames(left: Named, right: Named): readonly string[] {
  if (left === right) return []
  if (left.names === right.names) return left.names.filter((_, index) => left.values[index] !== right.values[index])
  return left.names.filter((name, index) => {
    const other = textOf(right, name)
    return other !== undefined && other !== left.values[index]
  })
}
