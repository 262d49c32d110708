// A running cluster as its parts see it. What a part needs of another part it says in its own type.
import type { Result } from '../../../../lib/base/result.js'
import type { ActorContext } from '../../../protocol/actor.js'
import type { ClusterInit } from '../../../protocol/cluster.js'
import type { ClusterState } from '../state.js'
import type { RuntimeProtocol } from './messages.js'

export interface Cluster {
  readonly context: ActorContext
  readonly init: ClusterInit
  /** As of the last message. */
  readonly state: ClusterState

  /** What the behaviour answers to a message that it answers at once. */
  decide<T extends keyof RuntimeProtocol & string>(
    type: T,
    payload: RuntimeProtocol[T]['in'],
  ): Result<RuntimeProtocol[T]['out']>

  /** Reports to the behaviour; dropped when the actor ends. */
  tell<T extends keyof RuntimeProtocol & string>(type: T, payload: RuntimeProtocol[T]['in']): void
}
