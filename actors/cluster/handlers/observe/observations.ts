// Handlers of what was observed: probes, proxies, the external check, files, and the clock. Pure.
import { isDeepStrictEqual } from 'node:util'
import { SECOND } from '../../../../lib/base/time.js'
import { applyReading } from '../../../../lib/decide/situation/health.js'
import { withHeldLock, withLockWait } from '../../../../lib/decide/situation/lock-wait.js'
import { noteLateness } from '../../../../lib/decide/watching/lateness.js'
import { observe } from '../../../../lib/metrics/histogram.js'
import { isModuleLogged } from '../../../../lib/model/log-module.js'
import { renderProgress } from '../../../../lib/model/operation/job-progress.js'
import { findServer, type ServerSnapshot } from '../../../../lib/model/snapshot.js'
import { proxyStateTexts } from '../../../../lib/model/wire.js'
import { proxyServices } from '../../../../lib/proxy/kit/services.js'
import { followProxy } from '../../../../lib/proxy/standing.js'
import { type ClusterState, withServers } from '../../state/state.js'
import { announceOnly, emit } from '../../state/step/emit.js'
import { evaluate } from '../../state/step/evaluate.js'
import { flagged, type Handlers, silent } from '../../state/step/outcome.js'
import { withUnread } from '../../state/unread.js'
import { withDelays } from './delays.js'

