// Sessions of browsers: what a refresh secret that is presented means for its session. Pure.
import { DAY, SECOND } from '../base/time.js'

/** Rotated secrets of one login. Times in milliseconds since the epoch. */
export interface BrowserSession {
  /** 24 hexadecimal digits. */
  readonly id: string
  readonly user: string
  readonly by: LoginWay
  readonly from: string
  readonly createdAt: number
  readonly usedAt: number
  /** SHA-256 of the current secret, hexadecimal. */
  readonly hash: string
  /** The secret before, when it was replaced, and the current one, sealed by it: for who presents it once more. */
  readonly previous?: { readonly hash: string; readonly check: string; readonly at: number; readonly sealed?: string }
  /** Keyed by the secret: whether the password is still that of the login. Empty: the user gave none. */
  readonly check: string
  /** Whose part of the sessions it is in; absent in those of an earlier version. */
  readonly countsFor?: string
}

export type LoginWay = 'password' | 'link' | 'sign-on'

/**
 * How long the secret before is answered as the current one is: a second tab asked at the same time, or the reply was lost.
 * A thief is noticed at its next use after that.
 */
export const REPEAT_MS = 30 * SECOND

/** However often it is refreshed, a session ends then. */
export const LONGEST_SESSION = 30 * DAY

export type Refresh =
  /** The current secret: a new one takes its place. */
  | 'rotate'
  /** The one before, a moment ago, and the current one was not used yet. */
  | 'repeat'
  /** A secret that was replaced: one of two holders stole it, and the session ends. */
  | 'reuse'
  | 'expired'

export function judgeRefresh(
  session: BrowserSession,
  presented: { readonly hash: string; readonly at: number; readonly lifetimeMs: number },
): Refresh {
  const { hash, at } = presented
  const { previous } = session
  if (isOver(session, presented)) return 'expired'
  if (hash === session.hash) return 'rotate'
  return previous && hash === previous.hash && at - previous.at < REPEAT_MS ? 'repeat' : 'reuse'
}

/** Not used for its lifetime, or older than any session. */
export const isOver = (
  { usedAt, createdAt }: BrowserSession,
  { at, lifetimeMs }: { readonly at: number; readonly lifetimeMs: number },
): boolean => at >= usedAt + lifetimeMs || at >= createdAt + LONGEST_SESSION
