// What a server is called by its state: the word that people, scripts and load balancers see.
import type { Role, ServerSnapshot, StateName } from '../../model/snapshot.js'
import { channelOf, isUnanswered } from './channel.js'
import type { DecideSettings } from './situation.js'

type Settings = Pick<
  DecideSettings,
  | 'replication-source-name'
  | 'failover-falsepositive-ping-counter'
  | 'failover-max-slave-delay'
  | 'check-replication-state'
>

/** Two refused probes so far apart prove that nothing listens. */
export const REFUSALS_APART_MS = 50

export interface StateInput {
  readonly role: Role
  readonly settings: Settings
  /** The primary role is being moved: threads that a plan stopped are no error, nor is that the old primary does not answer. */
  readonly moving: boolean
  /** It cannot reach its source: see `lostSource`. */
  readonly lost?: boolean
}

export function stateNameOf(server: ServerSnapshot, input: StateInput): StateName {
  const { settings } = input
  if (server.maintenance) return 'maintenance'
  if (server.observation === 'unseen') return 'suspect'
  if (server.observation === 'rejected') return isFull(server) ? byRole(server, input) : 'auth-error'
  if (server.observation === 'answered') return byRole(server, input)
  return hasFailed(server, settings) ? 'failed' : 'suspect'
}

/** Failed probes reached the limit. */
export const hasFailed = (
  server: Pick<ServerSnapshot, 'failures'>,
  settings: Pick<Settings, 'failover-falsepositive-ping-counter'>,
): boolean => server.failures >= settings['failover-falsepositive-ping-counter']

/** Refused twice, far enough apart: no process listens there. */
export const isGone = ({ observation, refusals, refusedSince, observedAt }: ServerSnapshot): boolean =>
  observation === 'refused' &&
  refusals >= 2 &&
  refusedSince !== undefined &&
  observedAt - refusedSince >= REFUSALS_APART_MS

/** Its name has no address: nothing was asked of the server, so its silence proves nothing. */
export const isUnresolved = ({ observation, error }: ServerSnapshot): boolean =>
  observation === 'silent' && error?.code === 'sql-unresolved'

/** It refused the login because every connection is taken: a busy server, not a wrong password. */
export const isFull = (server: ServerSnapshot): boolean =>
  isUserFull(server) || says(server, /\b1040\b|CON_COUNT|too many connections/i)

/** Those that one account may have are taken, by its own limit or by that for every account (max_user_connections). */
export const isUserFull = (server: ServerSnapshot): boolean => says(server, /\b(1203|1226)\b|TOO_MANY_USER|USER_LIMIT/i)

const says = ({ error }: ServerSnapshot, pattern: RegExp): boolean =>
  error !== undefined && pattern.test(`${error.code} ${error.message}`)

function byRole(server: ServerSnapshot, { role, settings, moving, lost = false }: StateInput): StateName {
  if (role === 'member') return server.state?.galera?.state ?? 'unsynced'
  if (role === 'primary') return placeIfLate(server) ?? role
  if (role === 'standalone') return role
  if (role === 'unknown') return server.state ? 'standalone' : 'suspect'
  const channel = channelOf(server, settings)
  if (moving && channel && (channel.ioError.code === 0 || isUnanswered(channel)) && channel.sqlError.code === 0)
    return role
  const isIncomplete = server.missingOwn !== undefined || server.ambiguous !== undefined
  if (lost || channel?.sql !== 'running' || channel.io === 'stopped' || isIncomplete) return `${role}-error`
  const limit = settings['failover-max-slave-delay']
  const late = (channel.lagSeconds ?? 0) - channel.delaySeconds
  return settings['check-replication-state'] && limit >= 0 && late > limit ? `${role}-late` : role
}

/** The place of a member that is not synced, though writes are sent to it because none is. */
function placeIfLate({ state }: ServerSnapshot): StateName | undefined {
  const place = state?.galera?.state
  return place === 'synced' ? undefined : place
}
