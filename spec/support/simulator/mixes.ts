// Every case of a kind: all mixes of so many items, and one claim that has to hold in each of them.

/** Each choice of `size` items, the same one several times too; their order does not matter, so each mix comes once. */
export function* mixes<T>(items: readonly T[], size: number): Generator<readonly T[]> {
  if (size === 0) yield []
  else
    for (const [index, item] of items.entries())
      for (const rest of mixes(items.slice(index), size - 1)) yield [item, ...rest]
}

/** Throws for the first case that breaks the claim, with its title. */
export function claimAlways<T extends { readonly title: string }>(all: readonly T[], claim: (one: T) => void): void {
  for (const one of all)
    try {
      claim(one)
    } catch (error) {
      throw new Error(`${one.title}: ${error instanceof Error ? error.message : String(error)}`)
    }
}
