// Which of many things are kept, when the oldest are dropped: a group that has many loses its own, not those of others.

/** `most` of `all`, which are oldest first: no group loses one as long as another one keeps more. */
export function keepFairly<T>(all: readonly T[], most: number, groupOf: (one: T) => string): readonly T[] {
  if (all.length <= most) return all
  const newer = new Map<string, number>()
  const ranked = all.toReversed().map((one) => {
    const group = groupOf(one)
    const rank = newer.get(group) ?? 0
    newer.set(group, rank + 1)
    return { one, rank }
  })
  const level = levelOf([...newer.values()], most)
  let room = most - ranked.filter(({ rank }) => rank < level).length
  // Of those that are equally many in their groups, the newest.
  const kept = ranked.filter(({ rank }) => rank < level || (rank === level && room-- > 0))
  return kept.map(({ one }) => one).reverse()
}

/** The most that each group may keep so that all of them together have room. */
function levelOf(sizes: readonly number[], most: number): number {
  const sorted = sizes.toSorted((left, right) => left - right)
  let room = most
  for (const [index, size] of sorted.entries()) {
    const level = Math.floor(room / (sorted.length - index))
    if (size > level) return level
    room -= size
  }
  return most
}
