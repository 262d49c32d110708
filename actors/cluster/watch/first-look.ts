// A request that comes before a server had its first look waits for it: right after a start nobody is down yet.
import { now, SECOND, sleep } from '../../../lib/base/time.js'
import type { ServerId } from '../../../lib/model/server/server.js'
import { findServer, type ServerSnapshot } from '../../../lib/model/snapshot.js'
import type { ClusterCore } from '../state/core.js'

/** A first look is over by then, one way or the other. */
const LONGEST_MS = 3 * SECOND
const LOOK_MS = 20

/** The server as it is once it was looked at; undefined when the cluster has none of this id. */
export async function afterFirstLook(
  actor: Pick<ClusterCore, 'state' | 'context'>,
  id: ServerId,
): Promise<ServerSnapshot | undefined> {
  const until = now() + LONGEST_MS
  for (;;) {
    const server = findServer(actor.state.snapshot, id)
    if (server?.observation !== 'unseen' || now() >= until || actor.context.signal.aborted) return server
    await sleep(LOOK_MS, actor.context.signal)
  }
}
