// What a cluster actor does with each message: state in, state, reply and commands out. Handlers never wait.
import { fail, ok, type Result } from '../../../lib/base/result.js'
import { SECOND } from '../../../lib/base/time.js'
import { planFailover } from '../../../lib/decide/failover/failover.js'
import { compareVariables } from '../../../lib/decide/findings/variable-diff.js'
import { leaderOf, planBootstrap } from '../../../lib/decide/repair/bootstrap.js'
import { planCleanup } from '../../../lib/decide/repair/cleanup.js'
import { keepPause } from '../../../lib/decide/repair/paused.js'
import { applyReading } from '../../../lib/decide/situation/health.js'
import { previewPlan } from '../../../lib/decide/switchover/preview.js'
import { planSwitchover } from '../../../lib/decide/switchover/switchover.js'
import { judgeService } from '../../../lib/decide/upkeep/permit.js'
import { observe } from '../../../lib/metrics/histogram.js'
import { findServer, type ServerSnapshot } from '../../../lib/model/snapshot.js'
import type { Plan } from '../../../lib/model/work/operation.js'
import type { Preview } from '../../../lib/model/work/preview.js'
import { maintainedBy } from '../../../lib/model/work/roll.js'
import { stopsService } from '../../../lib/model/work/services.js'
import { proxyServices } from '../../../lib/proxy/kit/services.js'
import { followProxy } from '../../../lib/proxy/standing.js'
import { importSettings } from '../../../lib/settings/index.js'
import type { Behaviour } from '../../kernel/behaviour.js'
import { announceOnly, emit } from './emit.js'
import { evaluate, judge, situationOf } from './evaluate.js'
import { listMembers, mergeMembers } from './members.js'
import { beginOperation, endOperation, stepOperation } from './operation.js'
import { answer, flagged, type Handlers, type Outcome, refuse, silent } from './outcome.js'
import { queryRates } from './query-rates.js'
import { refuseWhileRolling, rollHandlers } from './roll.js'
import { closePeriod } from './sla.js'
import type { ActorCommand, ClusterState, RuntimeProtocol } from './state.js'

/** Messages that the behaviour answers; the others (live reads, single commands) are the runtime's. */
export type AnsweredProtocol = Pick<RuntimeProtocol, keyof typeof handlers>

