// How long an ownership can be proven, by two clocks of this machine: one stops while it sleeps, the other can be set back.

/** A moment by both clocks, milliseconds. */
export interface Moment {
  /** Moves forward evenly, the same for all threads of the process. */
  readonly steady: number
  /** The system's. */
  readonly wall: number
}

export interface Term {
  /** Of the ownership: greater than that of every earlier one; 0: none. */
  readonly token: number
  readonly until: Moment
}

export const noTerm: Term = { token: 0, until: { steady: 0, wall: 0 } }

/** Kept back at the end of a lease: what began before must have ended when another instance begins. */
export const RESERVE_MS = 1_000

/** The term of a lease that was requested at `asked` and then counts for `leaseMs`. */
export const termOf = (token: number, asked: Moment, leaseMs: number): Term => ({
  token,
  until: { steady: asked.steady + leaseMs - RESERVE_MS, wall: asked.wall + leaseMs - RESERVE_MS },
})

/** Milliseconds for which the ownership of this token can be proven; 0 when it cannot. */
export const leftOf = ({ token, until }: Term, own: number, at: Moment): number =>
  token === 0 || token !== own ? 0 : Math.max(0, Math.min(until.steady - at.steady, until.wall - at.wall))

/** A step begins with its whole time left, or with half of the lease where it takes longer than that. */
export const mayBegin = (leftMs: number, stepMs: number, leaseMs: number): boolean =>
  leftMs > 0 && leftMs >= Math.min(stepMs, leaseMs / 2)
