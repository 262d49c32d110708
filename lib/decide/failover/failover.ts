// The primary is dead: judge whether to act, and plan the failover. Nothing happens until the plan is run.
// Why it is safe, under which assumptions, and where it is not: SAFETY.md beside this file.
import { transactions } from '../../base/counted.js'
import { fail, ok, type Result } from '../../base/result.js'
import { SECOND } from '../../base/time.js'
import type { Command } from '../../model/operation/command.js'
import type { Plan } from '../../model/operation/operation.js'
import { countTransactions, subtract } from '../../model/server/gtid.js'
import { findServer, type ServerSnapshot } from '../../model/snapshot.js'
import type { FailoverVerdict } from '../../model/verdict.js'
import { applyDelayOf, isReachable } from '../situation/channel.js'
import { NO_FALLBACK_MS } from '../situation/durability.js'
import { failedLogin } from '../situation/fresh-login.js'
import { executedByOrigin, heldByOrigin } from '../situation/history/holdings.js'
import { heldBy } from '../situation/lock-wait.js'
import type { Situation } from '../situation/situation.js'
import { isGone } from '../situation/state-name.js'
import { cannotReplicate } from '../situation/stopping-defaults.js'
import { deniedLogin, shownFor } from '../situation/topology/source-login.js'
import { type Evidence, judgeEvidence } from './death/evidence.js'
import { type Election, elect } from './election/elect.js'
import { nameOf } from './election/eligibility.js'
import { forecastLoss, reportLoss } from './election/loss.js'
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
} from './hand-over.js'
import { judgeUnfit } from './unfit.js'
import type { VetoInput } from './veto/veto.js'
import { judgeElsewhere } from './veto/veto-candidate.js'
import { forecastSilent, judgeDurability } from './veto/veto-durability.js'
import { isPassable, judgeVetoes, standsInTheWay } from './veto/vetoes.js'

export interface FailoverRequest {
  readonly user: string
  /** A person asks and answers for it: rules against haste are passed, those against damage are not. */
  readonly forced: boolean
  /** The proof of the death is still to come: see `planAhead`. */
  readonly ahead?: boolean
}

const unasked: FailoverRequest = { user: 'manager', forced: false }

/** What would happen, and why: at any time, with a healthy primary too. */
export function judgeFailover(
  situation: Situation,
  { forced }: Pick<FailoverRequest, 'forced'> = unasked,
): FailoverVerdict {
  return examine(situation, forced).verdict
}

interface Examined {
  readonly verdict: FailoverVerdict
  readonly evidence: Evidence
  readonly election: Election
}

function examine(situation: Situation, forced: boolean): Examined {
  const { snapshot, now } = situation
  const primary = findServer(snapshot, snapshot.primary)
  const first = elect(situation, { kind: 'failover', forced })
  const evidence = judgeUnfit(judgeEvidence(situation), first, { situation, forced })
  const living = evidence.level === 'none' && primary !== undefined && isReachable(primary)
  const election = living ? ofLiving(situation, first, forced) : first
  const input = inputOf(situation, evidence, election)
  const rows = judgeVetoes(input)
  const primaryDead = evidence.level !== 'none'
  const verdict: FailoverVerdict = {
    at: now,
    wouldFailOver: primaryDead && !rows.some(standsInTheWay),
    primaryDead,
    primaryAnswers: primary !== undefined && isReachable(primary),
    evidence: evidence.level,
    rows,
    ...(primary ? { primary: primary.id } : {}),
    ...(election.candidate === undefined ? {} : { candidate: election.candidate }),
    ranking: election.ranking,
    loss: forecastSilent(situation, input.loss),
  }
  return { verdict, evidence, election }
}

/** The election as it is shown while the primary lives; made again only where it may differ. */
const ofLiving = (situation: Situation, first: Election, forced: boolean): Election =>
  first.donor === undefined && first.heldElsewhere.length === 0
    ? { ...first, living: true }
    : elect(situation, { kind: 'failover', forced, living: true })

function inputOf(situation: Situation, evidence: Evidence, election: Election): VetoInput {
  const primary = findServer(situation.snapshot, situation.snapshot.primary)
  return { situation, evidence, election, loss: forecastLoss(situation, election), ...(primary ? { primary } : {}) }
}

