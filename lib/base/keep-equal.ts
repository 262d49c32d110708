// Reuses equal parts of the previous value: polled values mostly repeat, and each copy would stay in memory for a while.

type Parts = Readonly<Record<string, unknown>>

/**
 * `after`, built of the parts of `before` wherever these are equal; `before` itself when everything is. Plain data only:
 * objects, lists and what is compared by value. Neither argument is changed.
 */
export function keepEqual<T>(before: unknown, after: T): T {
  if (isEqual(before, after)) return before as T
  if (!isBranch(before) || !isBranch(after) || Array.isArray(before) !== Array.isArray(after)) return after
  let kept: Record<string, unknown> | undefined
  for (const name in after) {
    const part = keepEqual(before[name], after[name])
    if (part === after[name]) continue
    kept ??= (Array.isArray(after) ? [...after] : { ...after }) as Record<string, unknown>
    kept[name] = part
  }
  return (kept ?? after) as T
}

/** Allocates nothing, not even a list of names: mostly everything is equal. */
function isEqual(before: unknown, after: unknown): boolean {
  if (before === after) return true
  if (!isBranch(before) || !isBranch(after) || Array.isArray(before) !== Array.isArray(after)) return false
  let names = 0
  for (const name in after) {
    const part = before[name]
    if (!isEqual(part, after[name]) || (part === undefined && !(name in before))) return false
    names += 1
  }
  for (const _ in before) names -= 1
  return names === 0
}

const isBranch = (value: unknown): value is Parts => typeof value === 'object' && value !== null