/** Messages that are answered from the state alone; live reads (`read`) are the runtime's. */
export const handlers = {
  observed: (state, { reading, now }) => {
    const before = findServer(state, reading.server)
    if (!before) return silent({ state, commands: [] })
    const after = applyReading(before, reading, now)
    const figures =
      reading.observation === 'answered'
        ? { ...state.figures, probeSeconds: observe(state.figures.probeSeconds, reading.tookMs / SECOND) }
        : state.figures
    const next = {
      ...state,
      figures,
      servers: state.servers.map((server) => (server.id === after.id ? after : server)),
    }
    const isIdle = isQuiet(before, after) && !isWitnessed(state)
    return silent(isIdle ? { state: next, commands: [] } : evaluate(next, now))
  },

  'observed-slowly': (state, { reading }) =>
    silent({
      state: {
        ...state,
        queryRates: queryRates(state, reading),
        servers: state.servers.map((server) => (server.id === reading.server ? { ...server, slow: reading } : server)),
      },
      commands: [],
    }),

  'read-cookies': (state, { cookies }) => silent({ state: { ...state, cookies }, commands: [{ type: 'publish' }] }),

  'observed-proxy': (state, { reading }) => {
    const last = state.proxies.find(({ id }) => id === reading.id)
    const proxy = followProxy(last, reading)
    const proxies = [...state.proxies.filter(({ id }) => id !== reading.id), proxy]
    const changed = last !== undefined && last.state !== proxy.state
    return silent({
      state: { ...state, proxies },
      commands: changed ? [{ type: 'notify-proxy', proxy, from: last.state, to: proxy.state }] : [],
    })
  },

  'observed-outside': (state, { alive, detail, now }) =>
    silent(evaluate({ ...state, memory: { ...state.memory, externalCheck: { at: now, alive, detail } } }, now)),

  tick: (state, { now }) => silent(evaluate(state, now)),

  'read-tls': ({ tls: _, ...state }, { tls, now }) => {
    const next = evaluate(tls ? { ...state, tls } : state, now)
    const { servers, settings } = next.state
    return silent({ state: next.state, commands: [{ type: 'watch', servers, settings }, ...next.commands] })
  },

  noted: (state, { level, text, now }) => silent(emit(state, [{ kind: 'log', level, text }], now)),

  recover: (state, { settled, now }) => {
    const { plan, memory = state.memory } = settled ?? {}
    const ready = { ...state, memory, ready: true }
    const next = plan ? beginOperation(ready, { plan, owner: 'manager', now }) : evaluate(ready, now)
    return silent(settled ? { state: next.state, commands: [{ type: 'persist' }, ...next.commands] } : next)
  },

  stepped: (state, { operation, now }) => silent(stepOperation(state, operation, now)),

  ended: (state, { operation, crash, now }) => {
    const ended = endOperation(state, { operation, now, ...(crash ? { crash } : {}) })
    const next = evaluate(ended.state, now)
    return silent({ state: next.state, commands: [...ended.commands, ...next.commands] })
  },

  snapshot: (state) => answer(state, state.snapshot),

  explain: (state) => answer(state, state.verdict),

  'diff-variables': (state) =>
    answer(
      state,
      state.settings['monitoring-variable-diff'] ? compareVariables(state.servers, state.snapshot.primary) : [],
    ),

  switchover: (state, { user, candidate, byRoll = false }, now) =>
    begin(
      state,
      (byRoll ? undefined : refuseWhileRolling(state)) ??
        planSwitchover(situationOf(state, now), { user, ...(candidate === undefined ? {} : { candidate }) }),
      { user, now },
    ),

  failover: (state, { user }, now) =>
    begin(state, planFailover(situationOf(state, now), { user, forced: true }), { user, now }),

  cleanup: (state, { user, force }, now) =>
    begin(state, refuseWhileRolling(state) ?? planCleanup(situationOf(state, now), { force }), { user, now }),

  bootstrap: (state, { user, topology }, now) => {
    const plan = refuseWhileRolling(state) ?? planBootstrap(situationOf(state, now), { topology })
    const begun = begin(state, plan, { user, now })
    // Who leads is decided: what half-formed links look like does not change it.
    const leader = plan.ok && begun.reply.ok ? leaderOf(plan.value) : undefined
    if (leader === undefined) return begun
    return { ...begun, state: { ...begun.state, memory: { ...begun.state.memory, primary: leader } } }
  },

  'plan-switchover': (state, { candidate }, now) => {
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

  'plan-failover': (state, _, now) => {
    const situation = situationOf(state, now)
    return answer(state, preview('failover', planFailover(situation, { user: 'dry run', forced: true }), situation))
  },

  'reset-failover-control': (state, { user }, now) => {
    const memory = { ...state.memory, failoverCount: 0, lastFailoverAt: 0 }
    return noted({ ...state, memory }, `Failover control reset by ${user}`, now)
  },

  'reset-sla': (state, { user }, now) =>
    noted({ ...state, ...closePeriod(state, now) }, `Availability figures reset by ${user}`, now),

  'set-maintenance': (state, { user, server, mode }, now) => {
    const member = findServer(state, server)
    if (!member) return refuse(state, fail('unknown-server', `${state.name} has no server ${server}`))
    const on = mode === 'toggle' ? !member.maintenance : mode === 'on'
    const next = noted(
      flagged(state, 'maintenance', { server, on }),
      `Maintenance of ${member.name} ${on ? 'set' : 'ended'} by ${user}`,
      now,
    )
    return { ...next, reply: ok(on), commands: [...next.commands, { type: 'align-proxies' }] }
  },

  'permit-service': (state, { server, action, force, dry, byRoll }, now) => {
    const rolling = byRoll || !stopsService[action] ? undefined : refuseWhileRolling(state)
    const judged = rolling ?? judgeService(state.snapshot, { action, server, force })
    if (!judged.ok) return refuse(state, judged)
    const next =
      dry || action === 'apply' ? state : flagged(state, 'stoppedOnRequest', { server, on: stopsService[action] })
    return kept(next, now)
  },

  'service-acted': (state, { server, action, stays, now }) => {
    const away = (action === 'stop' || action === 'unprovision') && stays
    return action === 'apply'
      ? silent({ state, commands: [] })
      : kept(flagged(state, 'stoppedOnRequest', { server, on: away }), now)
  },

  'keep-slow-settings': (state, { server, slow }) => {
    const { [server]: _, ...others } = state.memory.captures ?? {}
    const captures = slow ? { ...others, [server]: slow } : others
    const next = { ...state, memory: { ...state.memory, captures } }
    return silent({ state: next, commands: [{ type: 'persist' }, { type: 'publish' }] })
  },

  'keep-pause': (state, { server, pause }) => {
    const next = { ...state, memory: keepPause(state.memory, server, pause) }
    return silent({ state: next, commands: [{ type: 'persist' }] })
  },

  'job-line': (state, { job, service, line, now }) =>
    silent(announceOnly(state, { kind: 'job', level: 'INFO', text: line, server: service, data: { job } }, now)),

  announce: (state, { findings }, now) => silent(evaluate({ ...state, announced: findings }, now)),

  reconfigure: (state, { settings: plain, settled = false }, now) => {
    const settings = importSettings(plain)
    const maintenance = [...state.memory.maintenance, ...maintainedBy(state.roll)]
    const servers = mergeMembers(listMembers(state.name, settings, { maintenance }), state.servers, state.memory)
    const named = new Set(proxyServices(settings).map(({ id }) => id))
    const proxies = state.proxies.filter(({ id }) => named.has(id))
    const next = evaluate({ ...state, settings, servers, proxies }, now)
    return silent({ state: next.state, commands: [{ type: 'watch', servers, settings, settled }, ...next.commands] })
  },

  ...rollHandlers,
} as const satisfies Handlers

/** The behaviour by a clock: messages from outside are judged at the time they arrive. */
export function clusterBehaviour(clock: () => number): Behaviour<AnsweredProtocol, ClusterState, ActorCommand> {
  const entries = Object.entries(handlers).map(([type, handler]) => [
    type,
    (state: ClusterState, payload: never) => (handler as Handlers['tick'] & object)(state, payload, clock()),
  ])
  return Object.fromEntries(entries) as Behaviour<AnsweredProtocol, ClusterState, ActorCommand>
}

function begin(state: ClusterState, plan: Result<Plan>, { user, now }: { user: string; now: number }) {
  if (!plan.ok) {
    const text = `Refused to ${user}: ${plan.failure.message}`
    return { ...emit(state, [{ kind: 'log', level: 'WARN', text }], now), reply: plan }
  }
  if (!state.ready)
    return refuse(state, fail('wrong-state', `${state.name} is still being looked at for the first time`))
  const begun = beginOperation(state, { plan: plan.value, owner: user, now })
  const { operation } = begun.state
  return { ...begun, reply: operation ? ok({ operation }) : fail('internal', 'the operation did not begin') }
}

function preview(kind: Preview['kind'], plan: Result<Plan>, situation: Parameters<typeof previewPlan>[1]): Preview {
  if (plan.ok) return previewPlan(plan.value, situation)
  return { kind, possible: false, refusal: plan.failure.message, steps: [], expectedBlockedMs: 0, risks: [] }
}

/** Judged anew and written down, without a word in the log. */
function kept(state: ClusterState, now: number): Outcome<void> {
  const judged = judge(state, now)
  return silent({ state: judged.state, commands: [...judged.commands, { type: 'persist' }] })
}

function noted(state: ClusterState, text: string, now: number): Outcome<void> {
  const judged = judge(state, now)
  const emitted = emit(judged.state, [{ kind: 'log', level: 'INFO', text }], now)
  return silent({ state: emitted.state, commands: [...judged.commands, ...emitted.commands, { type: 'persist' }] })
}

/**
 * The primary does not answer and its death is not proven yet: every look at a witness may prove it. Of no interest while
 * a failover runs, whose own looks judge by what is known then.
 */
function isWitnessed({ snapshot, verdict, operation }: ClusterState): boolean {
  if (operation?.kind === 'failover') return false
  const primary = findServer(snapshot, snapshot.primary)
  const isAbsent = primary?.observation === 'silent' || primary?.observation === 'refused'
  return isAbsent && !verdict.primaryDead
}

/** Nothing in the new reading that a decision could depend on: the next tick is soon enough. */
function isQuiet(before: ServerSnapshot, after: ServerSnapshot): boolean {
  if (before.observation !== 'answered' || after.observation !== 'answered') return false
  const [a, b] = [before.state, after.state]
  if (!a || !b) return false
  return (
    a.readOnly === b.readOnly &&
    a.superReadOnly === b.superReadOnly &&
    b.uptimeSeconds >= a.uptimeSeconds &&
    a.serverNumber === b.serverNumber &&
    a.channels.length === b.channels.length &&
    a.channels.every((channel, index) => sameChannel(channel, b.channels[index]))
  )
}

type Channels = NonNullable<ServerSnapshot['state']>['channels']

const sameChannel = (a: Channels[number], b: Channels[number] | undefined): boolean =>
  b !== undefined &&
  a.io === b.io &&
  a.sql === b.sql &&
  a.source.host === b.source.host &&
  a.source.port === b.source.port &&
  a.ioError.code === b.ioError.code &&
  a.sqlError.code === b.sqlError.code
