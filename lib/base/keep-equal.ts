// Shares what stayed the same: what is read anew all the time mostly repeats, and each copy would be kept for a while.

/**
 * `after`, made of the parts of `before` wherever these are equal; `before` itself when everything is. Plain data only:
 * objects, lists and what is compared by value. Neither argument is changed.
 */
export function keepEqual<T>(before: unknown, after: T): T {
  if (before === after) return before as T
  if (!isBranch(before) || !isBranch(after) || Array.isArray(before) !== Array.isArray(after)) return after
  const names = Object.keys(after)
  const kept = (Array.isArray(after) ? [...after] : { ...after }) as Record<string, unknown>
  let same = names.length === Object.keys(before).length
  for (const name of names) {
    const part = keepEqual(before[name], kept[name])
    kept[name] = part
    same &&= part === before[name] && name in before
  }
  return (same ? before : kept) as T
}

const isBranch = (value: unknown): value is Readonly<Record<string, unknown>> =>
  typeof value === 'object' && value !== null