/**
 * The way from the dead primary to the candidate. Failures: `no-primary`, `primary-alive`, `operation-running`,
 * `no-candidate`, `vetoed` (with the sentences of the rows that block it).
 */
export function planFailover(situation: Situation, request: FailoverRequest = unasked): Result<Plan> {
  const examined = examine(situation, request.forced)
  const refusal = request.forced ? refuseForced(situation, examined) : refuse(examined)
  if (refusal) return refusal
  const roles = rolesOf(situation, examined.election)
  if (!roles) return fail('no-candidate', 'No server can take over.')
  const applyMs = (60 + 2 * (applyDelayOf(roles.candidate, situation.settings) ?? 0)) * SECOND
  const crash = crashOf(situation, roles, false)
  const opening = { situation, roles, applyMs }
  if (request.ahead && roles.donor)
    return fail(
      'vetoed',
      'Transactions held only by an ignored server are fetched after the death of the primary is confirmed.',
    )
  return ok({
    kind: 'failover',
    reason: request.forced ? `requested by ${request.user}: ${examined.evidence.reason}` : examined.evidence.reason,
    oldPrimary: roles.old.id,
    newPrimary: roles.candidate.id,
    commands: [
      ...(request.ahead ? beginAhead(opening) : begin(opening)),
      ...openNew(roles, { waitsMs: 10 * SECOND, semiSync: prepareSemiSync(situation, roles, roles.others) }),
      // Beside the replicas: with semi-sync the first commits wait for one of them, not for a proxy that hangs.
      { type: 'route-writes', primary: roles.candidate.id, bestEffort: true, concurrent: true },
      ...repointAll(roles),
      // Late, when no write waits for it: until then the journal holds the planned crash record.
      { type: 'record-crash', crash, bestEffort: true },
      ...moveEvents(situation, roles.candidate, true),
      ...enableEvents(situation, roles),
      markPrimary(situation, roles),
      ...runScript({ script: situation.settings['failover-post-script'], kind: 'failover', roles }),
      { type: 'report', text: reportOf(situation, roles, examined) },
    ],
    undo: undoFailover(roles),
    deadlineMs: applyMs * (roles.donor ? 3 : 1) + 60 * SECOND,
    crash,
  })
}

/** What happened, what was lost, and what happens to the old primary. */
function reportOf(situation: Situation, { candidate, old }: Roles, { verdict, evidence }: Examined): string {
  const { settings } = situation
  const next = settings.autorejoin
    ? `${old.name} will rejoin as a replica when it returns, unless it has errant transactions.`
    : `${old.name} will not rejoin automatically when it returns (autorejoin is off).`
  const loss = [
    reportLoss(verdict.loss),
    ...(evidence.level === 'weak' ? laterLoss(old, candidate) : []),
    ...loginWarning(candidate, situation),
    ...defaultsWarning(candidate),
    ...lockWarning(candidate),
    ...sessionWarnings(situation, old),
  ]
  return `${candidate.name} replaced ${old.name}. ${loss.join(' ')} ${next}`
}

/** A silent primary may live: where its commits do not wait without limit, what is proven ends with its semi-sync timeout. */
function laterLoss({ name, state }: ServerSnapshot, candidate: ServerSnapshot): readonly string[] {
  const { sourceEnabled = false, timeoutMs = 0 } = state?.semiSync ?? {}
  if (!sourceEnabled || timeoutMs >= NO_FALLBACK_MS) return []
  return [
    `${name} was silent and is not proven dead: if it could not be closed and lives, it acknowledges alone after its semi-sync timeout (${timeoutMs} ms), and ${candidate.name} does not get what it acknowledges then.`,
  ]
}

/** No failover waits for a login: what was found of it last is reported. */
function loginWarning(candidate: ServerSnapshot, situation: Situation): readonly string[] {
  const { name, login } = candidate
  if (!login || login.outdated || login.state === 'accepted' || shownFor(candidate, situation)) return []
  return login.state === 'denied'
    ? [`${name}: ${deniedLogin(login)}.`]
    : [
        `It is not known whether replicas can log in on ${name} as ${login.user}: ${login.message}. Check that they replicate.`,
      ]
}

