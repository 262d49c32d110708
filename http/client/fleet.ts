// The fleet as the client reads it: one line a cluster, those in trouble first. Pure.

/** One entry of `/api/fleet`. */
export interface WireBrief {
  readonly name: string
  /** Why it has no state to show; the other fields are absent then. */
  readonly unavailable?: string
  readonly topology?: string
  readonly failoverMode?: string
  readonly isPaused?: boolean
  readonly isObserved?: boolean
  readonly primary?: string
  readonly isDown?: boolean
  readonly isHealthy?: boolean
  readonly isFailable?: boolean
  readonly fault?: string
  readonly servers?: number
  readonly answering?: number
  /** Seconds of the slowest replica. */
  readonly lag?: number | null
  readonly errors?: number
  readonly warnings?: number
  readonly worst?: { readonly number: string; readonly desc: string } | null
  readonly operation?: { readonly id: string; readonly kind: string } | null
}

type Grade = 'bad' | 'odd' | 'good'

export interface Trouble {
  readonly word: string
  /** After a number of clusters, where that is not the same word. */
  readonly many?: string
  readonly grade: Grade
}

/** The worst first: the first row that holds is the condition of a cluster. */
const troubles: readonly (Trouble & { readonly holds: (brief: WireBrief) => boolean })[] = [
  { word: 'unavailable', grade: 'bad', holds: ({ unavailable }) => unavailable !== undefined },
  { word: 'down', grade: 'bad', holds: ({ isDown }) => isDown === true },
  { word: 'errors', many: 'with errors', grade: 'bad', holds: ({ errors = 0 }) => errors > 0 },
  { word: 'changing', grade: 'odd', holds: ({ operation }) => operation !== null && operation !== undefined },
  { word: 'at risk', grade: 'odd', holds: ({ isFailable }) => isFailable === false },
  { word: 'unhealthy', grade: 'odd', holds: ({ isHealthy }) => isHealthy === false },
  { word: 'warnings', many: 'with warnings', grade: 'odd', holds: ({ warnings = 0 }) => warnings > 0 },
  { word: 'paused', grade: 'odd', holds: ({ isPaused, isObserved }) => isPaused === true || isObserved === true },
]

const healthy: Trouble = { word: 'healthy', grade: 'good' }

export const troubleOf = (brief: WireBrief): Trouble => troubles.find(({ holds }) => holds(brief)) ?? healthy

/** Its worst condition decides, then how many errors and warnings, then the name. */
export function sortByTrouble(fleet: readonly WireBrief[]): readonly WireBrief[] {
  const rank = (brief: WireBrief): number => {
    const found = troubles.findIndex(({ holds }) => holds(brief))
    return found < 0 ? troubles.length : found
  }
  return fleet.toSorted(
    (a, b) =>
      rank(a) - rank(b) ||
      (b.errors ?? 0) - (a.errors ?? 0) ||
      (b.warnings ?? 0) - (a.warnings ?? 0) ||
      a.name.localeCompare(b.name, 'en', { numeric: true }),
  )
}

/** Whether every word occurs in its name, condition, primary, topology or worst finding. */
export function matches(brief: WireBrief, words: string): boolean {
  const { name, primary = '', topology = '', worst } = brief
  const text = [name, troubleOf(brief).word, primary, topology, worst?.number ?? '', worst?.desc ?? '']
    .join(' ')
    .toLowerCase()
  return words
    .toLowerCase()
    .split(/\s+/)
    .every((word) => text.includes(word))
}

/** What is wrong with it, in one sentence; '' where nothing is. */
export const problemOf = ({ unavailable, worst, fault, operation }: WireBrief): string => {
  if (unavailable !== undefined) return unavailable
  if (worst) return `${worst.number} ${worst.desc}`
  return operation ? `${operation.id} is running.` : (fault ?? '')
}

/** How many clusters there are in each condition, the worst first. */
export function countTroubles(fleet: readonly WireBrief[]): readonly (Trouble & { readonly count: number })[] {
  return [...troubles, healthy].flatMap((trouble) => {
    const count = fleet.filter((brief) => troubleOf(brief).word === trouble.word).length
    return count === 0 ? [] : [{ ...trouble, count }]
  })
}
