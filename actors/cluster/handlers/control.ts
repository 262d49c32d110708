// Handlers of what changes the cluster's own state: settings, maintenance, counters, announcements. Pure.
import { fail, ok } from '../../../lib/base/result.js'
import { keepPause } from '../../../lib/decide/repair/paused.js'
import { forgetHeld } from '../../../lib/decide/situation/history/history.js'
import { maintainedBy } from '../../../lib/model/operation/roll.js'
import { findServer, type ServerSnapshot } from '../../../lib/model/snapshot.js'
import { proxyServices } from '../../../lib/proxy/kit/services.js'
import { importSettings } from '../../../lib/settings/index.js'
import type { Step } from '../state/emit.js'
import { evaluate } from '../state/evaluate.js'
import { listMembers, mergeMembers } from '../state/members.js'
import { defer, flagged, type Handlers, refuse, silent } from '../state/outcome.js'
import { closePeriod } from '../state/sla.js'
import { type ClusterState, withServers } from '../state/state.js'
import { recorded } from './recorded.js'

export const controlHandlers = {
  'reset-failover-control': (state, { user }, { now }) => {
    const memory = { ...forgetHeld(state.memory), failoverCount: 0, lastFailoverAt: 0 }
    return recorded({ ...state, memory }, `Failover control reset by ${user}`, now)
  },

  'reset-sla': (state, { user }, { now }) =>
    recorded({ ...state, ...closePeriod(state, now) }, `Availability figures reset by ${user}`, now),

  'set-maintenance': (state, { user, server, mode }, arrival) => {
    const member = findServer(state.snapshot, server)
    if (!member) return refuse(state, fail('unknown-server', `${state.name} has no server ${server}`))
    const on = mode === 'toggle' ? !member.maintenance : mode === 'on'
    if (!on) return defer(state, arrival, { type: 'end-maintenance', user, server })
    return { ...maintained(state, { user, member, on }, arrival.now), reply: ok(on) }
  },

  'maintenance-ended': (state, { user, server }, { now }) => {
    const member = findServer(state.snapshot, server)
    return silent(member ? maintained(state, { user, member, on: false }, now) : { state, commands: [] })
  },

  'keep-slow-settings': (state, { server, slow }) => {
    const { [server]: _, ...others } = state.memory.captures ?? {}
    const captures = slow ? { ...others, [server]: slow } : others
    const next = { ...state, memory: { ...state.memory, captures } }
    return silent({ state: next, commands: [{ type: 'persist' }, { type: 'publish' }] })
  },

  'history-reset': (state, { server }) => {
    if (state.memory.held?.primary !== server) return silent({ state, commands: [] })
    return silent({ state: { ...state, memory: forgetHeld(state.memory) }, commands: [{ type: 'persist' }] })
  },

  'keep-pause': (state, { server, pause }) => {
    const next = { ...state, memory: keepPause(state.memory, server, pause) }
    return silent({ state: next, commands: [{ type: 'persist' }] })
  },

  announce: (state, { findings }, { now }) => silent(evaluate({ ...state, announced: findings }, now)),

  reconfigure: (state, { settings: plain, settled = false }, { now }) => {
    const settings = importSettings(plain)
    const maintenance = [...state.memory.maintenance, ...maintainedBy(state.roll)]
    const members = listMembers(state.name, settings, { maintenance })
    const servers = mergeMembers(members, state.snapshot.servers, state.memory)
    const named = new Set(proxyServices(settings).map(({ id }) => id))
    const proxies = state.proxies.filter(({ id }) => named.has(id))
    const next = evaluate(withServers({ ...state, settings, proxies }, servers), now, state.snapshot)
    return silent({ state: next.state, commands: [{ type: 'reconfigure', settled }, ...next.commands] })
  },
} as const satisfies Partial<Handlers>

/** The flag is set or taken away, and proxies get the new state of the server. */
function maintained(
  state: ClusterState,
  { user, member, on }: { readonly user: string; readonly member: ServerSnapshot; readonly on: boolean },
  now: number,
): Step {
  const next = recorded(
    flagged(state, 'maintenance', { server: member.id, on }),
    `Maintenance of ${member.name} ${on ? 'set' : 'ended'} by ${user}`,
    now,
  )
  return { state: next.state, commands: [...next.commands, { type: 'align-proxies' }] }
}
