// Whether a server may take writes again: probed now, and judged by the history that the cluster is known to have.
import { done, fail, type Result } from '../../../lib/base/result.js'
import { now } from '../../../lib/base/time.js'
import { refuseOpening } from '../../../lib/decide/switchover/opening.js'
import type { ServerId } from '../../../lib/model/server/server.js'
import type { Cluster } from '../state/message/cluster.js'
import { situationOf } from '../state/step/evaluate.js'
import type { Watch } from './watch.js'

/** A running cluster that probes on request. */
export interface Opening extends Pick<Cluster, 'state'> {
  readonly watch: Pick<Watch, 'probeFresh'>
}

/** Failure: `wrong-state`, with what it is missing. */
export async function mayOpen(
  actor: Opening,
  server: ServerId,
  how?: { readonly behind?: boolean },
): Promise<Result<void>> {
  await actor.watch.probeFresh(server)
  const refusal = refuseOpening(situationOf(actor.state, now()), server, how)
  return refusal === undefined ? done : fail('wrong-state', `${refusal}.`)
}
