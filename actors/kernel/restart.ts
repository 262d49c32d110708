// OTP's child spec and restart intensity, as one pure verdict on a child's exits.

export interface ChildSpec {
  readonly id: string
  /** `permanent`: always; `transient`: only after a fault; `temporary`: never. */
  readonly restart: 'permanent' | 'transient' | 'temporary'
  /** So many restarts … */
  readonly intensity: number
  /** … within so long (milliseconds), then quarantine. */
  readonly periodMs: number
  /** Delay of the first restart, milliseconds; GROWTH times longer with each recent exit, up to MAX_BACKOFF_MS. */
  readonly backoffMs: number
  /** Grace between `stop` and the end of its scope, milliseconds. */
  readonly shutdownMs: number
}

export interface Exit {
  /** Milliseconds, by the same clock for all exits of a child. */
  readonly at: number
  /** It ended because its work was done. */
  readonly clean: boolean
  readonly reason: string
}

export type Verdict =
  | { readonly type: 'forget' }
  | { readonly type: 'restart'; readonly delayMs: number }
  | { readonly type: 'quarantine'; readonly reason: string }

/**
 * A single fault costs a moment, while a lasting cause (a full disk, a lost mount) gets time to pass before the child is
 * stopped permanently.
 */
const GROWTH = 4

/** No restart waits longer than this, milliseconds. */
export const MAX_BACKOFF_MS = 30_000

/** `exits` holds the child's history, newest last. One child's crash loop never takes the others down. */
export function judgeExit(spec: ChildSpec, exits: readonly Exit[]): Verdict {
  const last = exits.at(-1)
  if (!last || spec.restart === 'temporary') return { type: 'forget' }
  if (spec.restart === 'transient' && last.clean) return { type: 'forget' }

  const recent = exits.filter(({ at }) => last.at - at < spec.periodMs).length
  if (recent > spec.intensity) {
    return {
      type: 'quarantine',
      reason: `${spec.id}: ${recent} exits within ${spec.periodMs} ms, the last: ${last.reason}`,
    }
  }
  return { type: 'restart', delayMs: Math.min(spec.backoffMs * GROWTH ** (recent - 1), MAX_BACKOFF_MS) }
}
