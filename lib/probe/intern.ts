// Shares equal texts: thousands of servers return the same values, which would each be stored.
import { type Named, nothingNamed } from '../model/server/named.js'

const known = new Map<string, string>()
const longest = 512
const most = 20_000

/** The same text; the same object as an equal earlier text while that is cached. */
export function intern(text: string): string {
  if (text.length > longest) return text
  const found = known.get(text)
  if (found !== undefined) return found
  if (known.size < most) known.set(text, text)
  return text
}

/** The columns, sharing equal values with earlier readings of the same server and with other servers. */
export function internNamed({ names, values }: Named, before: Named = nothingNamed): Named {
  const shared = internNames(names)
  const own = shared === before.names ? before.values : []
  if (isSame(values, own)) return before
  const latest = latestValues.get(shared)
  if (latest && isSame(values, latest.values)) return latest
  const kept = { names: shared, values: values.map((value, index) => (value === own[index] ? value : intern(value))) }
  latestValues.set(shared, kept)
  return kept
}

const nameLists: (readonly string[])[] = []
const mostNameLists = 100
/** By list of names: the latest columns. */
const latestValues = new WeakMap<readonly string[], Named>()

/** Servers of one version have the same names in the same order. */
function internNames(names: readonly string[]): readonly string[] {
  const found = nameLists.find((list) => isSame(list, names))
  if (found) return found
  const kept = names.map(intern)
  if (nameLists.length < mostNameLists) nameLists.push(kept)
  return kept
}

const isSame = (left: readonly string[], right: readonly string[]): boolean =>
  left.length === right.length && left.every((text, index) => text === right[index])

const lists = new Map<string, readonly unknown[]>()
const mostLists = 200

/** The same list object as an equal earlier one: a fleet has few different lists. */
export function internList<T>(list: readonly T[]): readonly T[] {
  const key = JSON.stringify(list)
  const found = lists.get(key)
  // the key is the list's whole content, so what was kept under it is of the same type
  if (found !== undefined) return found as readonly T[]
  if (lists.size < mostLists) lists.set(key, list)
  return list
}
