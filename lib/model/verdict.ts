// Why a failover happens, or does not: the object that API, log, CLI and dashboard all show.
import type { FindingCode } from './findings.js'
import type { GtidSet } from './server/gtid.js'
import type { ServerId } from './server/server.js'

/** Every rule is evaluated and reported, whatever the others say. */
export interface VetoRow {
  /** Name of the rule, e.g. `failover-mode`. */
  readonly rule: string
  /** Finding code that a closed row raises while the primary is down. */
  readonly code: FindingCode
  /** clear: it does not block. closed: it vetoes. waiting: needs more evidence or time. off: disabled. */
  readonly state: 'clear' | 'closed' | 'waiting' | 'off'
  /** What was measured, and against what; text or figures with units. */
  readonly value: string
  readonly limit: string
  /** Age of the evidence, milliseconds; absent when it has none. */
  readonly ageMs?: number
  /** One sentence: the present state and what the operator can do. */
  readonly sentence: string
}

export interface CandidateRow {
  readonly server: ServerId
  readonly eligible: boolean
  /** 1 is the candidate; absent when not eligible. */
  readonly rank?: number
  /** Finding code when it is not eligible. */
  readonly code?: FindingCode
  /** Why it has this rank. */
  readonly reason: string
  /** What it waits for before it could take over: a lock that stops its applier. `its applier waits for …`; absent where for none. */
  readonly waits?: string
  readonly received: GtidSet
  /** Received but not yet applied, transactions. */
  readonly unapplied: number
  /** Missing from the best received set, transactions. */
  readonly missing: number
}

/** What would be lost if the primary died now. */
export interface LossForecast {
  readonly kind: 'none' | 'at-most' | 'at-least' | 'unknown'
  /** With 'at-most' an upper bound of transactions, with 'at-least' a lower one. */
  readonly transactions?: number
  readonly reason: string
}

export interface FailoverVerdict {
  readonly at: number
  /** Would the manager fail over now, without being asked. */
  readonly wouldFailOver: boolean
  /** The primary counts as dead by the evidence (whatever the vetoes). */
  readonly primaryDead: boolean
  /** It answered its latest probe: a server that refuses the login does not. Absent in records of earlier releases. */
  readonly primaryAnswers?: boolean
  readonly evidence: 'none' | 'weak' | 'conclusive'
  readonly rows: readonly VetoRow[]
  readonly primary?: ServerId
  readonly candidate?: ServerId
  readonly ranking: readonly CandidateRow[]
  readonly loss: LossForecast
}
