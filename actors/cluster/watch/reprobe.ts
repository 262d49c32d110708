// Probes every server again before a primary changes, and decides again.

import { fail, ok, type Result } from '../../../lib/base/result.js'
import { now, SECOND, sleep } from '../../../lib/base/time.js'
import { isUnread, UNREAD_MS } from '../../../lib/decide/failover/election/eligibility.js'
import { electFrozen, judgeFailover, refuseFrozen } from '../../../lib/decide/failover/failover.js'
import { refuseOutdated } from '../../../lib/decide/failover/outdated.js'
import { unplannedEvents } from '../../../lib/decide/situation/events.js'
import type { Situation } from '../../../lib/decide/situation/situation.js'
import { isGone } from '../../../lib/decide/situation/state-name.js'
import { planSwitchover } from '../../../lib/decide/switchover/switchover.js'
import type { Command, Reprobe } from '../../../lib/model/operation/command.js'
import type { ServerId } from '../../../lib/model/server/server.js'
import { findServer, mainChannel, type ServerSnapshot } from '../../../lib/model/snapshot.js'
import type { Cluster } from '../state/message/cluster.js'
import type { ClusterState } from '../state/state.js'
import { situationOf } from '../state/step/evaluate.js'
import type { ReadLimit, TimeLeft } from './read-limit.js'
import { ROUND_TRIPS, SUSPECT_MS } from './schedule.js'
import type { Watch } from './watch.js'

/** A running cluster that can probe its servers again. */
export interface Reprobing extends Pick<Cluster, 'state' | 'tell'> {
  readonly watch: Pick<Watch, 'probeAll' | 'probed' | 'probedSlowly' | 'readHeldLocks' | 'timeLeft' | 'tryFreshLogins'>
}

/** Answers when the operation may go on with this candidate; the failure says what has changed. */
export async function reprobe(actor: Reprobing, command: Reprobe): Promise<Result<string>> {
  const { candidate, frozen = false, proof = false, outdated = false } = command
  if (outdated) return recheckOutdated(actor, candidate)
  if (proof && !(await untilProven(actor))) return fail('vetoed', 'the primary was not refused a second time')
  const moves = actor.state.snapshot.operation
  const moved = moves?.kind === 'switchover' ? [candidate, moves.oldPrimary] : []
  const left = actor.watch.timeLeft(idsOf(moved), ANSWER_LIMIT)
  if (!(await probeUntilSeen(actor, candidate, { frozen })))
    return fail(
      'sql-silent',
      `${nameIn(actor.state, candidate)} was not probed in time: probes of a busy manager prove nothing`,
    )
  await awaitAnswers(actor, moved, left)
  const unread = await readUnread(actor, moved)
  if (unread !== undefined)
    return fail('sql-silent', `the filters and variables of ${unread} could not be read in time`)
  // Its sessions are opened one after the other: the last one, in the middle of it, must not be the first to be refused.
  if (moves?.kind === 'switchover')
    await Promise.all([actor.watch.tryFreshLogins(FRESH_LOGIN_MS), actor.watch.readHeldLocks([candidate])])
  const { operation, ...snapshot } = actor.state.snapshot
  const situation = { ...situationOf(actor.state, now()), snapshot }
  const forced = operation !== undefined && operation.owner !== 'manager'
  const running = operation?.steps.map(({ command }) => command) ?? []
  if (operation?.kind === 'switchover')
    return recheckSwitchover(situation, candidate, { user: operation.owner, running })
  if (!frozen) return recheckFailover(situation, candidate, forced)
  return recheckFrozen(situation, candidate, { running, forced })
}

/**
 * Nothing is frozen yet, so nothing hangs on how soon a switchover goes on, and the limit of a probe is short: silence of a
 * server that is busy for a moment is no reason to undo it. It is probed again until it answers, or the time is over.
 */
export async function awaitAnswers(
  actor: { readonly state: Pick<ClusterState, 'snapshot'>; readonly watch: Pick<Watch, 'probeAll'> },
  servers: readonly (ServerId | undefined)[],
  left: TimeLeft,
): Promise<void> {
  const silent = () => servers.filter((id) => findServer(actor.state.snapshot, id)?.observation === 'silent')
  while (silent().length > 0 && left() > 0) {
    await actor.watch.probeAll((id) => !silent().includes(id))
    if (silent().length > 0) await sleep(SUSPECT_MS)
  }
}

