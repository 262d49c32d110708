// What is known of a server after one more probe: counters, kept states, arrivals. snapshot/build-snapshot.ts builds the snapshot.
import { keepEqual } from '../../base/keep-equal.js'
import { SECOND } from '../../base/time.js'
import { countTransactions } from '../../model/server/gtid.js'
import type { Channel, Reading, ServerState } from '../../model/server/reading.js'
import { isSameAddress } from '../../model/server/server.js'
import type { Arrival, ServerSnapshot } from '../../model/snapshot.js'
import { isStoppedOnly } from './channel.js'
import { limitedAs } from './foreign.js'
import { isGone } from './state-name.js'

/**
 * The server as known after `reading`. Failures count from when the failed probe began (silence was under way by
 * then), refusals from when they arrived. The last known state is kept while it does not answer; `rejected`
 * proves life and resets every count. A probe that ended earlier, or failed while a later one was answered, is ignored.
 */
export function applyReading(server: ServerSnapshot, reading: Reading, now: number): ServerSnapshot {
  const at = Math.min(reading.at, now)
  const began = at - reading.tookMs
  if (at < server.observedAt) return server
  const seen = { ...server, observation: reading.observation, observedAt: at, probeMs: reading.tookMs }
  switch (reading.observation) {
    case 'answered':
      return reading.state
        ? answered(withStart(seen, reading.state, server), {
            state: reading.state,
            at,
            from: at - (reading.readMs ?? reading.tookMs),
          })
        : server
    case 'rejected':
      return { ...alive(seen), ...errorOf(reading) }
    case 'refused':
    case 'silent':
      return began < (server.stateAt ?? 0) && server.failures === 0 ? server : failed(seen, reading, began)
  }
}

/** An answer to a light probe that takes longer than this is slow, milliseconds. */
export const SLOW_ANSWER_MS = 500

interface Answer {
  readonly state: ServerState
  readonly at: number
  readonly from: number
}

function answered(before: ServerSnapshot, { state, at, from }: Answer): ServerSnapshot {
  const { slowAnswersSince, reported, ...server } = before
  const restarted = hasRestarted(server, state, at)
  const isOther = server.state !== undefined && isAnother(server.state, state)
  return {
    ...alive(restarted ? withoutCause(server) : server),
    ...limitedAs(before, state),
    stateAt: at,
    stateFrom: from,
    arrivals: keepEqual(
      server.arrivals,
      Object.fromEntries(state.channels.map((channel) => [channel.name, arrival(server, channel, at)])),
    ),
    // What was seen of another server at this address says no more of the present one than of one before its restart.
    ...(restarted || isOther ? { restartedAt: at } : {}),
    ...(restarted && !isOther && !wasAsked(server) ? { restartedUnasked: true as const } : {}),
    ...(server.probeMs > SLOW_ANSWER_MS ? { slowAnswersSince: slowAnswersSince ?? at } : {}),
    ...(isOther || hasTurned(server.state, state) ? { turnedAt: at } : {}),
    ...(state.readOnly ? { closedAt: at } : { writableAt: at }),
    ...(state.semiSync.replicaActive ? { inSyncAt: at } : {}),
    ...(state.semiSync.sourceEnabled ? { semiSourceAt: at } : {}),
    ...paceOf(server, state, at),
  }
}

/** It was opened or closed, or has got other sources. */
const hasTurned = (before: ServerState | undefined, { readOnly, channels }: ServerState): boolean =>
  before !== undefined &&
  (before.readOnly !== readOnly ||
    before.channels.length !== channels.length ||
    before.channels.some(({ source }, at) => !channels[at] || !isSameAddress(source, channels[at].source)))

/** The first answer of a process comes so soon after the last sign that it was not there: too soon for a person to have acted. */
const FIRST_ANSWER_MS = 3 * SECOND

