// A named test of a cluster: what is recorded of it while it runs, so that whatever it changed can be undone, and afterwards.
import type { ServerId } from '../server/server.js'

/** PASS: what it proves was seen. FAIL: it was not, or could not be arranged. SKIP: the cluster is none on which it can be tested. */
export const trialResults = ['PASS', 'FAIL', 'SKIP'] as const

export type TrialResult = (typeof trialResults)[number]

/** What takes one change back; safe to repeat. Recorded before the change is begun. */
export type TrialUndo =
  /** The settings as they are saved. */
  | { readonly type: 'settings' }
  /** Sessions that hold a lock or a transaction. */
  | { readonly type: 'sessions' }
  /** The schema of tests. */
  | { readonly type: 'schema' }
  /** Replication of these servers, where it was stopped. */
  | { readonly type: 'replication'; readonly servers: readonly ServerId[] }
  | { readonly type: 'maintenance'; readonly servers: readonly ServerId[] }
  /** The server that was the primary. */
  | { readonly type: 'role'; readonly server: ServerId }

/** One line of the timeline. */
export interface TrialEntry {
  readonly text: string
  /** It takes something back. */
  readonly undo?: true
  readonly startedAt: number
  readonly endedAt?: number
  readonly outcome?: 'done' | 'failed'
  readonly detail?: string
}

/** The cluster as it was when the test began. */
export interface Before {
  /** The primary. */
  readonly home: ServerId
  readonly replicas: readonly ServerId[]
}

export interface TrialRun extends Before {
  /** Rises by one per run in a cluster. */
  readonly id: number
  readonly name: string
  readonly user: string
  readonly job: number
  readonly startedAt: number
  readonly endedAt?: number
  readonly phase: 'testing' | 'undoing' | 'ended'
  /** Steps of the test that were begun. */
  readonly begun: number
  /** What is still to be taken back, oldest first; it is taken back from the end. */
  readonly undo: readonly TrialUndo[]
  readonly timeline: readonly TrialEntry[]
  /** Absent while it is open. */
  readonly result?: TrialResult
  /** Why. */
  readonly message?: string
  /** Settings that it changed in the memory of the manager, as they were and as they were then, as text. */
  readonly settings?: Readonly<Record<string, { readonly before: string; readonly during: string }>>
}

/** What a cluster keeps of named tests. */
export interface TrialBook {
  /** The one that runs, or of which something is still to be taken back. */
  readonly open?: TrialRun
  /** Those that ended, oldest first. */
  readonly ended: readonly TrialRun[]
}

/** Ended runs that are kept. */
export const TRIALS_KEPT = 50
