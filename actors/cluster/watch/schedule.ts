// When a server is probed next: event by event while something is wrong, gently while all is well.
import { SECOND } from '../../../lib/base/time.js'
import { isGone, REFUSALS_APART_MS } from '../../../lib/decide/situation/state-name.js'
import type { Watched } from '../../../lib/model/server/watched.js'
import { mainChannel, type ServerSnapshot } from '../../../lib/model/snapshot.js'

/** So long before the second probe of a primary that refused, its replicas are asked: their word is fresh then. */
const WITNESS_LEAD_MS = 10
/** Steps of probes while the primary or the server itself is suspect. */
export const SUSPECT_MS = 100
/** The primary, and its replicas while it is suspect, have this long for an answer over a kept session. */
const WITNESS_MS = 300
/** Fastest healthy probe: two statements each and the semi-sync status once a second, so at most five light ones. */
export const HEALTHY_MS = 500
/** Cost of one probe on the thread, for stretching the interval of large fleets: about a tenth of a core in probes. */
const THREAD_MS_PER_SERVER = 1
/** A death is fresh for so long; afterwards probes are fewer, so that a dead fleet does not keep the manager busy. */
const FRESH_MS = 30 * SECOND
const STALE_MS = SECOND / 2
/** A server that stays down is probed this often. */
const DOWN_MS = SECOND
/**
 * In a cluster of which nothing was ever up a server is probed after a tenth of the time for which it has been so, at most after this
 * long: nobody waits for its return, and many such clusters cost no more than others.
 */
const NEVER_UP_MS = 30 * SECOND
const NEVER_UP_SHARE = 0.1
/**
 * A former primary may be started open for writes at any moment. To be refused costs next to nothing, so that small
 * fleets knock this often, large ones at suspect steps.
 */
const KNOCK_MS = 25

export interface Pace {
  /** Servers that this thread watches, over all clusters. */
  readonly watched: number
  /** `monitoring-ticker`, milliseconds: the slowest healthy probe. */
  readonly tickerMs: number
}

/** Milliseconds between healthy probes: stretched with the number of servers on the thread, at most the ticker. */
export const healthyInterval = ({ watched, tickerMs }: Pace): number =>
  Math.min(Math.max(HEALTHY_MS, watched * THREAD_MS_PER_SERVER), Math.max(tickerMs, HEALTHY_MS))

export interface ProbeContext {
  readonly server: ServerSnapshot
  /** The primary does not answer: replicas are witnesses now. */
  readonly primarySuspect: boolean
  /** It was refused and is probed for the second time then: its replicas are asked just before, and have noticed. */
  readonly primaryProbeAt?: number
  readonly isPrimary: boolean
  /** It lost the primary role by a failover, or is losing it, or was to get it and does not: it may wake up writable. */
  readonly mayWakeWritable: boolean
  /** No server of the cluster was ever up, as far as the manager remembers, and none is acted on. */
  readonly neverUp?: boolean
  /** The cluster is only observed (`monitoring-observe`). */
  readonly observed?: boolean
  /** What its next slow probe reads besides what settings ask for. */
  readonly besides?: Watched
  readonly pace: Pace
}

/** Milliseconds until the next probe of a server after one that just ended; `hurriedAt`: when one was last asked for, 0 for never. */
export function nextProbe(context: ProbeContext, hurriedAt = 0): number {
  const { server, primarySuspect, isPrimary, mayWakeWritable, neverUp, pace } = context
  if (server.observation === 'answered') return primarySuspect ? witnessStep(context) : healthyInterval(pace)
  if (server.observation === 'rejected') return Math.max(healthyInterval(pace), SECOND)
  const again = refusedAgainAt(server)
  if (again !== undefined) return Math.max(again - server.observedAt, 1)
  if (!isPrimary && !mayWakeWritable && server.stateName !== 'suspect') {
    const since = Math.max(server.failingSince ?? server.observedAt, hurriedAt)
    return neverUp ? Math.min(Math.max(DOWN_MS, (server.observedAt - since) * NEVER_UP_SHARE), NEVER_UP_MS) : DOWN_MS
  }
  if (server.observedAt - (server.failingSince ?? server.observedAt) >= FRESH_MS) return STALE_MS
  const knocks = mayWakeWritable && server.observation === 'refused'
  return knocks ? Math.min(Math.max(KNOCK_MS, pace.watched), SUSPECT_MS) : SUSPECT_MS
}

function witnessStep({ server, primaryProbeAt = 0 }: ProbeContext): number {
  const left = primaryProbeAt - WITNESS_LEAD_MS - server.observedAt
  const hears = mainChannel(server)?.io === 'running'
  if (left > 0 && hears) return Math.min(left, WITNESS_LEAD_MS)
  return left > 0 ? left : SUSPECT_MS
}

/** When a server that was refused, and not yet for long enough, is probed again: two refusals so far apart are proof. */
export const refusedAgainAt = (server: ServerSnapshot): number | undefined =>
  server.observation !== 'refused' || server.refusedSince === undefined || isGone(server)
    ? undefined
    : server.refusedSince + REFUSALS_APART_MS

/** How far away a server is, and how long a new connection to it may take. */
export interface ProbeTimes {
  /** About one round trip to it, milliseconds; 0: not known. */
  readonly tripMs: number
  /** `db-servers-connect-timeout`, milliseconds. */
  readonly connectMs: number
}

/** Round trips that a probe with a new connection needs, with room to spare: a slow link is no silence. */
export const ROUND_TRIPS = 12

/**
 * How long one probe may take before it counts as silence. Short while silence must be distinguished from life; as long as a
 * connection may take at a server that is new or failed: a pending probe hears a waking server at once. At a server that is far
 * away it may take as long as a connection and an answer. A probe goes on for longer once a login has succeeded (`ServerProbe.check`).
 */
export function probeDeadline(context: ProbeContext, { tripMs, connectMs }: ProbeTimes): number {
  const patience = patienceFor(context, connectMs)
  return Math.min(Math.max(patience, ROUND_TRIPS * tripMs), Math.max(2 * connectMs, patience))
}

/** The time that a probe of a server nearby gets. */
function patienceFor({ server, isPrimary, primarySuspect }: ProbeContext, connectMs: number): number {
  if (server.observation === 'unseen' || server.stateName === 'failed') return connectMs
  if (server.observation !== 'answered') return SUSPECT_MS
  return isPrimary || primarySuspect ? WITNESS_MS : SECOND
}

/** Spreads the probes of a fleet evenly: a phase within the interval, derived from the server's id. */
export function phase(id: string, intervalMs: number): number {
  let hash = 2166136261
  for (let index = 0; index < id.length; index++) hash = Math.imul(hash ^ id.charCodeAt(index), 16777619)
  return (hash >>> 0) % intervalMs
}
