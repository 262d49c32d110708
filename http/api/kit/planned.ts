// Plans that rows answer `plan=true` with: asked of the cluster, or of what a row alone knows.

import type { ClusterProtocol } from '../../../actors/protocol/cluster.js'
import type { ActorRef } from '../../../actors/protocol/envelope.js'
import { ok, type Result } from '../../../lib/base/result.js'
import type { Preview, Work } from '../../../lib/model/operation/preview.js'

/** What the cluster would do. */
export const planWork = (cluster: ActorRef<ClusterProtocol>, work: Work): Promise<Result<Preview>> =>
  cluster.ask('plan-work', { work })

/** A plan of work whose steps are known here; a failure of what permits it becomes its refusal. */
export const listed = (kind: string, judged: Result<unknown>, texts: readonly string[]): Result<Preview> =>
  ok(
    judged.ok
      ? { kind, possible: true, steps: texts.map((text) => ({ text, blocksWrites: false })), risks: [] }
      : { kind, possible: false, refusal: judged.failure.message, steps: [], risks: [] },
  )
