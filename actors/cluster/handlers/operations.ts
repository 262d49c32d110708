// Handlers of operations: asked for, stepped, ended, recovered. Pure.
import type { FailureCode } from '../../../lib/base/failures.js'
import { fail, ok, type Result } from '../../../lib/base/result.js'
import { SECOND } from '../../../lib/base/time.js'
import { planFailover } from '../../../lib/decide/failover/failover.js'
import { leaderOf, planBootstrap } from '../../../lib/decide/repair/bootstrap.js'
import { planCleanup } from '../../../lib/decide/repair/cleanup.js'
import { planRelocate } from '../../../lib/decide/repair/relocate.js'
import { previewPlan } from '../../../lib/decide/switchover/preview.js'
import { planSwitchover } from '../../../lib/decide/switchover/switchover.js'
import { isMinor, type Operation, type Plan } from '../../../lib/model/operation/operation.js'
import type { Preview } from '../../../lib/model/operation/preview.js'
import type { Arrival } from '../../kernel/behaviour.js'
import type { OperationTicket } from '../../protocol/cluster.js'
import { emit, type Step } from '../state/emit.js'
import { evaluate, situationOf } from '../state/evaluate.js'
import { isObserved } from '../state/observed.js'
import { beginOperation, endOperation, stepOperation } from '../state/operation.js'
import { answer, type Handlers, type Outcome, refuse, silent } from '../state/outcome.js'
import type { ClusterState } from '../state/state.js'
import { refuseWhileRolling } from './rolls.js'

/** How long a request waits for a minor operation to end that is ended early for it. */
const MAKE_WAY_MS = 3 * SECOND

export const operationHandlers = {
  switchover: (state, { user, candidate, wait, byRoll = false }, arrival) =>
    whenFree(state, arrival, () => {
      const plan =
        (byRoll ? undefined : refuseWhileRolling(state)) ??
        planSwitchover(situationOf(state, arrival.now), { user, ...(candidate === undefined ? {} : { candidate }) })
      return begin(state, plan, { user, wait, arrival })
    }),

  failover: (state, { user, wait }, arrival) =>
    whenFree(state, arrival, () => {
      const plan = planFailover(situationOf(state, arrival.now), { user, forced: true })
      return begin(state, plan, { user, wait, arrival })
    }),

  relocate: (state, { user, wait, ...request }, arrival) =>
    whenFree(state, arrival, () => {
      const plan = refuseWhileRolling(state) ?? planRelocate(situationOf(state, arrival.now), request)
      return begin(state, plan, { user, wait, arrival })
    }),

  cleanup: (state, { user, force, wait }, arrival) =>
    whenFree(state, arrival, () => {
      const plan = refuseWhileRolling(state) ?? planCleanup(situationOf(state, arrival.now), { force })
      return begin(state, plan, { user, wait, arrival })
    }),

  bootstrap: (state, { user, topology, wait }, arrival) =>
    whenFree(state, arrival, () => {
      const plan = refuseWhileRolling(state) ?? planBootstrap(situationOf(state, arrival.now), { topology })
      const started = begin(state, plan, { user, wait, arrival })
      // Who leads is decided: how half-formed links appear does not change it.
      const leader =
        plan.ok && started.state.snapshot.operation !== state.snapshot.operation ? leaderOf(plan.value) : undefined
      if (leader === undefined) return started
      return { ...started, state: { ...started.state, memory: { ...started.state.memory, primary: leader } } }
    }),

  'plan-switchover': (state, { candidate }, { now }) => {
    const situation = situationOf(state, now)
    return answer(
      state,
      preview(
        'switchover',
        planSwitchover(situation, { user: 'dry run', ...(candidate === undefined ? {} : { candidate }) }),
        situation,
      ),
    )
  },

  'plan-failover': (state, _, { now }) => {
    const situation = situationOf(state, now)
    return answer(state, preview('failover', planFailover(situation, { user: 'dry run', forced: true }), situation))
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

/** A minor operation in the way is ended first. */
function whenFree(
  state: ClusterState,
  { now, since }: Arrival,
  handle: () => Outcome<OperationTicket>,
): Outcome<OperationTicket> {
  const { operation } = state.snapshot
  const until = since + MAKE_WAY_MS
  if (!operation || !isMinor(operation) || now >= until) return handle()
  return { state, commands: [{ type: 'abort' }], reply: { until } }
}

interface Request {
  readonly user: string
  /** The reply is given when the operation has ended. */
  readonly wait: boolean
  readonly arrival: Arrival
}

function begin(
  state: ClusterState,
  plan: Result<Plan>,
  { user, wait, arrival: { now, reply } }: Request,
): Outcome<OperationTicket> {
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
  'vetoed',
  'no-candidate',
  'primary-failed',
  'primary-alive',
])

function failureOf({ phase, failure }: Operation): FailureCode {
  if (failure !== undefined && refusals.has(failure)) return failure
  return phase === 'rolled-back' ? 'rolled-back' : 'step-failed'
}

function preview(kind: Preview['kind'], plan: Result<Plan>, situation: Parameters<typeof previewPlan>[1]): Preview {
  if (plan.ok) return previewPlan(plan.value, situation)
  return { kind, possible: false, refusal: plan.failure.message, steps: [], expectedBlockedMs: 0, risks: [] }
}