/** With what the first answer of a new process shows of how it and its replication start; `before`: as known without this answer. */
function withStart(seen: ServerSnapshot, state: ServerState, before: ServerSnapshot): ServerSnapshot {
  const isOther = before.state !== undefined && isAnother(before.state, state)
  if (!isOther && !hasRestarted(before, state, seen.observedAt)) return seen
  const { startedStopped, startedReadOnly, ...rest } = seen
  const isFirst =
    (before.observation === 'refused' || before.observation === 'answered') &&
    seen.observedAt - before.observedAt <= FIRST_ANSWER_MS
  if (!isFirst || isOther) return rest
  const started = { ...rest, startedReadOnly: state.readOnly }
  return state.channels.length > 0 ? { ...started, startedStopped: state.channels.every(isStoppedOnly) } : started
}

/** Addresses that were swapped, or a server in the place of another. */
const isAnother = (before: ServerState, now: ServerState): boolean =>
  before.serverNumber !== now.serverNumber ||
  (before.uuid !== undefined && now.uuid !== undefined && before.uuid !== now.uuid)

const wasAsked = ({ stoppedOnRequest, maintenance }: ServerSnapshot): boolean => stoppedOnRequest || maintenance

function withoutCause({ restartedUnasked, ...server }: ServerSnapshot): ServerSnapshot {
  return server
}

/** Counted once a second; a server at rest keeps the object that it has. */
function paceOf({ writes }: ServerSnapshot, { gtid }: ServerState, at: number): Pick<ServerSnapshot, 'writes'> {
  const count = countTransactions(gtid.executed)
  if (!writes) return { writes: { at, count, perSecond: 0 } }
  if (at - writes.at < SECOND || (count === writes.count && writes.perSecond === 0)) return {}
  return { writes: { at, count, perSecond: (Math.max(0, count - writes.count) / (at - writes.at)) * SECOND } }
}

function failed(server: ServerSnapshot, reading: Reading, began: number): ServerSnapshot {
  const { refusedSince, refusals, ...rest } = server
  const failing = {
    ...rest,
    ...errorOf(reading),
    failures: server.failures + 1,
    failingSince: server.failingSince ?? began,
  }
  if (reading.observation !== 'refused') return { ...failing, refusals: 0 }
  const refusing = { ...failing, refusals: refusals + 1, refusedSince: refusedSince ?? server.observedAt }
  return isGone(refusing) ? { ...refusing, ended: true } : refusing
}

function alive(server: ServerSnapshot): ServerSnapshot {
  const { failingSince, refusedSince, error, ended, ...rest } = server
  return { ...rest, failures: 0, refusals: 0 }
}

const errorOf = ({ error }: Reading): Pick<ServerSnapshot, 'error'> => (error ? { error } : {})

/**
 * The uptime fell, or the server started after it was last seen. Uptimes are whole seconds: where it may have, since it started
 * and was started again within a second, a refused connection in between shows it.
 */
function hasRestarted(before: ServerSnapshot, state: ServerState, at: number): boolean {
  if (!before.state || before.stateAt === undefined) return false
  const latest = at - state.uptimeSeconds * SECOND
  const startedAt = before.refusedSince === undefined ? latest - SECOND : latest
  return state.uptimeSeconds < before.state.uptimeSeconds || startedAt > before.stateAt
}

function arrival(before: ServerSnapshot, channel: Channel, at: number): Arrival {
  const earlier = before.arrivals?.[channel.name]
  const seen = before.state?.channels.find(({ name }) => name === channel.name)
  const grew =
    !earlier ||
    !seen ||
    seen.heartbeats !== channel.heartbeats ||
    seen.receivedMark !== channel.receivedMark ||
    (channel.io === 'running' && seen.io !== 'running')
  const lagSeconds = channel.lagSeconds ?? earlier?.lagSeconds
  return {
    at: grew ? at : earlier.at,
    ...(channel.io === 'running' ? {} : { downSince: earlier?.downSince ?? at }),
    ...(lagSeconds === undefined ? {} : { lagSeconds }),
  }
}
