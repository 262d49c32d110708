// The lines of a virtual list that groups of clusters make: a heading for each group, tiles side by side or one row each.
import type { Group } from '../../store/fleet/arrange.js'

export type Line =
  | { readonly type: 'head'; readonly tag: string; readonly count: number }
  | { readonly type: 'clusters'; readonly tag: string; readonly names: readonly string[] }

export function makeLines(
  groups: readonly Group[],
  { columns, heads }: { columns: number; heads: boolean },
): readonly Line[] {
  const lines: Line[] = []
  for (const { tag, names } of groups) {
    if (heads) lines.push({ type: 'head', tag, count: names.length })
    for (let at = 0; at < names.length; at += columns)
      lines.push({ type: 'clusters', tag, names: names.slice(at, at + columns) })
  }
  return lines
}

/** Where an arrow key leads from a cluster: a place in its line and the line; undefined at an edge. */
export function stepFrom(
  lines: readonly Line[],
  from: { readonly line: number; readonly at: number },
  key: string,
): { readonly line: number; readonly at: number } | undefined {
  const width = (line: number) => (lines[line]?.type === 'clusters' ? lines[line].names.length : 0)
  const nextLine = (line: number, by: 1 | -1): number | undefined => {
    for (let next = line + by; next >= 0 && next < lines.length; next += by) if (width(next) > 0) return next
    return undefined
  }
  if (key === 'ArrowRight' && from.at + 1 < width(from.line)) return { ...from, at: from.at + 1 }
  if (key === 'ArrowLeft' && from.at > 0) return { ...from, at: from.at - 1 }
  const by = { ArrowRight: 1, ArrowDown: 1, ArrowLeft: -1, ArrowUp: -1 }[key] as 1 | -1 | undefined
  const line = by === undefined ? undefined : nextLine(from.line, by)
  if (line === undefined) return undefined
  const last = width(line) - 1
  if (key === 'ArrowRight') return { line, at: 0 }
  if (key === 'ArrowLeft') return { line, at: last }
  return { line, at: Math.min(from.at, last) }
}
