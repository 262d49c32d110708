// The primary role moves on request, while all servers are alive: freeze, catch up, hand over, and undo when it fails.
import { fail, ok, type Result } from '../../base/result.js'
import { SECOND } from '../../base/time.js'
import type { Command } from '../../model/operation/command.js'
import type { Plan } from '../../model/operation/operation.js'
import { isEmpty, noTransactions } from '../../model/server/gtid.js'
import { LOG_FULL } from '../../model/server/reading.js'
import { addressText, type ServerId } from '../../model/server/server.js'
import { channelsElsewhere, findServer, type ServerSnapshot } from '../../model/snapshot.js'
import { type Election, elect } from '../failover/election/elect.js'
import { UNREAD_MS } from '../failover/election/eligibility.js'
import {
  crashOf,
  enableEvents,
  markPrimary,
  moveEvents,
  openNew,
  prepareSemiSync,
  type Roles,
  repointAll,
  rolesOf,
  runScript,
} from '../failover/hand-over.js'
import { applyDelayOf, isReachable, isWritable } from '../situation/channel.js'
import { refuseEvents, runsEvents, stopEvents } from '../situation/events.js'
import { failedLogin } from '../situation/fresh-login.js'
import { refuseGalera } from '../situation/galera.js'
import { tooFewSessions } from '../situation/session-limit.js'
import type { Situation } from '../situation/situation.js'
import { cannotReplicate } from '../situation/stopping-defaults.js'
import { followersOf } from '../situation/topology/sources.js'
import { peersOf } from '../situation/topology/topology.js'
import { planGaleraSwitchover } from './galera-switchover.js'
import { checkLogin } from './login.js'

export interface SwitchoverRequest {
  readonly user: string
  /** A server that must become the primary; the election chooses otherwise. */
  readonly candidate?: ServerId
}

/**
 * MariaDB refuses a replica that is further in a domain than its source (error 1236): a former primary that goes on receiving from
 * another cluster could not follow a server that does not.
 */
function refuseForeign(primary: ServerSnapshot, candidate: ServerSnapshot | undefined): string | undefined {
  const { state } = primary
  if (state?.identity.flavour !== 'mariadb' || !candidate || candidate.foreignChannels) return undefined
  const running = channelsElsewhere(primary).filter(({ io, sql }) => io !== 'stopped' || sql !== 'stopped')
  const texts = running.map(({ name, source }) => `${addressText(source)} (channel ${name === '' ? 'default' : name})`)
  return texts.length === 0
    ? undefined
    : `${primary.name} also replicates from ${texts.join(', ')}: it could not follow ${candidate.name}, which is missing what comes from there. Stop that channel first.`
}

/** The election of a switchover, or why there can be none. Failures as `planSwitchover`. */
export function judgeSwitchover(
  situation: Situation,
  { candidate }: Pick<SwitchoverRequest, 'candidate'> = {},
): Result<Election> {
  const { snapshot } = situation
  const refusal = refuseGalera(snapshot)
  if (refusal) return refusal
  const primary = findServer(snapshot, snapshot.primary)
  if (snapshot.operation)
    return fail('operation-running', `${snapshot.operation.id} by ${snapshot.operation.owner} is running.`)
  if (!primary) return fail('no-primary', 'The cluster has no primary.')
  if (primary.observation === 'unseen')
    return fail('wrong-state', `The manager has not connected to ${primary.name} yet; try again in a few seconds.`)
  if (!isReachable(primary)) return fail('primary-failed', `${primary.name} does not answer (${primary.observation}).`)
  if (!isWritable(primary))
    return fail('wrong-state', `${primary.name} is read-only; make it writable before moving its role.`)
  const sessions = tooFewSessions(primary, 'switchover')
  if (sessions !== undefined) return fail('wrong-state', `${primary.name} ${sessions}.`)
  const refused = refuseParticipants(situation, primary)
  if (refused !== undefined) return fail('wrong-state', refused)
  if (primary.slow?.logFull) return fail('wrong-state', `${primary.name} ${LOG_FULL}.`)
  const events = refuseEvents(primary)
  if (events !== undefined) return fail('event-scheduler', events)
  if (candidate === primary.id) return fail('is-primary', `${primary.name} is already the primary.`)
  if (candidate !== undefined && !findServer(snapshot, candidate))
    return fail('unknown-server', `No server is called ${candidate}.`)
  const election = elect(situation, { kind: 'switchover', ...(candidate === undefined ? {} : { wanted: candidate }) })
  const stays = refuseForeign(primary, findServer(snapshot, election.candidate))
  if (stays !== undefined) return fail('wrong-state', stays)
  if (election.candidate !== undefined) return ok(election)
  const rows = election.ranking.filter(({ server }) => candidate === undefined || server === candidate)
  return fail('no-candidate', rows.map(({ reason }) => reason).join(' ') || 'There is no other server.')
}

