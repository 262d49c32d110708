// Crash record of a primary that lost its role, for the decision about its rejoin.
import type { GtidSet } from '../server/gtid.js'
import type { ServerId } from '../server/server.js'

export interface Crash {
  readonly at: number
  readonly oldPrimary: ServerId
  readonly newPrimary: ServerId
  readonly switchover: boolean
  /** Everything the new primary had received (and applied) when it took over, by position and by origin. */
  readonly received: GtidSet
  readonly byOrigin: GtidSet
  /** The same as text, as the server prints it. */
  readonly receivedText: string
  /** Coordinates in the old primary's binary log up to which the new one had read. */
  readonly oldFile: string
  readonly oldPosition: number
  /** The new primary's own coordinates when it took over. */
  readonly newFile: string
  readonly newPosition: number
  /** By position: what another replica was seen to have received and the new primary did not; absent when nothing is known to be lost. */
  readonly lost?: GtidSet
  /** Whether the new primary was an acknowledging semi-synchronous replica at that moment. */
  readonly inSync: boolean
  /** How the old primary rejoined, if it did. */
  readonly outcome?: CrashOutcome
}

export interface CrashOutcome {
  readonly at: number
  readonly verdict: 'rejoined' | 'diverged' | 'superseded'
  /** Errant transactions of the old primary, and where its binary log tail was saved. */
  readonly extra?: GtidSet
  readonly extraText?: string
  readonly tailFile?: string
  /** That folder has a list of the events alone: the rows are only in the binary log of the old primary. */
  readonly listed?: true
}

/** The list of events in the folder of a saved tail, where the binary logs themselves could not be copied. */
export const TAIL_LIST = 'tail-events.jsonl'

/** Whether the result of `save-tail` names that list, in place of the folder. */
export const isListed = (saved: string | undefined): boolean => saved?.endsWith(`/${TAIL_LIST}`) === true
