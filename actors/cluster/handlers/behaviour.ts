// What a cluster actor does with each message: state in, state, reply and commands out. Handlers never wait.
import type { Behaviour } from '../../kernel/behaviour.js'
import type { ActorCommand } from '../state/command.js'
import type { RuntimeProtocol } from '../state/messages.js'
import type { Handlers } from '../state/outcome.js'
import type { ClusterState } from '../state/state.js'
import { controlHandlers } from './control.js'
import { observationHandlers } from './observations.js'
import { operationHandlers } from './operations.js'
import { readHandlers } from './reads.js'
import { rollHandlers } from './rolls.js'
import { rotationHandlers } from './rotations.js'
import { serverHandlers } from './servers.js'
import { serviceHandlers } from './services.js'

/** Every message, from outside and from the runtime, has its row here. */
const handlers: Handlers = {
  ...observationHandlers,
  ...operationHandlers,
  ...controlHandlers,
  ...serverHandlers,
  ...readHandlers,
  ...serviceHandlers,
  ...rollHandlers,
  ...rotationHandlers,
}

export const clusterBehaviour: Behaviour<RuntimeProtocol, ClusterState, ActorCommand> = handlers
