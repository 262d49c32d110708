// Handlers of services and their jobs, of flags, and of the forming of a Galera cluster. Pure.
import { fail } from '../../../../lib/base/result.js'
import { judgeGroup } from '../../../../lib/decide/repair/group.js'
import { judgeService } from '../../../../lib/decide/upkeep/permit.js'
import { judgeOptimize } from '../../../../lib/decide/upkeep/permit-act.js'
import { type ServiceSpec, stopsService } from '../../../../lib/model/operation/services.js'
import type { ServerId } from '../../../../lib/model/server/server.js'
import { findServer } from '../../../../lib/model/snapshot.js'
import { listServices } from '../../state/services.js'
import type { ClusterState } from '../../state/state.js'
import { situationOf } from '../../state/step/evaluate.js'
import { defer, flagged, type Handlers, type Outcome, refuse, silent } from '../../state/step/outcome.js'
import { saved } from './recorded.js'
import { refuseWhileRolling } from './rolls.js'

export const serviceHandlers = {
  'run-service': (state, request, arrival) =>
    withService(state, request.service, () => defer(state, arrival, { type: 'run-service', ...request })),

  'run-services': (state, request, arrival) => defer(state, arrival, { type: 'run-services', ...request }),

  'describe-service': (state, { service }, arrival) =>
    withService(state, service, (spec) => defer(state, arrival, { type: 'describe-service', service: spec })),

  'read-option-files': (state, { service }, arrival) =>
    withService(state, service, (spec) => defer(state, arrival, { type: 'read-option-files', service: spec })),

  job: (state, { id }, arrival) => defer(state, arrival, { type: 'read-job', id }),

  'begin-recovery': (state, request, arrival) => defer(state, arrival, { type: 'begin-recovery', ...request }),
  'begin-benchmark': (state, request, arrival) => defer(state, arrival, { type: 'begin-benchmark', ...request }),
  'begin-trials': (state, request, arrival) => defer(state, arrival, { type: 'begin-trials', ...request }),
  'read-trials': (state, _, arrival) => defer(state, arrival, { type: 'read-trials' }),
  'begin-backup': (state, request, arrival) => defer(state, arrival, { type: 'begin-backup', ...request }),

  'cancel-job': (state, request, arrival) => defer(state, arrival, { type: 'cancel-job', ...request }),

  optimize: (state, { server, user, force, wait }, arrival) => {
    const judged = judgeOptimize(state.snapshot, { server, force })
    return judged.ok ? defer(state, arrival, { type: 'optimize', server, user, wait }) : refuse(state, judged)
  },

  'form-group': (state, { user, dry }, arrival) => {
    const judged = judgeGroup(situationOf(state, arrival.now))
    return defer(state, arrival, { type: 'form-group', user, dry, judged })
  },

  'change-cookies': (state, { server: id, set, clear }, arrival) => {
    const server = findServer(state.snapshot, id)
    if (!server) return refuse(state, fail('unknown-server', `${state.name} has no server ${id}`))
    return defer(state, arrival, {
      type: 'change-cookies',
      server: { host: server.host, port: server.port },
      set,
      clear,
    })
  },

  'permit-service': (state, { server, action, force, dry, byRoll }, { now }) => {
    const rolling = byRoll || !stopsService[action] ? undefined : refuseWhileRolling(state)
    const judged = rolling ?? judgeService(state.snapshot, { action, server, force })
    if (!judged.ok) return refuse(state, judged)
    if (dry || action === 'apply') return saved(state, now)
    const on = stopsService[action]
    return saved(flagged(withActing(state, { server, on }), 'stoppedOnRequest', { server, on }), now)
  },

  'service-acted': (state, { server, action, stays }, { now }) => {
    const away = (action === 'stop' || action === 'unprovision') && stays
    return action === 'apply'
      ? silent({ state, commands: [] })
      : saved(flagged(withActing(state, { server, on: false }), 'stoppedOnRequest', { server, on: away }), now)
  },
} as const satisfies Partial<Handlers>

/** The state in which an action that stops the server is under way, or none. */
function withActing(
  state: ClusterState,
  { server, on }: { readonly server: ServerId; readonly on: boolean },
): ClusterState {
  const others = (state.acting ?? []).filter((id) => id !== server)
  return { ...state, acting: on ? [...others, server] : others }
}

function withService(
  state: ClusterState,
  id: string,
  handle: (service: ServiceSpec) => Outcome<never>,
): Outcome<never> {
  const service = listServices(state).find((each) => each.id === id)
  return service ? handle(service) : refuse(state, fail('unknown-server', `${state.name} has no service ${id}`))
}