export const observationHandlers = {
  'read-ended': (state, { server, what, reason }, { now }) => {
    const unread = withUnread(state.unread, { server, what, reason })
    return silent(
      unread === state.unread ? { state, commands: [] } : evaluate({ ...state, unread }, now, state.snapshot),
    )
  },

  'read-job-table': (state, { server, table }, { now }) => {
    if (isDeepStrictEqual(state.jobTables?.[server], table)) return silent({ state, commands: [] })
    const jobTables = { ...state.jobTables, [server]: table }
    return silent(evaluate({ ...state, jobTables }, now, state.snapshot))
  },

  observed: (state, { reading }, { now }) => {
    const { servers } = state.snapshot
    const before = findServer(state.snapshot, reading.server)
    if (!before) return silent({ state, commands: [] })
    const after = applyReading(before, reading, now)
    const figures =
      reading.observation === 'answered'
        ? { ...state.figures, probeSeconds: observe(state.figures.probeSeconds, reading.tookMs / SECOND) }
        : state.figures
    const known = withServers(
      { ...state, figures },
      servers.map((server) => (server.id === after.id ? after : server)),
    )
    const next =
      isBack(before, after) && !state.acting?.includes(after.id)
        ? flagged(known, 'stoppedOnRequest', { server: after.id, on: false })
        : known
    const isIdle = isQuiet(before, after) && !isWitnessed(state)
    const answered = [{ type: 'note-answer', server: after.id }] as const
    return silent(isIdle ? { state: next, commands: answered } : evaluate(next, now, state.snapshot))
  },

  'observed-presence': (state, { server: id, presence }, { now }) => {
    const { servers } = state.snapshot
    const next = withServers(
      state,
      servers.map((server) => (server.id === id ? { ...server, presence } : server)),
    )
    const isNew = !isDeepStrictEqual(findServer(state.snapshot, id)?.presence, presence)
    return silent(isNew ? evaluate(next, now, state.snapshot) : { state, commands: [] })
  },

  'observed-lock-wait': (state, { server: id, wait }, { now }) => {
    const { servers } = state.snapshot
    const before = findServer(state.snapshot, id)
    if (!before || (!wait && !before.lockWait)) return silent({ state, commands: [] })
    const next = withServers(
      state,
      servers.map((server) => (server.id === id ? withLockWait(server, wait, now) : server)),
    )
    return silent(evaluate(next, now, state.snapshot))
  },

  'observed-held-lock': (state, { server: id, lock }, { now }) => {
    const { servers } = state.snapshot
    const before = findServer(state.snapshot, id)
    if (!before || (!lock && !before.heldLock)) return silent({ state, commands: [] })
    const next = withServers(
      state,
      servers.map((server) => (server.id === id ? withHeldLock(server, lock, now) : server)),
    )
    return silent(evaluate(next, now, state.snapshot))
  },

  'read-cookies': (state, { cookies }) => silent({ state: { ...state, cookies }, commands: [{ type: 'publish' }] }),

  'observed-proxy': (state, { reading }, { now }) => {
    // It may have been dropped while it was being probed.
    if (!proxyServices(state.settings).some(({ id }) => id === reading.id)) return silent({ state, commands: [] })
    const last = state.proxies.find(({ id }) => id === reading.id)
    const proxy = followProxy(last, reading)
    const proxies = [...state.proxies.filter(({ id }) => id !== reading.id), proxy]
    if (last === undefined || last.state === proxy.state) return silent({ state: { ...state, proxies }, commands: [] })
    const [from, to] = [proxyStateTexts[last.state], proxyStateTexts[proxy.state]]
    const text = `Proxy ${proxy.host}:${proxy.port} is ${to} (was ${from})`
    const isLogged = isModuleLogged(state.settings, 'proxy', 'WARN')
    const emitted = emit({ ...state, proxies }, isLogged ? [{ kind: 'log', level: 'WARN', text }] : [], now)
    return silent({
      state: emitted.state,
      commands: [...emitted.commands, { type: 'notify-proxy', proxy, from: last.state, to: proxy.state }],
    })
  },

  'observed-outside': (state, { alive, detail }, { now }) =>
    silent(evaluate({ ...state, memory: { ...state.memory, externalCheck: { at: now, alive, detail } } }, now)),

  tick: (state, { lostMs }, { now }) => {
    const lateness = lostMs === undefined ? state.lateness : noteLateness(state.lateness, { at: now, lostMs })
    const next = withDelays(lateness ? { ...state, lateness } : state, now)
    return silent(evaluate(next, now, state.snapshot))
  },

  tenure: (state, { tenure, confirmed }, { now }) =>
    silent(evaluate({ ...state, tenure, ...(confirmed === undefined ? {} : { confirmed }) }, now)),

  'read-tls': ({ tls: _, ...state }, { tls }, { now }) => {
    const next = evaluate(tls ? { ...state, tls } : state, now)
    return silent({ state: next.state, commands: [{ type: 'reconfigure', settled: false }, ...next.commands] })
  },

  noted: (state, { level, text, module }, { now }) =>
    module === undefined || isModuleLogged(state.settings, module, level)
      ? silent(emit(state, [{ kind: 'log', level, text }], now))
      : silent({ state, commands: [] }),

  'read-backups': ({ backupsFull: _, ...state }, { backups, fullPercent }, { now }) =>
    silent(evaluate({ ...state, backups, ...(fullPercent === undefined ? {} : { backupsFull: fullPercent }) }, now)),

  'job-progress': (state, { job, service, task, progress }, { now }) => {
    const text = `Job ${job}: ${task}: ${renderProgress(progress)}`
    return silent(
      announceOnly(state, { kind: 'job', level: 'INFO', text, server: service, data: { job, progress } }, now),
    )
  },

  'noted-job': (state, { job }, { now }) => {
    const { id, task, name, service, user, state: phase, startedAt, endedAt, result } = job
    const text = `Job ${id}: ${task} of ${name}, ${phase}${result === undefined ? '' : `: ${result}`}`
    const data = { job: id, task, phase, user, startedAt, endedAt: endedAt ?? null, result: result ?? null }
    return silent(announceOnly(state, { kind: 'job', level: 'DEBUG', text, server: service, data }, now))
  },

  'job-line': (state, { job, service, line }, { now }) =>
    silent(announceOnly(state, { kind: 'job', level: 'INFO', text: line, server: service, data: { job } }, now)),
} as const satisfies Partial<Handlers>

/**
 * It was away on request and answers again: it was started by hand, or what took it down ended with its manager. An action
 * that is under way here says itself when it has ended: until then a server may be started and stopped more than once.
 */
const isBack = (before: ServerSnapshot, after: ServerSnapshot): boolean =>
  after.stoppedOnRequest &&
  after.observation === 'answered' &&
  (before.observation === 'unseen' || before.observation === 'refused')

/**
 * The primary does not answer and its death is not proven yet: every probe of a witness may prove it. Of no interest while
 * a failover runs, whose own probes judge by what is known then.
 */
function isWitnessed({ snapshot, verdict }: ClusterState): boolean {
  const { operation } = snapshot
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
