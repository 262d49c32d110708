// Saves whose replication an action stops, before it does: a manager that is killed meanwhile starts it again.
import type { Result } from '../../../lib/base/result.js'
import { now } from '../../../lib/base/time.js'
import type { Pauses } from '../../../lib/effect/acts/pauses.js'
import type { Cluster } from '../state/message/cluster.js'

/** A running cluster whose memory can be seen written. */
export interface Remembering extends Pick<Cluster, 'tell'> {
  readonly keeper: { saved(): Promise<Result<void>> }
}

export const pausesOf = (actor: Remembering): Pauses => ({
  begin(server, channels) {
    actor.tell('keep-pause', { server, pause: { channels, since: now() } })
    return actor.keeper.saved()
  },
  end(server, left) {
    actor.tell('keep-pause', { server, ...(left ? { pause: { channels: left, since: now(), left: true } } : {}) })
  },
})
