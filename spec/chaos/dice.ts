// Chance that can be repeated: the same seed throws the same numbers on every machine.

export interface Dice {
  /** From 0 up to 1, without it. */
  next(): number
  /** A whole number, both ends included. */
  between(low: number, high: number): number
  pick<T>(items: readonly [T, ...T[]]): T
  /** An entry's key, each as likely as its weight. */
  weighted<Key extends string>(weights: readonly (readonly [Key, number])[]): Key
}

export function throwDice(seed: string): Dice {
  let state = hash(seed)
  const next = (): number => {
    state = (state + 0x6d2b79f5) | 0
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state)
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32
  }
  return {
    next,
    between: (low, high) => low + Math.floor(next() * (high - low + 1)),
    pick: (items) => items[Math.floor(next() * items.length)] ?? items[0],
    weighted: (weights) => {
      let rest = next() * weights.reduce((sum, [, weight]) => sum + weight, 0)
      for (const [key, weight] of weights) {
        rest -= weight
        if (rest < 0) return key
      }
      throw new Error('nothing to choose from')
    },
  }
}

/** FNV-1a. */
function hash(text: string): number {
  let value = 0x811c9dc5
  for (const character of text) value = Math.imul(value ^ (character.codePointAt(0) ?? 0), 0x01000193)
  return value | 0
}
