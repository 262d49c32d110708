// A server's configuration as files: paths relative to `init/`, folders before what is in them.
import { modeOf } from '../../base/files/modes.js'
export type TreeEntry =
  | { readonly kind: 'directory'; readonly path: string; readonly mode: number }
  | { readonly kind: 'file'; readonly path: string; readonly mode: number; readonly text: string }
  | { readonly kind: 'link'; readonly path: string; readonly target: string }

/** Sorted by path; every folder that an entry lies in is an entry itself. */
export type FileTree = readonly TreeEntry[]

/** Sorts entries and adds the implied folders. */
export function completeTree(entries: readonly TreeEntry[]): FileTree {
  const byPath = new Map([...impliedFolders(entries), ...entries].map((entry) => [entry.path, entry]))
  return [...byPath.values()].toSorted((left, right) => compareText(left.path, right.path))
}

/** The folders that entries lie in. */
export const impliedFolders = (entries: readonly TreeEntry[]): readonly TreeEntry[] =>
  entries.flatMap(({ path }) =>
    parents(path).map((parent) => ({ kind: 'directory', path: parent, mode: modeOf('shared') }) as const),
  )

const parents = (path: string): readonly string[] =>
  path
    .split('/')
    .slice(0, -1)
    .map((_, index, steps) => steps.slice(0, index + 1).join('/'))

/** By code unit, not by locale: the same order on every machine. */
const compareText = (left: string, right: string): number => (left < right ? -1 : left > right ? 1 : 0)
