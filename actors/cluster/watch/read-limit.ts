// How long a read of a server may take: the one place where the way to a far server and a late thread give it more time.

export interface ReadLimit {
  /** Longest time nearby, of a thread that is not late, milliseconds. */
  readonly baseMs: number
  /** Round trips of all that is read. */
  readonly trips: number
}

export interface Circumstances {
  /** One round trip to the server as it was measured, milliseconds; 0 when it is not known. */
  readonly tripMs: number
  /** What the thread lost to lateness since the read began, milliseconds: it did not listen then. */
  readonly lostMs: number
}

export const readLimit = ({ baseMs, trips }: ReadLimit, { tripMs, lostMs }: Circumstances): number =>
  baseMs + trips * tripMs + lostMs

/** What is left of the time of a read that began when this was made, milliseconds; not positive when it is over. */
export type TimeLeft = () => number
