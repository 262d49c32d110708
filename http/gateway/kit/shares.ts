// One user holds at most a share of what many wait for: event streams, slow answers.

/** Who holds it: the user, or the address of a visitor without one. */
export interface Holder {
  readonly user: string
  readonly address: string
}

export interface Shares {
  /** Takes one; undefined when the holder has its share already. The function gives it back, once. */
  take(holder: Holder): (() => void) | undefined
}

export function createShares(most: number): Shares {
  const held = new Map<string, number>()
  return {
    take: ({ user, address }) => {
      const key = user === '' ? `address ${address}` : `user ${user}`
      const count = held.get(key) ?? 0
      if (count >= most) return undefined
      held.set(key, count + 1)
      let isHeld = true
      return () => {
        const left = (held.get(key) ?? 0) - 1
        if (!isHeld) return
        isHeld = false
        if (left > 0) held.set(key, left)
        else held.delete(key)
      }
    },
  }
}