/** The servers that get another source by it: each is acted on, and its replication begins again. The candidate is judged by the election. */
function refuseParticipants({ snapshot }: Situation, primary: ServerSnapshot): string | undefined {
  for (const server of [primary, ...followersOf(snapshot.servers, primary.id)]) {
    if (server.maintenance || !isReachable(server)) continue
    const refused = failedLogin(server)
    if (refused !== undefined) return `${server.name} ${refused}.`
    const stops = cannotReplicate(server, 'replica')
    if (stops !== undefined) return `${server.name} ${stops}.`
  }
  return undefined
}

/** In a plan nobody has requested it yet. */
export const requestedBy = ({ user }: Pick<SwitchoverRequest, 'user'>): string =>
  user === '' ? '' : `, requested by ${user}`

/**
 * The steps of a switchover. Failures: `operation-running`, `no-primary`, `primary-failed`, `wrong-state`, `event-scheduler`,
 * `is-primary`, `unknown-server`, `no-candidate`.
 */
export function planSwitchover(situation: Situation, request: SwitchoverRequest): Result<Plan> {
  if (situation.snapshot.topology === 'galera') return planGaleraSwitchover(situation, request)
  const judged = judgeSwitchover(situation, request)
  if (!judged.ok) return judged
  const roles = rolesOf(situation, judged.value)
  if (!roles) return fail('no-candidate', 'No server can take over.')
  const times = timesOf(situation, roles)
  const crash = crashOf(situation, roles, true)
  return ok({
    kind: 'switchover',
    reason: `requested by ${request.user}`,
    oldPrimary: roles.old.id,
    newPrimary: roles.candidate.id,
    commands: [
      { type: 'reprobe', candidate: roles.candidate.id, timeoutMs: UNREAD_MS + 3 * SECOND },
      checkLogin(situation, roles.candidate),
      ...checkLogs(roles),
      ...guard(situation, roles, times),
      // Before a script does anything that is not undone: this step may refuse.
      ...closeEvents(situation, roles.old),
      ...runScript({ script: situation.settings['failover-pre-script'], kind: 'switchover', roles }),
      ...freeze(situation, roles, times),
      ...handOver(situation, roles),
      ...settle(situation, roles),
      { type: 'record-crash', crash, bestEffort: true },
      ...runScript({ script: situation.settings['failover-post-script'], kind: 'switchover', roles }),
      {
        type: 'report',
        text: `${roles.candidate.name} took over from ${roles.old.name}${requestedBy(request)}.`,
      },
    ],
    undo: undoSwitchover(situation, roles),
    deadlineMs: times.guardMs + times.freezeMs + times.catchUpMs + 30 * SECOND,
    crash,
  })
}

/**
 * A candidate with history of another cluster may have deleted the binary logs of it: no server of this cluster ever had that, so none
 * could follow. What it has of the cluster's own, the old primary has.
 */
function checkLogs({ old, candidate }: Roles): readonly Command[] {
  const { foreignChannels, state } = candidate
  const isShared = foreignChannels !== undefined || !isEmpty(state?.gtid.foreign ?? noTransactions)
  return isShared ? [{ type: 'check-logs', server: candidate.id, source: old.id }] : []
}

interface Times {
  readonly guardMs: number
  readonly freezeMs: number
  readonly catchUpMs: number
}

/** Longest wait for the candidate, heldElsewhere the delay it has already. */
const PATIENCE_MS = 10 * SECOND

/** A candidate that has nothing left to apply is cut loose and opened in milliseconds, unless it hangs. */
const HAND_OVER_MS = 3 * SECOND

function timesOf({ settings }: Situation, { candidate }: Roles): Times {
  return {
    guardMs: settings['switchover-wait-trx'] * SECOND,
    freezeMs: Math.max(settings['switchover-wait-kill'], SECOND),
    catchUpMs: PATIENCE_MS + (applyDelayOf(candidate, settings) ?? 0) * SECOND,
  }
}

const guard = ({ settings }: Situation, { old }: Roles, { guardMs }: Times): readonly Command[] => [
  {
    type: 'guard-long-writes',
    server: old.id,
    longerThanSeconds: settings['switchover-wait-write-query'],
    waitMs: guardMs,
    timeoutMs: guardMs + 5 * SECOND,
  },
]