/**
 * A switchover decides by what only slow probes read, too: it is read now of servers of which it was not yet, or that
 * restarted since. One slow probe that failed proves nothing while the server answers: it is asked again until the time is
 * over. The name of one that did not answer with it in time; undefined when all is read.
 */
export async function readUnread(
  actor: { readonly state: Pick<ClusterState, 'snapshot'>; readonly watch: Pick<Watch, 'probedSlowly' | 'timeLeft'> },
  servers: readonly (ServerId | undefined)[],
): Promise<string | undefined> {
  const unread = () => servers.flatMap((id) => findServer(actor.state.snapshot, id) ?? []).filter(isUnread)
  const left = actor.watch.timeLeft(idsOf(servers), UNREAD_LIMIT)
  for (;;) {
    const [first, ...others] = unread()
    if (first === undefined) return undefined
    const leftMs = left()
    if (leftMs <= 0 || first.observation === 'refused') return first.name
    const reading = [first, ...others].map(({ id }) => actor.watch.probedSlowly(id))
    const read = new AbortController()
    await Promise.race([Promise.all(reading), sleep(leftMs, read.signal)])
    read.abort()
    if (unread().length > 0) await sleep(Math.min(SUSPECT_MS, Math.max(left(), 0)))
  }
}

/**
 * Going back to the old primary needs no proof that it can be, unless another server takes writes by now. What is known of a server
 * that answered before the pause is from then: it is waited for too, as long as probes may take, and a failed probe that is thrown
 * away because this thread was late shows nothing of it.
 */
async function recheckOutdated(actor: Reprobing, candidate: ServerId): Promise<Result<string>> {
  const others = actor.state.snapshot.servers.filter(
    ({ id, observation }) => id !== candidate && observation === 'answered',
  )
  const isSeen = await probeUntilSeen(actor, candidate, { awaited: others.map(({ id }) => id) })
  const { operation, ...snapshot } = actor.state.snapshot
  if (!operation) return fail('deadline-passed', 'the operation has ended')
  if (!isSeen && candidate === operation.newPrimary)
    return fail('sql-silent', `${nameIn(actor.state, candidate)} was not probed in time, and the plan is outdated`)
  const situation = { ...situationOf(actor.state, now()), snapshot }
  const refusal = refuseOutdated(situation, candidate, operation)
  return refusal === undefined
    ? ok(`${nameIn(actor.state, candidate)} may still have the role`)
    : fail('vetoed', `the plan is outdated: ${refusal}`)
}

/** The second refusal comes with a probe that is due already; any other result of that probe ends the wait. */
async function untilProven(actor: Reprobing): Promise<boolean> {
  const until = now() + PROBE_MS
  for (;;) {
    const primary = findServer(actor.state.snapshot, actor.state.snapshot.operation?.oldPrimary)
    if (primary?.observation !== 'refused' || now() > until) return false
    if (isGone(primary)) return true
    await Promise.race([actor.watch.probed(primary.id), sleep(SUSPECT_MS)])
  }
}

/** Longest time for a login of the manager's own account before a switchover; one that does not end in it proves nothing. */
const FRESH_LOGIN_MS = 3 * SECOND

/** Longest time for probes that count; one that failed while this thread was late is thrown away. */
const PROBE_MS = 2 * SECOND

/** Two more probes of a server that is far away, each as long as a connection and an answer may take there. */
const ANSWER_LIMIT: ReadLimit = { baseMs: PROBE_MS, trips: 2 * ROUND_TRIPS }

/** A slow probe that opens its session, and one more where a statement of it was refused. */
const UNREAD_LIMIT: ReadLimit = { baseMs: UNREAD_MS, trips: 2 * ROUND_TRIPS }

const idsOf = (servers: readonly (ServerId | undefined)[]): readonly ServerId[] =>
  servers.filter((id) => id !== undefined)

/** What was seen so short a time ago is seen. */
const FRESH_MS = 25

interface Seeing {
  /** Of a replica only a probe counts that shows that it receives nothing any more. */
  readonly frozen?: boolean
  /** Servers whose answers are waited for as long as probes may take; silence of one is asked again. */
  readonly awaited?: readonly ServerId[]
}