/** A failover goes on with the sessions that are kept; the next act there has to log in. */
const sessionWarnings = ({ snapshot: { servers } }: Situation, old: ServerSnapshot): readonly string[] =>
  servers.flatMap((server) => {
    const refused = server.id === old.id || server.maintenance ? undefined : failedLogin(server)
    return refused === undefined ? [] : [`${server.name} ${refused}.`]
  })

function defaultsWarning(candidate: ServerSnapshot): readonly string[] {
  const stops = cannotReplicate(candidate, 'source')
  return stops === undefined ? [] : [`${candidate.name} ${stops}.`]
}

/** Users whose first write waits read whose lock it waits for. */
function lockWarning(candidate: ServerSnapshot): readonly string[] {
  const lock = heldBy(candidate)
  return lock === undefined ? [] : [`On ${candidate.name} ${lock}.`]
}

function refuse({ verdict }: Examined): Result<never> | undefined {
  if (verdict.wouldFailOver) return undefined
  const rows = verdict.rows.filter(standsInTheWay)
  if (rows.some(({ rule }) => rule === 'operation')) return fail('operation-running', sentences(rows, 'operation'))
  return fail('vetoed', rows.map(({ rule, sentence }) => `${rule}: ${sentence}`).join(' '))
}

function refuseForced({ snapshot }: Situation, { verdict, evidence }: Examined): Result<never> | undefined {
  const primary = findServer(snapshot, snapshot.primary)
  if (!primary) return fail('no-primary', 'The cluster has no primary that could be replaced.')
  const isNeeded = evidence.missing === undefined
  const lives = isNeeded && (primary.observation === 'answered' || primary.observation === 'rejected')
  const isHeard = evidence.witnesses.some(({ testimony }) => testimony === 'receives') && !isGone(primary)
  if (lives || isHeard || primary.observation === 'unseen') return fail('primary-alive', evidence.reason)
  const closed = verdict.rows.filter(({ rule, state }) => state === 'closed' && !isPassable(rule))
  const locked = verdict.rows.filter(({ rule, state }) => rule === 'candidate' && state === 'waiting')
  if (closed.length + locked.length === 0) return undefined
  if (closed.some(({ rule }) => rule === 'operation')) return fail('operation-running', sentences(closed, 'operation'))
  if (closed.some(({ rule }) => rule === 'candidate')) return fail('no-candidate', sentences(closed, 'candidate'))
  return fail('vetoed', [...closed, ...locked].map(({ rule, sentence }) => `${rule}: ${sentence}`).join(' '))
}

const sentences = (rows: FailoverVerdict['rows'], rule: string): string =>
  rows.flatMap((row) => (row.rule === rule ? row.sentence : [])).join(' ')

/**
 * The election repeated when no replica receives any more: the received sets are final now, and only they are compared. That
 * the running commands themselves have stopped them is no reason against them.
 */
export function electFrozen(situation: Situation, running: readonly Command[], forced = false): Election {
  const stopped = running.flatMap((command) => (command.type === 'stop-receiving' ? [command.server] : []))
  return elect(situation, { kind: 'failover', forced, stopped })
}

/**
 * The old primary answers again, closed by the fence of this plan, and holds what the candidate is missing: it is opened again, and
 * nothing is lost.
 */
function refuseReturned({ snapshot, settings }: Situation, { candidate: id }: Election): string | undefined {
  const primary = findServer(snapshot, snapshot.primary)
  const candidate = findServer(snapshot, id)
  if (primary?.observation !== 'answered' || !candidate) return undefined
  const more = countTransactions(subtract(executedByOrigin(primary), heldByOrigin(candidate, settings)))
  return more === 0
    ? undefined
    : `${primary.name} answers again, with ${transactions(more)} that ${candidate.name} is missing.`
}

/**
 * Why the plan must not continue: a frozen server holds transactions that the candidate is missing and the plan does not fetch.
 * Undefined when nothing speaks against it. A person who requested it accepts the loss of what cannot be fetched, as before.
 */
export function refuseFrozen(
  situation: Situation,
  election: Election,
  { running, forced = false }: { readonly running: readonly Command[]; readonly forced?: boolean },
): string | undefined {
  const { donor } = election
  const fetched = running.some(
    ({ type, ...command }) => type === 'catch-up' && 'source' in command && command.source === donor,
  )
  if (donor !== undefined && !fetched)
    return `${nameOf(situation, donor)} has received more by now; its transactions must be fetched first.`
  if (forced) return undefined
  const returned = refuseReturned(situation, election)
  if (returned !== undefined) return returned
  const elsewhere = judgeElsewhere({ situation, election })
  if (elsewhere.state === 'closed') return `${elsewhere.value}. ${elsewhere.sentence}`
  const apart = judgeDurability(inputOf(situation, judgeEvidence(situation), election))
  return apart.state === 'clear' ? undefined : apart.sentence
}

