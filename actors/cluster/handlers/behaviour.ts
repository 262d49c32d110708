// What a cluster actor does with each message: state in, state, reply and commands out. Handlers never wait.
import type { Arrival, Behaviour } from '../../kernel/behaviour.js'
import type { ActorCommand } from '../state/message/command.js'
import type { RuntimeProtocol } from '../state/message/messages.js'
import type { ClusterState } from '../state/state.js'
import { isDry, messageEffects, refuseChanges } from '../state/step/observed.js'
import { type Handlers, refuse } from '../state/step/outcome.js'
import { appointmentHandlers } from './act/appointments.js'
import { controlHandlers } from './act/control.js'
import { hostHandlers } from './act/hosts.js'
import { operationHandlers } from './act/operations.js'
import { planHandlers } from './act/plans.js'
import { returnHandlers } from './act/returns.js'
import { revokedHandlers } from './act/revoked.js'
import { rollHandlers } from './act/rolls.js'
import { rotationHandlers } from './act/rotations.js'
import { serverHandlers } from './act/servers.js'
import { serviceHandlers } from './act/services.js'
import { observationHandlers } from './observe/observations.js'
import { watchingHandlers } from './observe/watching.js'
import { readHandlers } from './read/reads.js'

/** Every message, from outside and from the runtime, has its row here. */
const handlers: Handlers = {
  ...observationHandlers,
  ...operationHandlers,
  ...controlHandlers,
  ...serverHandlers,
  ...readHandlers,
  ...planHandlers,
  ...serviceHandlers,
  ...hostHandlers,
  ...appointmentHandlers,
  ...revokedHandlers,
  ...returnHandlers,
  ...rollHandlers,
  ...rotationHandlers,
  ...watchingHandlers,
}

/** What would change a cluster that this manager may not change is refused before its handler sees it. */
const guarded = Object.fromEntries(
  Object.entries(handlers).map(([type, handle]) => {
    if (messageEffects[type as keyof RuntimeProtocol] === 'none') return [type, handle]
    const guard = (state: ClusterState, payload: never, arrival: Arrival) => {
      const refusal = isDry(payload) ? undefined : refuseChanges(state)
      return refusal ? refuse(state, refusal) : handle(state, payload, arrival)
    }
    return [type, guard]
  }),
) as unknown as Handlers

export const clusterBehaviour: Behaviour<RuntimeProtocol, ClusterState, ActorCommand> = guarded
