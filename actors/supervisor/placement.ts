// Which seat an actor gets: the shared one with the fewest actors. Pure.

export interface SeatLoad {
  readonly actors: number
  /** Accepts actors of all kinds; the others hold offenders and suspects. */
  readonly shared: boolean
}

/** The first of the least loaded shared seats. Throws when there is none: a supervisor always has one. */
export function choosePlace<S extends SeatLoad>(seats: readonly S[]): S {
  const shared = seats.filter((seat) => seat.shared)
  const first = shared[0]
  if (!first) throw new RangeError('no shared seat')
  return shared.reduce((least, seat) => (seat.actors < least.actors ? seat : least), first)
}