/** Longest wait for a receiving thread: on a semi-synchronous replica of a hung source it takes 2 s to stop. */
const STOP_MS = 5 * SECOND
interface Opening {
  readonly situation: Situation
  readonly roles: Roles
  readonly applyMs: number
}

const preScript = ({ situation, roles }: Opening): readonly Command[] =>
  runScript({ script: situation.settings['failover-pre-script'], kind: 'failover', roles })

/**
 * No client writes to the old primary and no replica receives from it any more: if it wakes up, no replica can get what the
 * candidate is missing, and the election that is repeated afterwards is final.
 */
const begin = (opening: Opening): readonly Command[] => {
  const { roles, applyMs } = opening
  return [
    { type: 'reprobe', candidate: roles.candidate.id },
    ...preScript(opening),
    ...closeOld(roles),
    ...stopReceiving(roles),
    { type: 'reprobe', candidate: roles.candidate.id, frozen: true },
    ...fetchMissing(roles, applyMs),
    { type: 'apply-received', server: roles.candidate.id, timeoutMs: applyMs, concurrent: true },
  ]
}

/** The same, with the replicas stopped while the death is being proven. */
const beginAhead = (opening: Opening): readonly Command[] => {
  const { roles, applyMs } = opening
  return [
    ...stopReceiving(roles),
    { type: 'reprobe', candidate: roles.candidate.id, frozen: true, proof: true },
    ...preScript(opening),
    ...closeOld(roles),
    { type: 'apply-received', server: roles.candidate.id, timeoutMs: applyMs, concurrent: true },
  ]
}

/** A dead server is passed by; one that hangs keeps the statement and carries it out first thing when it wakes up. */
const FENCE_MS = SECOND / 10
/** The statement over the session that is kept, and as much again: at a server that hangs each is waited for in vain. */
const FENCE_TRIPS = 2

const closeOld = ({ old }: Roles): readonly Command[] => [
  { type: 'fence', server: old.id, bestEffort: true, concurrent: true, timeoutMs: FENCE_MS, trips: FENCE_TRIPS },
  { type: 'route-writes', bestEffort: true, concurrent: true, timeoutMs: 2 * SECOND },
]

function stopReceiving({ candidate, donor, others }: Roles): readonly Command[] {
  const needed = new Set([candidate.id, donor?.id])
  const followers = [candidate, ...(donor ? [donor] : []), ...others.filter(({ id }) => !needed.has(id))].filter(
    ({ sourceId }) => sourceId !== undefined,
  )
  return followers.map(({ id }) => ({
    type: 'stop-receiving',
    server: id,
    concurrent: true,
    timeoutMs: STOP_MS,
    ...(needed.has(id) ? {} : { bestEffort: true }),
  }))
}

/** The candidate replicates from the donor until it has everything; the donor itself is not promoted. */
function fetchMissing({ candidate, donor }: Roles, timeoutMs: number): readonly Command[] {
  if (!donor) return []
  return [
    { type: 'apply-received', server: donor.id, timeoutMs },
    { type: 'apply-received', server: candidate.id, timeoutMs },
    { type: 'repoint', server: candidate.id, source: donor.id },
    { type: 'catch-up', server: candidate.id, source: donor.id, timeoutMs },
  ]
}

/**
 * Every replica receives again and the next judgement decides; harmless while the old primary is dead. The candidate is only
 * started, never repointed: what it received and did not apply yet may exist nowhere else.
 */
const undoFailover = ({ old, candidate, donor, others }: Roles): readonly Command[] => [
  ...[...new Set([candidate.id, ...(donor ? [donor.id] : []), ...others.map(({ id }) => id)])].map(
    (server): Command => ({
      type: 'start-replication',
      server,
      bestEffort: true,
      concurrent: true,
      timeoutMs: 2 * SECOND,
    }),
  ),
  { type: 'route-writes', primary: old.id, bestEffort: true },
]
