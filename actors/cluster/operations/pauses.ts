// Remembers on disk whose replication an action stops, before it does: a manager that is killed meanwhile starts it again.
import { now } from '../../../lib/base/time.js'
import type { Pauses } from '../../../lib/effect/acts/pauses.js'
import type { ClusterCore } from '../state/core.js'
import type { Keeper } from './remember.js'

/** A running actor that can see its memory written. */
export interface Remembering extends ClusterCore {
  readonly keeper: Keeper
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
