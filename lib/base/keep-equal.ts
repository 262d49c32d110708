// Shares what stayed the same: what is read anew all the time mostly repeats, and each copy would be kept for a while.

/**
 * `after`, made of the parts of `before` wherever these are equal; `before` itself when everything is. Plain data only:
 * objects, lists and what is compared by value. Neither argument is changed.
 */
export function keepEqual<T>(before: unknown, after: T): T {
  if (before === after) return before as T
  if (!isBranch(before) || !isBranch(after) || Array.isArray(before) !== Array.isArray(after)) return after
  const names = Object.keys(after)
  let kept: Record<string, unknown> | undefined
  let same = names.length === Object.keys(before).length
  for (const name of names) {
    const part = keepEqual(before[name], after[name])
    same &&= part === before[name] && name in before
    if (part === after[name]) continue
    kept ??= (Array.isArray(after) ? [...after] : { ...after }) as Record<string, unknown>
    kept[name] = part
  }
  return (same ? before : (kept ?? after)) as T
}

const isBranch = (value: unknown): value is Readonly<Record<string, unknown>> =>
  typeof value === 'object' && value !== null
