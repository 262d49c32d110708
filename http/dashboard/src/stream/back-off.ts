// How long to wait before the next attempt: twice as long each time up to a limit, spread so that many pages do not come at once.

const FIRST_MS = 500
const LONGEST_MS = 10_000

/** `attempt` counts from 0; `random` is between 0 and 1. */
export const backOff = (attempt: number, random: number): number =>
  Math.min(FIRST_MS * 2 ** attempt, LONGEST_MS) * (0.5 + random / 2)
