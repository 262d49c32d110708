// One judgement of a cluster: readings → snapshot → failover verdict → findings, each made once from the one before.

import type { Memory } from '../model/memory.js'
import { isMinor } from '../model/operation/operation.js'
import type { BareSnapshot, Snapshot } from '../model/snapshot.js'
import type { FailoverVerdict } from '../model/verdict.js'
import { judgeFailover } from './failover/failover.js'
import { forgiveFailovers } from './failover/failover-count.js'
import { openFindings } from './findings/open-findings.js'
import { noteProtection } from './findings/protection.js'
import { forgetStarted } from './repair/paused.js'
import { buildSnapshot, type JudgementInput } from './situation/snapshot/build-snapshot.js'

export interface Judgement {
  readonly snapshot: Snapshot
  readonly verdict: FailoverVerdict
  /** The very object given when nothing changed. */
  readonly memory: Memory
}

/** Judges the readings of `input` at its `now`. The snapshot shows a minor operation; the verdict does not count it. */
export function judgeCluster(input: JudgementInput): Judgement {
  const { settings, now, lockedOut } = input
  const built = buildSnapshot(input)
  const memory = forgiveFailovers(forgetStarted(built.memory, built.snapshot.servers, settings), settings, now)
  const refused = lockedOut === undefined ? {} : { lockedOut }
  const situation = { snapshot: built.snapshot, settings, memory, now, ...refused }
  const verdict = judgeFailover({ ...situation, snapshot: withoutMinor(built.snapshot) })
  const noted = noteProtection(situation, verdict)
  const findings = openFindings({ ...situation, memory: noted }, verdict, built.found)
  return { snapshot: { ...built.snapshot, findings }, verdict, memory: noted }
}

/** The snapshot without a minor operation (rejoin, repair): a failover may interrupt it, so it never blocks one. */
export function withoutMinor(snapshot: BareSnapshot): BareSnapshot {
  if (!snapshot.operation || !isMinor(snapshot.operation)) return snapshot
  const { operation: _, ...rest } = snapshot
  return rest
}