/** Answers whether a probe of the candidate has ended since; every other server was probed as often. */
async function probeUntilSeen(
  actor: Reprobing,
  candidate: ServerId,
  { frozen = false, awaited = [] }: Seeing,
): Promise<boolean> {
  const since = now()
  const fresh = new Set(
    actor.state.snapshot.servers.filter((server) => isFresh(server, actor.state, frozen)).map(({ id }) => id),
  )
  const isSeen = (id: ServerId) => fresh.has(id) || (findServer(actor.state.snapshot, id)?.observedAt ?? 0) >= since
  const isHeard = (id: ServerId) => isSeen(id) && findServer(actor.state.snapshot, id)?.observation !== 'silent'
  for (;;) {
    await actor.watch.probeAll((id) => fresh.has(id))
    const isOver = now() - since >= PROBE_MS
    if (isSeen(candidate) && (isOver || awaited.every(isHeard))) break
    if (isOver) return false
    if (isSeen(candidate)) await sleep(SUSPECT_MS)
  }
  // A probe that showed nothing new did not change the snapshot: the decision needs it as of now.
  if (!isCurrent(actor.state)) actor.tell('tick', {})
  return true
}

/**
 * Seen a moment ago. Where replicas were stopped only a probe that shows it counts: it shows all that the server will
 * ever hold. The primary receives nothing.
 */
function isFresh(server: ServerSnapshot, { memory, settings }: ClusterState, frozen: boolean): boolean {
  if (now() - server.observedAt > FRESH_MS) return false
  if (!frozen || server.id === memory.primary || server.observation !== 'answered') return true
  const channel = mainChannel(server, settings['replication-source-name'])
  return channel === undefined || channel.io === 'stopped'
}

/** Every probe is in the snapshot, which is no older than probes may be. */
const isCurrent = ({ snapshot: { servers, at } }: ClusterState): boolean =>
  servers.every(({ observedAt }) => observedAt < at) && now() - at <= FRESH_MS

function recheckSwitchover(
  situation: Situation,
  candidate: ServerId,
  { user, running }: { readonly user: string; readonly running: readonly Command[] },
): Result<string> {
  const plan = planSwitchover(situation, { user, candidate })
  // Nothing was changed: it is refused, not undone.
  if (!plan.ok && plan.failure.code === 'wrong-state') return fail('vetoed', plan.failure.message)
  if (!plan.ok) return plan
  const old = findServer(situation.snapshot, situation.snapshot.primary)
  const unplanned = old && situation.snapshot.topology !== 'galera' ? unplannedEvents(old, running) : undefined
  return unplanned === undefined ? ok(`${nameIn(situation, candidate)} can take over`) : fail('vetoed', unplanned)
}

function recheckFailover(situation: Situation, candidate: ServerId, forced: boolean): Result<string> {
  const verdict = judgeFailover(situation, { forced })
  if (!forced && !verdict.primaryDead) return fail('vetoed', 'the primary answers again')
  if (!forced && !verdict.wouldFailOver) {
    const rules = verdict.rows.filter(({ state }) => state === 'closed' || state === 'waiting').map(({ rule }) => rule)
    return fail('vetoed', `no longer: ${rules.join(', ')}`)
  }
  return stillBest(situation, candidate, verdict.candidate) ?? ok(`the primary is dead (${verdict.evidence} evidence)`)
}

/** The replicas receive nothing any more, by the plan: what they hold is final, and only that is compared. */
function recheckFrozen(
  situation: Situation,
  candidate: ServerId,
  { running, forced }: { readonly running: readonly Command[]; readonly forced: boolean },
): Result<string> {
  const primary = findServer(situation.snapshot, situation.snapshot.primary)
  if (primary?.observation === 'answered' && primary.state?.readOnly === false)
    return fail('vetoed', `${primary.name} answers again and takes writes`)
  const election = electFrozen(situation, running, forced)
  const refusal = refuseFrozen(situation, election, { running, forced })
  const other = stillBest(situation, candidate, election.candidate)
  if (other) return other
  return refusal === undefined
    ? ok(`${nameIn(situation, candidate)} is the most advanced replica`)
    : fail('vetoed', refusal)
}

function stillBest(situation: Situation, candidate: string, elected: string | undefined): Result<never> | undefined {
  if (elected === candidate) return undefined
  const other = elected === undefined ? 'no server can take over' : `${nameIn(situation, elected)} would be`
  return fail('no-candidate', `${nameIn(situation, candidate)} is no longer the best candidate: ${other}`)
}

const nameIn = ({ snapshot }: Pick<Situation, 'snapshot'>, id: string): string => findServer(snapshot, id)?.name ?? id
