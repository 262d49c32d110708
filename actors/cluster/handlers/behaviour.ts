// What a cluster actor does with each message: state in, state, reply and commands out. Handlers never wait.
import type { Arrival, Behaviour } from '../../kernel/behaviour.js'
import type { ActorCommand } from '../state/command.js'
import type { RuntimeProtocol } from '../state/messages.js'
import { isDry, isObserved, messageEffects, observing } from '../state/observed.js'
import { type Handlers, refuse } from '../state/outcome.js'
import type { ClusterState } from '../state/state.js'
import { appointmentHandlers } from './appointments.js'
import { controlHandlers } from './control.js'
import { observationHandlers } from './observations.js'
import { operationHandlers } from './operations.js'
import { planHandlers } from './plans.js'
import { readHandlers } from './reads.js'
import { rollHandlers } from './rolls.js'
import { rotationHandlers } from './rotations.js'
import { serverHandlers } from './servers.js'
import { serviceHandlers } from './services.js'
import { watchingHandlers } from './watching.js'

/** Every message, from outside and from the runtime, has its row here. */
const handlers: Handlers = {
  ...observationHandlers,
  ...operationHandlers,
  ...controlHandlers,
  ...serverHandlers,
  ...readHandlers,
  ...planHandlers,
  ...serviceHandlers,
  ...appointmentHandlers,
  ...rollHandlers,
  ...rotationHandlers,
  ...watchingHandlers,
}

/** What would change an observed cluster is refused before its handler sees it. */
const guarded = Object.fromEntries(
  Object.entries(handlers).map(([type, handle]) => {
    if (messageEffects[type as keyof RuntimeProtocol] === 'none') return [type, handle]
    const guard = (state: ClusterState, payload: never, arrival: Arrival) =>
      isObserved(state) && !isDry(payload) ? refuse(state, observing(state.name)) : handle(state, payload, arrival)
    return [type, guard]
  }),
) as unknown as Handlers

export const clusterBehaviour: Behaviour<RuntimeProtocol, ClusterState, ActorCommand> = guarded
