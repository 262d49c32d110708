// What differs between two texts, line by line, with a few equal lines around each difference.
import { diffLines as compareLines } from 'diff'

export interface DiffLine {
  readonly type: 'same' | 'added' | 'removed' | 'gap'
  readonly text: string
}

/** Equal lines farther than `around` from a difference are one gap. */
export function diffLines(before: string, after: string, around = 3): readonly DiffLine[] {
  const lines = compareLines(before, after).flatMap(({ value, added, removed }) =>
    value
      .replace(/\n$/, '')
      .split('\n')
      .map((text): DiffLine => ({ type: added ? 'added' : removed ? 'removed' : 'same', text })),
  )
  const near = new Set<number>()
  for (const [index, { type }] of lines.entries())
    if (type !== 'same') for (let at = index - around; at <= index + around; at++) near.add(at)
  return lines.flatMap((line, index): DiffLine[] => {
    if (near.has(index)) return [line]
    const isFirst = index === 0 || near.has(index - 1)
    if (!isFirst) return []
    let end = index
    while (end < lines.length && !near.has(end)) end++
    return [{ type: 'gap', text: `${end - index} equal lines` }]
  })
}
