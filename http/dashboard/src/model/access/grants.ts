// Grants as people choose them: by area, and what a word that begins several names gives besides. Pure.

export interface Area {
  /** "db", "cluster"; "other" for grants without one. */
  readonly name: string
  readonly grants: readonly string[]
}

/** In the order of the grants. */
export function groupByArea(grants: readonly string[]): readonly Area[] {
  const areas = new Map<string, string[]>()
  for (const grant of grants) {
    const name = grant.includes('-') ? (grant.split('-')[0] ?? '') : 'other'
    const known = areas.get(name) ?? []
    areas.set(name, known)
    known.push(grant)
  }
  return [...areas].map(([name, own]) => ({ name, grants: own }))
}

/** The chosen word that gives the grant without being it: a list gives every grant that begins with one of its words. */
export const impliedBy = (grant: string, chosen: ReadonlySet<string>): string | undefined =>
  [...chosen].find((word) => word !== grant && grant.startsWith(word))

/** The words that give exactly these grants and what they imply: those that others imply are left out. */
export const wordsOf = (chosen: ReadonlySet<string>): string =>
  [...chosen].filter((grant) => impliedBy(grant, chosen) === undefined).join(' ')

export interface GrantSet {
  readonly grants: readonly string[]
  /** In the order of names. */
  readonly clusters: readonly string[]
}

interface Held {
  readonly sets: readonly (readonly string[])[]
  readonly clusters: Readonly<Record<string, number>>
}

/** Clusters with equal grants together, the largest group first. */
export function groupClusters({ sets, clusters }: Held): readonly GrantSet[] {
  const names = new Map<number, string[]>()
  for (const [name, place] of Object.entries(clusters)) names.set(place, [...(names.get(place) ?? []), name])
  return [...names]
    .map(([place, own]) => ({ grants: sets[place] ?? [], clusters: own.toSorted() }))
    .toSorted((a, b) => b.clusters.length - a.clusters.length)
}
