// Plans that rows answer `plan=true` with: asked of the cluster, or of what a row alone knows.

import type { ClusterProtocol } from '../../../../actors/protocol/cluster.js'
import type { ActorRef } from '../../../../actors/protocol/envelope.js'
import { ok, type Result } from '../../../../lib/base/result.js'
import { SECOND } from '../../../../lib/base/time.js'
import type { Preview, Work } from '../../../../lib/model/operation/preview.js'

/** Longest wait for a plan: it may try a login on a server that is far away. */
export const PLAN_WAIT = 20 * SECOND

/** What the cluster would do. */
export const planWork = (cluster: ActorRef<ClusterProtocol>, work: Work): Promise<Result<Preview>> =>
  cluster.ask('plan-work', { work }, { deadlineMs: PLAN_WAIT })

/** Steps as sentences; with what changes and follows, where that is more than the steps say. */
export type Listing =
  | readonly string[]
  | ({ readonly texts: readonly string[] } & Pick<Preview, 'changes' | 'follows' | 'undo'>)

/** A plan of work whose steps are known here; a failure of what permits it becomes its refusal. */
export function listed(kind: string, judged: Result<unknown>, listing: Listing): Result<Preview> {
  if (!judged.ok) return ok({ kind, possible: false, refusal: judged.failure.message, steps: [], risks: [] })
  const { texts, ...more } = isTexts(listing) ? { texts: listing } : listing
  return ok({ kind, possible: true, steps: texts.map((text) => ({ text, blocksWrites: false })), risks: [], ...more })
}

const isTexts = (listing: Listing): listing is readonly string[] => Array.isArray(listing)
