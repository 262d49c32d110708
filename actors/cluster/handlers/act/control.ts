// Handlers of what changes the cluster's own state: settings, maintenance, counters, announcements. Pure.
import { fail, ok } from '../../../../lib/base/result.js'
import { keepPause } from '../../../../lib/decide/repair/paused.js'
import { apartText } from '../../../../lib/decide/situation/apart.js'
import { beginDeletion, endDeletion } from '../../../../lib/decide/situation/history/deleted-log.js'
import { forgetHeld } from '../../../../lib/decide/situation/history/history.js'
import type { Memory } from '../../../../lib/model/memory.js'
import type { ServerId } from '../../../../lib/model/server/server.js'
import { findServer, type ServerSnapshot } from '../../../../lib/model/snapshot.js'
import type { ReplicationLogin } from '../../../../lib/probe/source-login.js'
import { proxyServices } from '../../../../lib/proxy/kit/services.js'
import { exportSettings, importSettings, withSettings } from '../../../../lib/settings/index.js'
import type { Settings } from '../../../../lib/settings/table/index.js'
import type { TrialSettings } from '../../../../lib/trial/step.js'
import { filledIn, maintainedIn } from '../../state/maintained.js'
import { listMembers, mergeMembers } from '../../state/members.js'
import { replicationLogin } from '../../state/message/wires.js'
import { closePeriod } from '../../state/sla.js'
import { type ClusterState, withServers } from '../../state/state.js'
import type { Step } from '../../state/step/emit.js'
import { evaluate } from '../../state/step/evaluate.js'
import { defer, flagged, type Handlers, refuse, silent } from '../../state/step/outcome.js'
import { recorded } from './recorded.js'

export const controlHandlers = {
  'reset-failover-control': (state, { user }, { now }) => {
    const { ambiguous: _, ...accepted } = forgetHeld(state.memory)
    const memory = { ...accepted, failoverCount: 0, lastFailoverAt: 0 }
    return recorded({ ...state, memory, attempts: undefined }, `Failover control reset by ${user}`, now)
  },

  'reset-sla': (state, { user }, { now }) =>
    recorded({ ...state, ...closePeriod(state, now) }, `Availability figures reset by ${user}`, now),

  'set-maintenance': (state, { user, server, mode }, arrival) => {
    const member = findServer(state.snapshot, server)
    if (!member) return refuse(state, fail('unknown-server', `${state.name} has no server ${server}`))
    const on = mode === 'toggle' ? !member.maintenance : mode === 'on'
    if (!on && filledIn(state.memory).includes(server))
      return refuse(state, fail('operation-running', `${member.name} is being filled: its maintenance ends with that`))
    if (!on && state.memory.newServers?.[server]) return refuse(state, fail('wrong-state', apartText(member.name)))
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

  'history-reset': (state, { server, outcome, history }, { now }) => {
    const { settings, snapshot } = state
    const memory = outcome
      ? endDeletion(state.memory, { server, outcome, servers: snapshot.servers, settings, now })
      : beginDeletion(state.memory, server, { since: now, ...(history === undefined ? {} : { history }) })
    return silent({ state: { ...state, memory }, commands: [{ type: 'persist' }] })
  },

  'keep-pause': (state, { server, pause }) => {
    const next = { ...state, memory: keepPause(state.memory, server, pause) }
    return silent({ state: next, commands: [{ type: 'persist' }] })
  },

  announce: (state, { findings }, { now }) => silent(evaluate({ ...state, announced: findings }, now)),

  reconfigure: (state, { settings: plain, settled = false }, { now }) => {
    const saved = importSettings(plain)
    const { settings, ...trial } = tried(saved, state.trial?.changed)
    const members = listMembers(state.name, settings, { maintenance: maintainedIn(state) })
    const known = withLogins(state.snapshot.servers, replicationLogin(state.settings), replicationLogin(settings))
    const servers = mergeMembers(members, known, state.memory)
    const named = new Set(proxyServices(settings).map(({ id }) => id))
    const proxies = state.proxies.filter(({ id }) => named.has(id))
    const memory = forgetDropped(state.memory, members)
    const next = evaluate(
      withServers({ ...state, settings, proxies, memory, attempts: undefined, ...trial }, servers),
      now,
      state.snapshot,
    )
    return silent({ state: next.state, commands: [{ type: 'reconfigure', settled }, ...next.commands] })
  },

  'try-settings': ({ trial, ...state }, { settings: wanted }, { now }) => {
    // Flattened: settings that inherit from settings would grow with each test.
    const saved = importSettings(exportSettings(withSettings<Settings>(state.settings, trial?.saved ?? {})))
    return silent(evaluate({ ...state, ...tried(saved, wanted && { ...trial?.changed, ...wanted }) }, now))
  },
} as const satisfies Partial<Handlers>

/** What was found of another replication account, or of other addresses of servers, says nothing of the present ones. */
function withLogins(
  servers: readonly ServerSnapshot[],
  before: ReplicationLogin,
  now: ReplicationLogin,
): readonly ServerSnapshot[] {
  if (JSON.stringify(before) === JSON.stringify(now)) return servers
  return servers.map(({ login, ...server }) =>
    login && now.user !== '' ? { ...server, login: { ...login, outdated: true as const } } : server,
  )
}

/** The settings while a named test changes some, and what they are without it. */
function tried(saved: Settings, changed: TrialSettings | undefined): Pick<ClusterState, 'settings' | 'trial'> {
  if (!changed) return { settings: saved }
  const names = Object.keys(changed) as (keyof TrialSettings)[]
  const own = Object.fromEntries(names.map((name) => [name, saved[name]])) as TrialSettings
  return { settings: withSettings<Settings>(saved, changed), trial: { saved: own, changed } }
}

/** A complete server that a person took from the list is no longer the manager's; one that is being made is about to enter it. */
function forgetDropped(memory: Memory, members: readonly { readonly id: ServerId }[]): Memory {
  const { newServers = {} } = memory
  const kept = Object.entries(newServers).filter(
    ([id, { stage }]) => stage !== 'ready' || members.some((member) => member.id === id),
  )
  return kept.length === Object.keys(newServers).length ? memory : { ...memory, newServers: Object.fromEntries(kept) }
}

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
