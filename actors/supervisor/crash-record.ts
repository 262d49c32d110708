// The record of every fault of an actor or a host thread: one JSON line each.

export interface CrashRecord {
  readonly at: number
  readonly thread: string
  /** Absent when the thread itself failed and no actor caused it. */
  readonly actor?: string
  readonly kind?: string
  readonly generation?: number
  readonly cause: CrashCause
  readonly reason: string
  readonly stack?: string
  readonly consequence: CrashConsequence
  /** Milliseconds until the restart, where one follows. */
  readonly delayMs?: number
}

export type CrashCause =
  /** Its factory failed or did not finish in time. */
  | 'start-failed'
  /** It threw, or one of its promises was rejected. */
  | 'threw'
  /** The thread ended or was terminated, by the actor's code where one is named. */
  | 'thread-ended'
  /** Code of an ended life threw: harmless, but a leak. */
  | 'stray'

export type CrashConsequence = 'restart' | 'isolate' | 'quarantine' | 'none'
