// What failover and switchover have in common: how the primary role passes to the candidate, as commands.
import { SECOND } from '../../base/time.js'
import type { Command } from '../../model/operation/command.js'
import type { Crash } from '../../model/operation/crash.js'
import { formatSet, isEmpty, noTransactions, union } from '../../model/server/gtid.js'
import type { ServerId } from '../../model/server/server.js'
import { findServer, type ServerSnapshot } from '../../model/snapshot.js'
import { channelOf, isReachable, receivedOf } from '../situation/channel.js'
import { missingWait } from '../situation/durability.js'
import { executedByOrigin } from '../situation/history/holdings.js'
import type { Situation } from '../situation/situation.js'
import { followersOf } from '../situation/topology/sources.js'
import type { Election } from './election/elect.js'
import { wasInSync } from './election/eligibility.js'
import { knownLoss } from './election/loss.js'

/** Who is who in a change of the primary. */
export interface Roles {
  readonly old: ServerSnapshot
  readonly candidate: ServerSnapshot
  /** Ignored server whose received events are fetched first. */
  readonly donor?: ServerSnapshot
  /** Reachable servers that follow the old primary and will follow the new one. */
  readonly others: readonly ServerSnapshot[]
}

export function rolesOf(situation: Situation, election: Election): Roles | undefined {
  const { snapshot } = situation
  const old = findServer(snapshot, snapshot.primary)
  const candidate = findServer(snapshot, election.candidate)
  const donor = findServer(snapshot, election.donor)
  if (!old || !candidate) return undefined
  // A server that holds more than the candidate keeps it: repointing would throw its relay log away.
  const stays = new Set([candidate.id, ...election.heldElsewhere.map(({ server }) => server)])
  const others = followersOf(snapshot.servers, old.id).filter(
    (server) => isReachable(server) && !server.maintenance && !stays.has(server.id),
  )
  return { old, candidate, others, ...(donor ? { donor } : {}) }
}

/** Repointing is quick on a server that answers; one that hangs must not hold up the others. */
const REPOINT_MS = 5 * SECOND

/** All other replicas to the candidate; `atOnce` when the old primary is alive and has everything as well. */
export const repointAll = (
  { others, candidate }: Pick<Roles, 'others' | 'candidate'>,
  atOnce = false,
): readonly Command[] =>
  others.map(({ id, delaySeconds }) => ({
    type: 'repoint',
    server: id,
    source: candidate.id,
    ...(atOnce ? { atOnce } : {}),
    ...(delaySeconds > 0 ? { delaySeconds } : {}),
    bestEffort: true,
    concurrent: true,
    timeoutMs: REPOINT_MS,
  }))

/**
 * The source side is switched on after the candidate stopped following and before it takes writes, and only when a
 * semi-synchronous replica is about to follow: then its first commits wait those few milliseconds, and every
 * acknowledged write is on two servers from the first on. One that has just missed a probe counts too, since opening
 * without waiting for it would acknowledge writes that no other server has; if it stays away, the first commits wait for
 * the timeout that the operator chose for that case. Without replicas it stays off, unless the policy is lossless; the
 * standing repair enables it as soon as a replica connects.
 */
export function prepareSemiSync(
  situation: Situation,
  { candidate, old }: Roles,
  followers: readonly ServerSnapshot[],
): readonly Command[] {
  const { semiSync } = candidate.state ?? {}
  if (!semiSync || semiSync.waitPoint === 'none') return []
  const { settings, memory } = situation
  const policy = settings['durability-policy']
  const observed = memory.semiSync ?? old.state?.semiSync.sourceEnabled ?? false
  const wanted = policy === 'observed' ? observed : policy !== 'async'
  const expected = [...followers, ...unheard(situation, { candidate, old })]
  const source = policy === 'lossless' || (wanted && expected.some(acknowledges))
  const waitMs = missingWait(candidate, settings)
  if (source === semiSync.sourceEnabled && waitMs === undefined) return []
  const sides = { source, replica: semiSync.replicaEnabled, ...(waitMs === undefined ? {} : { waitMs }) }
  // Under lossless no server takes writes that waits for no replica.
  const needed = policy === 'lossless' ? {} : { bestEffort: true }
  return [{ type: 'set-semi-sync', server: candidate.id, ...sides, ...needed }]
}

const acknowledges = ({ state }: ServerSnapshot): boolean => state?.semiSync.replicaEnabled === true

/** The old primary's commits did not wait for a replica that was silent for longer, whatever its timeout. */
const PATIENCE_MS = 10 * SECOND

