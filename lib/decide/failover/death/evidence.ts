// Is the primary dead? Its own answers, and what its replicas report: the manager's own connection alone never decides.
import { counted } from '../../../base/counted.js'
import { SECOND } from '../../../base/time.js'
import type { GtidSet } from '../../../model/server/gtid.js'
import type { Channel } from '../../../model/server/reading.js'
import type { ServerId } from '../../../model/server/server.js'
import { findServer, type ServerSnapshot } from '../../../model/snapshot.js'
import { channelOf, isReachable } from '../../situation/channel.js'
import type { DecideSettings, Situation } from '../../situation/situation.js'
import { hasFailed, isGone, isUnresolved } from '../../situation/state-name.js'
import { followersOf } from '../../situation/topology/sources.js'

/**
 * receives: its source is alive, this alone blocks a failover. cut-off: it lost its source and cannot reconnect. silent: it
 * received nothing for longer than any pause explains. quiet: nothing yet, but not long enough. outdated: its latest
 * probe is older than the failure. abstains: it was stopped, or its source answered and refused: no vote either way.
 */
export type Testimony = 'receives' | 'cut-off' | 'silent' | 'quiet' | 'outdated' | 'abstains'

export interface Witness {
  readonly server: ServerId
  readonly testimony: Testimony
  /** Milliseconds without anything received, at its latest probe, and how many prove silence. */
  readonly silentMs: number
  readonly neededMs: number
}

export interface Evidence {
  readonly level: 'none' | 'weak' | 'conclusive'
  readonly witnesses: readonly Witness[]
  readonly reason: string
  /** The primary lives and is not needed: what it is missing of the history, all of which the candidate holds. */
  readonly missing?: GtidSet
}

/**
 * Conclusive: refused twice, 50 ms apart, and every witness is cut off. Weak: the counter is reached, the silence
 * lasts as long as a replica's would have to, and every witness confirms. None: anything else; `rejected` is life, a name
 * that does not resolve is no death,
 * and a manager that reaches no other server of the cluster takes itself for the one cut off.
 */
export function judgeEvidence(situation: Situation): Evidence {
  const { snapshot, settings, now } = situation
  const primary = findServer(snapshot, snapshot.primary)
  if (!primary) return { level: 'none', witnesses: [], reason: 'The primary is not known.' }
  const witnesses = testimoniesOf(primary, situation)
  const verdict = (level: Evidence['level'], reason: string): Evidence => ({ level, witnesses, reason })
  if (primary.observation !== 'refused' && primary.observation !== 'silent')
    return verdict('none', `${primary.name} ${lifeSigns[primary.observation]}.`)
  if (primary.maintenance || primary.stoppedOnRequest)
    return verdict('none', `${primary.name} is in maintenance or stopped on request: this is not a failure.`)
  if (isUnresolved(primary))
    return verdict(
      'none',
      `The name of ${primary.name} does not resolve: the manager cannot judge whether it is alive.`,
    )
  if (some(witnesses, 'receives')) return verdict('none', `A replica still receives from ${primary.name}.`)
  if (some(witnesses, 'outdated')) return verdict('none', 'A replica has not been probed since the failure began.')
  const others = snapshot.servers.filter(({ id }) => id !== primary.id)
  if (others.length > 0 && !others.some(isReachable))
    return verdict('none', 'No other server answers either: the manager may be isolated.')
  const votes = witnesses.filter(({ testimony }) => testimony !== 'abstains')
  if (isGone(primary) && votes.length > 0 && votes.every(({ testimony }) => testimony === 'cut-off'))
    return verdict('conclusive', `${primary.name} refuses connections and its replicas lost it.`)
  if (isGone(primary) && votes.length === 0 && hasFailed(primary, settings))
    return verdict(
      'conclusive',
      `${primary.name} refused ${counted(primary.failures, 'probe')}; no replica can contradict.`,
    )
  return weigh(primary, votes, { settings, now, verdict })
}

const lifeSigns = {
  answered: 'answers',
  rejected: 'refuses the login, so it is alive',
  unseen: 'has not been probed yet',
} as const

interface WeighInput {
  readonly settings: DecideSettings
  readonly now: number
  verdict(level: Evidence['level'], reason: string): Evidence
}

function weigh(primary: ServerSnapshot, votes: readonly Witness[], { settings, now, verdict }: WeighInput): Evidence {
  const silentMs = now - (primary.failingSince ?? now)
  const neededMs = settings['failover-falsepositive-heartbeat'] ? heartbeatTimeout(settings) : 0
  if (!hasFailed(primary, settings))
    return verdict('none', `${primary.name} failed ${counted(primary.failures, 'probe')} so far.`)
  if (votes.length === 0) return verdict('none', `No replica can confirm whether ${primary.name} is alive.`)
  if (silentMs < neededMs) return verdict('none', `${primary.name} has been silent for only ${round(silentMs)} ms.`)
  if (some(votes, 'quiet')) return verdict('none', 'A replica may still be receiving from the primary.')
  return verdict('weak', `${primary.name} has been silent for ${round(silentMs)} ms and its replicas confirm it.`)
}

function testimoniesOf(primary: ServerSnapshot, { snapshot, settings }: Situation): readonly Witness[] {
  return followersOf(snapshot.servers, primary.id)
    .filter(isReachable)
    .flatMap((server) => {
      const channel = channelOf(server, settings)
      return channel ? [testimonyOf(server, channel, { primary, settings })] : []
    })
}

function testimonyOf(
  server: ServerSnapshot,
  channel: Channel,
  { primary, settings }: { readonly primary: ServerSnapshot; readonly settings: DecideSettings },
): Witness {
  const seenAt = server.stateAt ?? 0
  const receivedAt = server.lastReceivedAt ?? seenAt
  const silentMs = seenAt - receivedAt
  const neededMs = Math.max(heartbeatTimeout(settings), channel.heartbeatPeriodSeconds * SECOND + SECOND / 2)
  const witness = (testimony: Testimony): Witness => ({ server: server.id, testimony, silentMs, neededMs })
  if (primary.failingSince !== undefined && seenAt < primary.failingSince) return witness('outdated')
  if (channel.io === 'stopped') return witness('abstains')
  if (channel.io === 'connecting') return witness(isSourceGone(channel.ioError.code) ? 'cut-off' : 'abstains')
  if (silentMs >= neededMs) return witness('silent')
  if (primary.failingSince === undefined || receivedAt > primary.failingSince) return witness('receives')
  return witness(settings['failover-falsepositive-heartbeat'] ? 'quiet' : 'silent')
}

/** Errors of a receiving thread that lost its source; any other number is the source's own answer, so it lives. */
const isSourceGone = (code: number): boolean =>
  code === 0 || (code >= 2000 && code < 3000 && code !== UNKNOWN_HOST) || lostConnection.has(code)

/** CR_UNKNOWN_HOST: the replica cannot resolve the name of its source. It has asked no server, so it cannot testify. */
export const UNKNOWN_HOST = 2005

/** Shutdown in progress, the network errors of a broken connection, connection killed (MariaDB). */
const lostConnection: ReadonlySet<number> = new Set([1053, 1158, 1159, 1160, 1161, 1927])

const heartbeatTimeout = (settings: DecideSettings): number =>
  settings['failover-falsepositive-heartbeat-timeout'] * SECOND

const some = (witnesses: readonly Witness[], testimony: Testimony): boolean =>
  witnesses.some((witness) => witness.testimony === testimony)

const round = (ms: number): number => Math.round(ms)
