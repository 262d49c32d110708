// What plans wait for: a login of the replication account on the server that others are to replicate from. Pure.
import type { Result } from '../../../../lib/base/result.js'
import { type LoginCheck, loginWait, openLogin } from '../../../../lib/decide/switchover/login.js'
import type { Plan } from '../../../../lib/model/operation/operation.js'
import type { Arrival } from '../../../kernel/behaviour.js'
import { replicationLogin } from '../../state/message/wires.js'
import type { ClusterState } from '../../state/state.js'
import { situationOf } from '../../state/step/evaluate.js'
import type { Outcome } from '../../state/step/outcome.js'

/** Undefined without a replication account: there is no login to try. */
export const loginCheck = ({ settings }: Pick<ClusterState, 'settings'>, since: number): LoginCheck | undefined =>
  replicationLogin(settings).user === '' ? undefined : { since }

/** The login that the plan depends on is tried at once, and waited for; undefined when the plan can be answered. */
export function untilLogin(
  state: ClusterState,
  plan: Result<Plan>,
  { now, since }: Pick<Arrival, 'now' | 'since'>,
): Outcome<never> | undefined {
  const check = loginCheck(state, since)
  const server = plan.ok && check ? openLogin(plan.value, situationOf(state, now), check) : undefined
  if (!server) return undefined
  const limitMs = loginWait(server)
  const until = since + limitMs
  if (now >= until) return undefined
  return { state, commands: [{ type: 'try-login', server: server.id, limitMs }], reply: { until } }
}
