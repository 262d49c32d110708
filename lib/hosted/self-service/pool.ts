// The pool of a service: which units its capacity holds, what of it is sold, and whether one more plan fits. Pure, in whole numbers.
import { bundles } from '../../price/index.js'

/** Units of databases (DBU), and of applications and proxies (APU). */
export interface Units {
  readonly dbu: number
  readonly apu: number
}

/** What the service has, and how much of it is for sale. */
export interface PoolTerms {
  /** Declared; 0: not known, and no limit. */
  readonly cores: number
  readonly memoryMb: number
  /** Percent of the capacity that is sold at most. */
  readonly quotaPct: number
}

/** What is taken of the capacity already. */
export interface Taken {
  /** The plans of all clusters. */
  readonly sold: Units
  /** What clusters use above their plans. */
  readonly over: Units
}

/**
 * Units to two decimals. DBU and APU are taken from the same cores and memory: what is free is what would fit of one kind alone, after
 * the plans of both.
 */
export interface PoolFigures {
  /** False: no capacity is declared, all figures but the plans are 0, and everything fits. */
  readonly known: boolean
  readonly usableDbu: number
  readonly plannedDbu: number
  readonly freeDbu: number
  readonly usableApu: number
  readonly plannedApu: number
  readonly freeApu: number
  /** Left in the over-commit pot: capacity without quota, minus every plan, minus what is used above them. */
  readonly borrowDbu: number
  readonly borrowApu: number
}

const axes = ['cores', 'memoryMb'] as const

type Axis = (typeof axes)[number]

/** Hundredths of a resource. */
type Room = Readonly<Record<Axis, number>>

const perAxis = (make: (axis: Axis) => number): Room => ({ cores: make('cores'), memoryMb: make('memoryMb') })

const sizeOf = ({ dbu, apu }: Units): Room =>
  perAxis((axis) => 100 * (dbu * bundles.dbu[axis] + apu * bundles.apu[axis]))

const knownAxes = (terms: PoolTerms): readonly Axis[] => axes.filter((axis) => terms[axis] > 0)

/** What may be sold, less the plans. */
const freeRoom = (terms: PoolTerms, { sold }: Pick<Taken, 'sold'>): Room =>
  perAxis((axis) => terms[axis] * terms.quotaPct - sizeOf(sold)[axis])

/** The over-commit pot. */
const potRoom = (terms: PoolTerms, { sold, over }: Taken): Room =>
  perAxis((axis) => terms[axis] * 100 - sizeOf(sold)[axis] - sizeOf(over)[axis])

export function poolFigures(terms: PoolTerms, taken: Taken): PoolFigures {
  const known = knownAxes(terms)
  const unitsIn = (room: Room, kind: keyof Units): number =>
    known.length === 0
      ? 0
      : Math.max(0, Math.min(...known.map((axis) => Math.floor(room[axis] / bundles[kind][axis])))) / 100
  const usable = freeRoom(terms, { sold: { dbu: 0, apu: 0 } })
  const [free, pot] = [freeRoom(terms, taken), potRoom(terms, taken)]
  return {
    known: known.length > 0,
    ...{ usableDbu: unitsIn(usable, 'dbu'), plannedDbu: taken.sold.dbu, freeDbu: unitsIn(free, 'dbu') },
    ...{ usableApu: unitsIn(usable, 'apu'), plannedApu: taken.sold.apu, freeApu: unitsIn(free, 'apu') },
    ...{ borrowDbu: unitsIn(pot, 'dbu'), borrowApu: unitsIn(pot, 'apu') },
  }
}

/** How the pool takes a new plan: guaranteed, on what others do not use of the capacity, or not at all. */
export type PoolVerdict = 'guaranteed' | 'borrowed' | 'full'

export function judgePool(
  terms: PoolTerms,
  { need, canBorrow, ...taken }: Taken & { readonly need: Units; readonly canBorrow: boolean },
): PoolVerdict {
  const wanted = sizeOf(need)
  const fits = (room: Room): boolean =>
    knownAxes(terms).every((axis) => wanted[axis] === 0 || wanted[axis] <= room[axis])
  if (fits(freeRoom(terms, taken))) return 'guaranteed'
  return canBorrow && fits(potRoom(terms, taken)) ? 'borrowed' : 'full'
}
