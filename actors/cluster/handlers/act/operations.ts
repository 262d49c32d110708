// Handlers of operations: asked for, stepped, ended, recovered. Pure.
import type { FailureCode } from '../../../../lib/base/failures.js'
import { fail, ok, type Result } from '../../../../lib/base/result.js'
import { SECOND } from '../../../../lib/base/time.js'
import { planFailover } from '../../../../lib/decide/failover/failover.js'
import { leaderOf, planBootstrap } from '../../../../lib/decide/repair/bootstrap.js'
import { planCleanup } from '../../../../lib/decide/repair/cleanup.js'
import { planRelocate } from '../../../../lib/decide/repair/relocate.js'
import { withPause } from '../../../../lib/decide/switchover/pause.js'
import { previewPlan } from '../../../../lib/decide/switchover/preview.js'
import { planSwitchover } from '../../../../lib/decide/switchover/switchover.js'
import { isMinor, type Operation, type Plan } from '../../../../lib/model/operation/operation.js'
import type { Preview } from '../../../../lib/model/operation/preview.js'
import { changesSince, markOf } from '../../../../lib/model/plan-id.js'
import type { Arrival } from '../../../kernel/behaviour.js'
import type { OperationTicket, OperationWish } from '../../../protocol/cluster.js'
import type { ClusterState } from '../../state/state.js'
import { emit, type Step } from '../../state/step/emit.js'
import { evaluate, situationOf } from '../../state/step/evaluate.js'
import { isObserved, previewBesideRival } from '../../state/step/observed.js'
import { beginOperation, endOperation, stepOperation } from '../../state/step/operation.js'
import { answer, FIRST_PROBE_MS, type Handlers, type Outcome, refuse, silent } from '../../state/step/outcome.js'
import { loginCheck, untilLogin } from './logins.js'
import { refuseWhileRolling } from './rolls.js'

/** How long a request waits for a minor operation to end that is ended early for it. */
const MAKE_WAY_MS = 3 * SECOND

/** How long a refused request waits for servers that missed a probe: each has answered or failed by then. */
const IN_DOUBT_MS = 3 * SECOND

export const operationHandlers = {
  switchover: (state, { candidate, byRoll = false, ...wish }, arrival) =>
    whenFree(state, arrival, () => {
      const plan =
        (byRoll ? undefined : refuseWhileRolling(state)) ??
        planSwitchover(situationOf(state, arrival.now), {
          user: wish.user,
          ...(candidate === undefined ? {} : { candidate }),
        })
      return begin(state, plan, { ...wish, arrival })
    }),

  failover: (state, wish, arrival) =>
    whenFree(state, { ...arrival, givesWay: isMinor }, () => {
      const plan = planFailover(situationOf(state, arrival.now), { user: wish.user, forced: true })
      return begin(state, plan, { ...wish, arrival })
    }),

  relocate: (state, { server, source, ...wish }, arrival) =>
    whenFree(state, arrival, () => {
      const plan = refuseWhileRolling(state) ?? planRelocate(situationOf(state, arrival.now), { server, source })
      return begin(state, plan, { ...wish, arrival })
    }),

  cleanup: (state, { force, ...wish }, arrival) =>
    whenFree(state, arrival, () => {
      const plan = refuseWhileRolling(state) ?? planCleanup(situationOf(state, arrival.now), { force })
      return begin(state, plan, { ...wish, arrival })
    }),

  bootstrap: (state, { topology, ...wish }, arrival) =>
    whenFree(state, arrival, () => {
      const plan = refuseWhileRolling(state) ?? planBootstrap(situationOf(state, arrival.now), { topology })
      const started = begin(state, plan, { ...wish, arrival })
      // Who leads is decided: how half-formed links appear does not change it.
      const leader =
        plan.ok && started.state.snapshot.operation !== state.snapshot.operation ? leaderOf(plan.value) : undefined
      if (leader === undefined) return started
      return { ...started, state: { ...started.state, memory: { ...started.state.memory, primary: leader } } }
    }),

  'plan-switchover': (state, { candidate }, arrival) => {
    const situation = situationOf(state, arrival.now)
    const wish = { user: '', ...(candidate === undefined ? {} : { candidate }) }
    const plan = refuseWhileRolling(state) ?? planSwitchover(situation, wish)
    return untilLogin(state, plan, arrival) ?? planned('switchover', plan, { state, arrival })
  },

  'plan-failover': (state, _, arrival) => {
    const plan = planFailover(situationOf(state, arrival.now), { user: 'dry run', forced: true })
    return untilLogin(state, plan, arrival) ?? planned('failover', plan, { state, arrival })
  },

  recover: (state, { settled }, { now }) => {
    const { plan, memory = state.memory } = settled ?? {}
    const ready = { ...state, memory, ready: true }
    const next =
      plan && !isObserved(state) ? beginOperation(ready, { plan, owner: 'manager', now }) : evaluate(ready, now)
    return silent(settled ? { state: next.state, commands: [{ type: 'persist' }, ...next.commands] } : next)
  },

  stepped: (state, { operation }, { now }) => silent(stepOperation(state, operation, now)),

  ended: (state, { operation, crash }, { now }) => {
    const ended = replied(endOperation(state, { operation, now, ...(crash ? { crash } : {}) }), operation)
    const next = evaluate(ended.state, now)
    return silent({ state: next.state, commands: [...ended.commands, ...next.commands] })
  },
} as const satisfies Partial<Handlers>