/** From here to `make-writable` no client can write. A peer of a pair stops receiving from its partner first. */
const freeze = (
  situation: Situation,
  { old, candidate }: Roles,
  { freezeMs, catchUpMs }: Times,
): readonly Command[] => [
  ...(follows(situation, old.id) ? [{ type: 'stop-replication', server: old.id } as const] : []),
  { type: 'route-writes', bestEffort: true, concurrent: true, timeoutMs: 2 * SECOND },
  { type: 'freeze', server: old.id, concurrent: true, timeoutMs: freezeMs },
  { type: 'catch-up', server: candidate.id, source: old.id, timeoutMs: catchUpMs },
]

/**
 * An event runs with the privileges of its definer: on MariaDB read-only does not stop one of root's, so the scheduler never
 * stays on where the role was given up, and where it cannot be stopped the role stays. It goes with the role, to which the
 * events belong.
 */
const closeEvents = (situation: Situation, old: Roles['old']): readonly Command[] =>
  runsEvents(old) ? stopEvents(old) : moveEvents(situation, old, false)

const startEvents = (situation: Situation, { old, candidate }: Roles): readonly Command[] =>
  runsEvents(old) && candidate.state?.eventScheduler === false
    ? [{ type: 'set-events', server: candidate.id, on: true, bestEffort: true }]
    : moveEvents(situation, candidate, true)

const follows = ({ snapshot }: Situation, id: ServerId): boolean => peersOf(snapshot.servers, id).length > 0

/** The old primary follows within milliseconds, so it counts among the replicas that will acknowledge. */
const handOver = (situation: Situation, roles: Roles): readonly Command[] => [
  ...openNew(roles, {
    waitsMs: HAND_OVER_MS,
    semiSync: prepareSemiSync(situation, roles, [...roles.others, acknowledging(roles)]),
  }),
]

/** The old primary as it will be: its replica side is switched on as it becomes one. */
function acknowledging({ old }: Roles): Roles['old'] {
  if (!old.state) return old
  return {
    ...old,
    state: { ...old.state, semiSync: { ...old.state.semiSync, replicaEnabled: old.state.semiSync.sourceEnabled } },
  }
}

function settle(situation: Situation, roles: Roles): readonly Command[] {
  const { old, candidate } = roles
  return [
    { type: 'route-writes', primary: candidate.id, bestEffort: true, concurrent: true },
    // The replicas first: with semi-sync the first commits wait for one of them.
    { type: 'unfreeze', server: old.id, writable: false, bestEffort: true, concurrent: true, timeoutMs: 5 * SECOND },
    ...repointAll(roles, true),
    ...demoteSemiSync(roles),
    {
      type: 'repoint',
      server: old.id,
      source: candidate.id,
      demote: true,
      bestEffort: true,
      timeoutMs: 10 * SECOND,
    },
    ...startEvents(situation, roles),
    ...enableEvents(situation, roles, old.id),
    markPrimary(situation, roles),
    ...(situation.settings['switchover-end-sessions']
      ? [{ type: 'end-sessions', server: old.id, bestEffort: true } as const]
      : []),
  ]
}

function demoteSemiSync({ old }: Roles): readonly Command[] {
  const semiSync = old.state?.semiSync
  if (!semiSync?.sourceEnabled) return []
  return [{ type: 'set-semi-sync', server: old.id, source: false, replica: true, bestEffort: true }]
}

/**
 * Until the candidate is writable everything can go back. The old primary takes writes first, the rest follows. The executor closes
 * the candidate before all this, unless the plan did nothing to it: then only a person can have opened it.
 */
function undoSwitchover(situation: Situation, { old, candidate }: Roles): readonly Command[] {
  const semiSync = candidate.state?.semiSync
  return [
    { type: 'unfreeze', server: old.id, writable: true, bestEffort: true, timeoutMs: 5 * SECOND },
    {
      type: 'make-writable',
      server: old.id,
      checked: true,
      bestEffort: true,
      timeoutMs: 5 * SECOND,
      ...(follows(situation, old.id) ? { replicating: true } : {}),
    },
    { type: 'route-writes', primary: old.id, bestEffort: true, timeoutMs: 5 * SECOND },
    ...(closeEvents(situation, old).length > 0
      ? [{ type: 'set-events', server: old.id, on: true, bestEffort: true } as const]
      : []),
    ...(semiSync && semiSync.waitPoint !== 'none'
      ? [
          {
            type: 'set-semi-sync',
            server: candidate.id,
            source: false,
            replica: semiSync.replicaEnabled,
            bestEffort: true,
          } as const,
        ]
      : []),
    // A candidate that hangs is brought back by the standing rules when it wakes up.
    { type: 'repoint', server: candidate.id, source: old.id, bestEffort: true, timeoutMs: 3 * SECOND },
    ...(follows(situation, old.id) ? [{ type: 'start-replication', server: old.id, bestEffort: true } as const] : []),
  ]
}
