// Handlers of what runs on the hosts of databases. Pure.
import { fail } from '../../../../lib/base/result.js'
import { findServer } from '../../../../lib/model/snapshot.js'
import { defer, type Handlers, refuse } from '../../state/step/outcome.js'

export const hostHandlers = {
  'begin-host-job': (state, request, arrival) =>
    findServer(state.snapshot, request.server)
      ? defer(state, arrival, { type: 'begin-host-job', ...request })
      : refuse(state, fail('unknown-server', `${state.name} has no server ${request.server}`)),

  'ask-host-order': (state, request, arrival) => defer(state, arrival, { type: 'ask-host-order', ...request }),

  'host-log': (state, request, arrival) => defer(state, arrival, { type: 'host-log', ...request }),
} satisfies Partial<Handlers>
