// Which options fit what was typed, the best first: those that begin with it, those with a word that does, those that contain it.

export function narrow<T>(options: readonly T[], typed: string, nameOf: (option: T) => string): readonly T[] {
  const wanted = typed.trim().toLowerCase()
  if (wanted === '') return options
  const ranked = options.flatMap((option) => {
    const rank = rankOf(nameOf(option).toLowerCase(), wanted)
    return rank === undefined ? [] : [{ option, rank }]
  })
  return ranked.toSorted((a, b) => a.rank - b.rank).map(({ option }) => option)
}

function rankOf(name: string, wanted: string): number | undefined {
  if (name === wanted) return 0
  if (name.startsWith(wanted)) return 1
  const at = name.indexOf(wanted)
  if (at < 0) return undefined
  return /[^a-z0-9]/.test(name[at - 1] ?? '') ? 2 : 3
}