/** A repair that the manager began is ended early for what a person asks. What a person asked for is not. */
const isOwnRepair = (operation: Operation): boolean => isMinor(operation) && operation.owner === 'manager'

/**
 * Right after a start the request waits for the first probes. Operations that `givesWay` are ended first; while another minor
 * one runs, or does not end in time, it is refused.
 */
function whenFree(
  state: ClusterState,
  { now, since, givesWay = isOwnRepair }: Pick<Arrival, 'now' | 'since'> & { readonly givesWay?: typeof isOwnRepair },
  handle: () => Outcome<OperationTicket>,
): Outcome<OperationTicket> {
  const { operation } = state.snapshot
  const settled = since + FIRST_PROBE_MS
  if (!state.ready && now < settled) return { state, commands: [], reply: { until: settled } }
  const until = since + MAKE_WAY_MS
  // Plans refuse to run beside the others in their own words.
  if (!operation || !isMinor(operation)) return handle()
  if (givesWay(operation) && now < until) return { state, commands: [{ type: 'abort' }], reply: { until } }
  return refuse(state, fail('operation-running', `${operation.id} by ${operation.owner} is running.`))
}

/** With `wait` the reply is given when the operation has ended. */
interface Request extends OperationWish {
  readonly arrival: Arrival
}

function begin(
  state: ClusterState,
  wanted: Result<Plan>,
  { user, wait, confirmed, arrival: { now, since, reply } }: Request,
): Outcome<OperationTicket> {
  const plan = asConfirmed(state, wanted, { confirmed, now })
  const until = since + IN_DOUBT_MS
  if (!plan.ok && now < until && hasDoubtful(state)) return { state, commands: [], reply: { until } }
  if (!plan.ok) {
    const text = `Refused to ${user}: ${plan.failure.message}`
    return { ...emit(state, [{ kind: 'log', level: 'WARN', text }], now), reply: plan }
  }
  if (!state.ready) return refuse(state, fail('wrong-state', `${state.name}: its servers were not all probed yet`))
  const started = beginOperation(state, { plan: plan.value, owner: user, now })
  const { operation } = started.state.snapshot
  if (!operation) return { ...started, reply: fail('internal', 'the operation did not begin') }
  if (!wait) return { ...started, reply: ok({ operation }) }
  const waiting = [...started.state.waiting, { operation: operation.id, reply }]
  return { ...started, state: { ...started.state, waiting }, reply: 'deferred' }
}

/** One late probe of a busy server is no reason to refuse: the next ones show whether it answers or has failed. */
const hasDoubtful = ({ snapshot }: ClusterState): boolean =>
  snapshot.servers.some(({ observation, stateName }) => observation !== 'answered' && stateName === 'suspect')

/** The same plan, if what it says is what was confirmed. */
function asConfirmed(
  state: ClusterState,
  plan: Result<Plan>,
  { confirmed, now }: { readonly confirmed: string | undefined; readonly now: number },
): Result<Plan> {
  if (confirmed === undefined || !plan.ok) return plan
  // The login that was found last: the operation tries it again before it changes anything.
  const present = previewPlan(plan.value, situationOf(state, now), loginCheck(state, 0))
  if (markOf(present) === confirmed) return plan
  return fail('plan-changed', changesSince(`.${confirmed}`, { id: `.${markOf(present)}`, preview: present }))
}

/** Replies to the requests that waited for the operation. */
function replied({ state, commands }: Step, operation: Operation): Step {
  const result: Result<OperationTicket> =
    operation.phase === 'succeeded'
      ? ok({ operation })
      : fail(failureOf(operation), operation.message ?? operation.phase)
  const [own, others] = [
    state.waiting.filter((each) => each.operation === operation.id),
    state.waiting.filter((each) => each.operation !== operation.id),
  ]
  return {
    state: { ...state, waiting: others },
    commands: [...commands, ...own.map(({ reply }) => ({ type: 'reply-probed', reply, result }) as const)],
  }
}

/** Refusals keep their own code: nothing was changed. What was undone or broke off says so. */
const refusals: ReadonlySet<FailureCode> = new Set<FailureCode>([
  'long-writes',
  'replication-login',
  'event-scheduler',
  'vetoed',
  'no-candidate',
  'primary-failed',
  'primary-alive',
])

function failureOf({ phase, failure }: Operation): FailureCode {
  if (failure !== undefined && refusals.has(failure)) return failure
  return phase === 'rolled-back' ? 'rolled-back' : 'step-failed'
}

function planned(
  kind: Preview['kind'],
  plan: Result<Plan>,
  { state, arrival: { now, since } }: { readonly state: ClusterState; readonly arrival: Arrival },
): Outcome<Preview> {
  const preview: Preview = plan.ok
    ? previewPlan(plan.value, situationOf(state, now), loginCheck(state, since))
    : { kind, possible: false, refusal: plan.failure.message, steps: [], expectedBlockedMs: 0, risks: [] }
  return answer(state, withPause(previewBesideRival(preview, state), state.memory))
}
