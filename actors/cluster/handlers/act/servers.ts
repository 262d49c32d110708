// Handlers of actions on one running server. Pure.
import { fail } from '../../../../lib/base/result.js'
import { keepPause } from '../../../../lib/decide/repair/paused.js'
import { refuseOpening } from '../../../../lib/decide/switchover/opening.js'
import type { Command } from '../../../../lib/model/operation/command.js'
import { findServer } from '../../../../lib/model/snapshot.js'
import type { Settings } from '../../../../lib/settings/index.js'
import { credentials } from '../../../../lib/settings/secret/credentials.js'
import type { Arrival } from '../../../kernel/behaviour.js'
import { permitAct } from '../../state/message/act-permit.js'
import type { ClusterState } from '../../state/state.js'
import { situationOf } from '../../state/step/evaluate.js'
import {
  answer,
  defer,
  type Handlers,
  type Outcome,
  refuse,
  withAnswering,
  withProbed,
  withReported,
} from '../../state/step/outcome.js'

export const serverHandlers = {
  'start-replication': (state, { server }, arrival) =>
    replication(state, { type: 'start-replication', server }, arrival),
  'stop-replication': (state, { server }, arrival) => replication(state, { type: 'stop-replication', server }, arrival),

  'toggle-read-only': (state, { server, on, force }, arrival) => {
    const member = findServer(state.snapshot, server)
    if (!member?.state || member.observation !== 'answered')
      return refuse(state, fail('sql-silent', `${member?.name ?? server} does not answer`))
    const closing = on ?? !member.state.readOnly
    if (closing === member.state.readOnly) return answer(state, closing)
    const refusal =
      closing || force ? undefined : refuseOpening(situationOf(state, arrival.now), server, { behind: true })
    if (refusal !== undefined)
      return refuse(state, fail('wrong-state', `${refusal}, or accept the loss with force=true.`))
    const command: Command = closing
      ? { type: 'make-read-only', server }
      : { type: 'make-writable', server, replicating: true, checked: !force, behind: true }
    return defer(state, arrival, { type: 'run-command', command, value: closing })
  },

  act: (state, { user, server, act }, arrival) =>
    withProbed(state, { server, arrival }, () => defer(state, arrival, { type: 'act', user, server, act })),

  'permit-act': (state, { server, act }) => ({ state, commands: [], reply: permitAct(state, server, act) }),

  'kill-statement': (state, { user, server: id, target, end, dry = false }, arrival) =>
    withAnswering(state, { server: id, arrival }, (server) =>
      defer(state, arrival, {
        ...{ type: 'kill', user, server, target, end, dry },
        protectedUsers: protectedUsers(state.settings),
      }),
    ),

  'run-statements': (state, { server: id, statements }, arrival) =>
    withReported(state, { server: id, arrival }, (server) =>
      defer(state, arrival, { type: 'run-statements', server, statements }),
    ),
} as const satisfies Partial<Handlers>

/** Accounts that the manager and replicas log in with. */
const protectedUsers = (settings: Settings): readonly string[] =>
  [settings['db-servers-credential'], settings['replication-credential']]
    .map((pair) => credentials(pair).user)
    .filter((user) => user !== '')

/** Whatever the manager was about to do: from now on replication of the server is as was asked for. */
function replication(
  before: ClusterState,
  command: Extract<Command, { readonly type: 'start-replication' | 'stop-replication' }>,
  arrival: Arrival,
): Outcome<void> {
  const state = { ...before, memory: keepPause(before.memory, command.server, undefined) }
  const deferred = defer(state, arrival, { type: 'run-command', command, value: undefined })
  return { ...deferred, commands: [{ type: 'persist' }, ...deferred.commands] }
}