/** Replicas of the old primary that do not answer now and did until about its end: they return any moment, by a rejoin. */
function unheard({ snapshot }: Situation, { candidate, old }: Pick<Roles, 'candidate' | 'old'>) {
  const patienceMs = Math.min(old.state?.semiSync.timeoutMs ?? 0, PATIENCE_MS)
  const since = (old.stateAt ?? 0) - patienceMs
  return followersOf(snapshot.servers, old.id).filter(
    ({ id, maintenance, observation, stateAt = 0 }) =>
      id !== candidate.id && !maintenance && observation === 'silent' && stateAt >= since,
  )
}

export interface Scripted {
  readonly script: string
  readonly kind: 'failover' | 'switchover'
  readonly roles: Roles
}

/** Arguments: old host, new host, old port, new port, two names of proxies' own words for them, the kind. */
export const runScript = ({ script, kind, roles: { old, candidate } }: Scripted): readonly Command[] =>
  script === ''
    ? []
    : [
        {
          type: 'run-script',
          script,
          args: [old.host, candidate.host, `${old.port}`, `${candidate.port}`, old.name, candidate.name, kind],
          bestEffort: true,
          timeoutMs: 30 * SECOND,
        },
      ]

/** The events scheduler moves with the role when the cluster is set so. */
export const moveEvents = (situation: Situation, server: ServerSnapshot, on: boolean): readonly Command[] =>
  situation.settings['failover-event-scheduler'] && server.state?.eventScheduler !== on
    ? [{ type: 'set-events', server: server.id, on, bestEffort: true }]
    : []

/** What was enabled on the old primary belongs to the role. Replicas disable it as they apply this. */
export function enableEvents(
  { settings, memory }: Situation,
  { old, candidate }: Roles,
  from?: ServerId,
): readonly Command[] {
  if (!settings['failover-event-status']) return []
  const known = old.slow?.events ?? (memory.events?.server === old.id ? memory.events.list : undefined)
  const events = known?.map(({ schema, name }) => ({ schema, name }))
  const source = { ...(from === undefined ? {} : { from }), ...(events ? { events } : {}) }
  return [{ type: 'enable-events', server: candidate.id, ...source, bestEffort: true }]
}

export interface Opening {
  /** Longest time of cutting loose and of opening, each, milliseconds. */
  readonly waitsMs: number
  /** Of `prepareSemiSync`. */
  readonly semiSync: readonly Command[]
}

/**
 * Cut loose, prepared, opened, in one go: nothing is waited for in between, no disk either. Together with what is
 * concurrent before it: cut loose when its neighbour before has ended, opened when everything has.
 */
export const openNew = ({ old, candidate, donor }: Roles, opening: Opening): readonly Command[] => [
  {
    type: 'promote',
    server: candidate.id,
    sources: [...new Set([old.id, candidate.sourceId, donor?.id])].filter((id) => id !== undefined),
    timeoutMs: opening.waitsMs,
    concurrent: true,
    after: 'neighbour',
  },
  ...opening.semiSync.map((command): Command => ({ ...command, concurrent: true, after: 'neighbour' })),
  { type: 'make-writable', server: candidate.id, timeoutMs: opening.waitsMs, concurrent: true, after: 'group' },
]

/** Its commit waits for an acknowledgement like any other: not for long when only a rejoin can bring one. */
export const markPrimary = (situation: Situation, roles: Roles): Command => {
  const waits = !roles.others.some(acknowledges) && unheard(situation, roles).some(acknowledges)
  const timeoutMs = waits ? SECOND / 4 : 5 * SECOND
  return { type: 'mark-primary', server: roles.candidate.id, bestEffort: true, timeoutMs }
}

/** What must be known of the old primary when it returns; the executor completes the new one's coordinates. */
export function crashOf(situation: Situation, { old, candidate, donor }: Roles, switchover: boolean): Crash {
  const { settings } = situation
  const channel = channelOf(candidate, settings)
  const lost = switchover ? noTransactions : knownLoss(situation, candidate, donor)
  const received = union(receivedOf(candidate, settings), donor ? receivedOf(donor, settings) : noTransactions)
  return {
    at: situation.now,
    oldPrimary: old.id,
    newPrimary: candidate.id,
    switchover,
    received,
    byOrigin: executedByOrigin(candidate),
    receivedText: candidate.state?.gtid.text.executed || formatSet(received),
    oldFile: channel?.readFile ?? '',
    oldPosition: channel?.readPosition ?? 0,
    newFile: '',
    newPosition: 0,
    inSync: wasInSync(candidate, old),
    ...(isEmpty(lost) ? {} : { lost }),
  }
}
