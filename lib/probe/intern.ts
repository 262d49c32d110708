// Shares equal texts: thousands of servers answer the same values, and each copy would be kept.

const known = new Map<string, string>()
const longest = 512
const most = 20_000

/** The same text; the same object as an equal text given before, as far as it is remembered. */
export function intern(text: string): string {
  if (text.length > longest) return text
  const found = known.get(text)
  if (found !== undefined) return found
  if (known.size < most) known.set(text, text)
  return text
}

/** The record with its values shared. Names are: as property names the engine keeps one copy of each. */
export const internValues = (record: Readonly<Record<string, string>>): Readonly<Record<string, string>> =>
  Object.fromEntries(Object.entries(record).map(([name, value]) => [name, intern(value)]))

const lists = new Map<string, readonly unknown[]>()
const mostLists = 200

/** The same list as an equal one given before: a fleet has few different ones. */
export function internList<T>(list: readonly T[]): readonly T[] {
  const key = JSON.stringify(list)
  const found = lists.get(key)
  // the key is the list's whole content, so what was kept under it is of the same type
  if (found !== undefined) return found as readonly T[]
  if (lists.size < mostLists) lists.set(key, list)
  return list
}
