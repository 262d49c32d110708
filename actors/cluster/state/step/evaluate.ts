// One judgement of a cluster: readings → snapshot → findings and verdict → what to do next. Pure.

import { keepEqual } from '../../../../lib/base/keep-equal.js'
import { isoTime } from '../../../../lib/base/time.js'
import { copiedPointMs, judgeLogStorage, recoveryPointMs } from '../../../../lib/decide/backup/log-storage.js'
import { judgePolicy } from '../../../../lib/decide/backup/policy.js'
import { noteState } from '../../../../lib/decide/cluster-state.js'
import { judgeCondition } from '../../../../lib/decide/condition.js'
import { planAhead } from '../../../../lib/decide/failover/ahead.js'
import { judgeAttempts, keepAttempts, lockedOutIn, mayAttempt } from '../../../../lib/decide/failover/attempts.js'
import { planFailover } from '../../../../lib/decide/failover/failover.js'
import { judgeCluster, withoutMinor } from '../../../../lib/decide/judge.js'
import { intentionFindings, listIntentions } from '../../../../lib/decide/observe.js'
import { planRejoin } from '../../../../lib/decide/repair/rejoin.js'
import { planRepair, urgentFences } from '../../../../lib/decide/repair/repair.js'
import type { Situation } from '../../../../lib/decide/situation/situation.js'
import { noteFences } from '../../../../lib/decide/situation/snapshot/fences.js'
import { givesWay } from '../../../../lib/decide/situation/snapshot/rival.js'
import { planReturn } from '../../../../lib/decide/switchover/return-role.js'
import { judgeJobTables } from '../../../../lib/decide/upkeep/job-table.js'
import { judgeCaptures } from '../../../../lib/decide/watching/captures.js'
import { judgeOperation } from '../../../../lib/decide/watching/failed-operation.js'
import { judgeLateness } from '../../../../lib/decide/watching/lateness.js'
import { judgeLeftFiles } from '../../../../lib/decide/watching/left-files.js'
import { judgeUndone } from '../../../../lib/decide/watching/left-undone.js'
import { judgeLists } from '../../../../lib/decide/watching/listed-hosts.js'
import { listModuleLines } from '../../../../lib/decide/watching/module-lines.js'
import { judgeRevoked } from '../../../../lib/decide/watching/revoked-work.js'
import type { Finding } from '../../../../lib/model/finding.js'
import type { FindingCode } from '../../../../lib/model/findings.js'
import { isModuleLogged } from '../../../../lib/model/log-module.js'
import type { Memory } from '../../../../lib/model/memory.js'
import type { Command } from '../../../../lib/model/operation/command.js'
import { isMinor, type Operation, type Plan } from '../../../../lib/model/operation/operation.js'
import { isRolling } from '../../../../lib/model/operation/roll.js'
import type { Snapshot } from '../../../../lib/model/snapshot.js'
import { findServer } from '../../../../lib/model/snapshot.js'
import { judgeProxies } from '../../../../lib/proxy/standing.js'
import { advanceSla, closeDue, type SlaState } from '../sla.js'
import type { ClusterState } from '../state.js'
import { unreadFindings } from '../unread.js'
import { compareSnapshots, type EventDraft } from './changes.js'
import { emit, REST_MS, restKey, type Step } from './emit.js'
import { isObserved } from './observed.js'
import { beginOperation } from './operation.js'
import { topologyEvents } from './topology-event.js'

/** The situation as decisions see it: a minor operation (rejoin, repair) never blocks a failover. */
export function situationOf(state: ClusterState, now: number): Situation {
  return {
    snapshot: withoutMinor(state.snapshot),
    settings: state.settings,
    memory: state.memory,
    now,
    ...refusedBy(state),
  }
}

/** What a failover of this death met is judged with the next one. */
function refusedBy({ attempts }: ClusterState): Pick<Situation, 'lockedOut'> {
  const lockedOut = lockedOutIn(attempts)
  return lockedOut === undefined ? {} : { lockedOut }
}

/** Judges the cluster again and begins what has to be done. `before`: the snapshot that changes are reported against. */
export function evaluate(state: ClusterState, now: number, before = state.snapshot): Step {
  const judged = withFences(judge(state, now, before), now)
  const next = judged.state.ready && !isObserved(judged.state) ? nextPlan(judged.state, now) : undefined
  if (next === 'abort-minor') return { state: judged.state, commands: [...judged.commands, { type: 'abort' }] }
  if (next === undefined) return judged
  const started = beginOperation(judged.state, { plan: next, owner: 'manager', now })
  return { state: started.state, commands: [...judged.commands, ...started.commands] }
}

/** A former primary that wakes up is closed at once, whatever else is going on. */
function withFences({ state, commands }: Step, now: number): Step {
  const { operation } = state.snapshot
  if (!state.ready || !operation || givesWay(state.snapshot)) return { state, commands }
  const fences = urgentFences({ ...situationOf(state, now), snapshot: state.snapshot }).filter(
    (fence) => !isUnderWay(fence, operation),
  )
  if (fences.length === 0) return { state, commands }
  // Remembered before it is sent: no later manager takes it for a person's act.
  return {
    state: { ...state, memory: noteFences(state.memory, fences, now) },
    commands: [...commands, { type: 'persist' }, ...fences.map((command) => ({ type: 'perform', command }) as const)],
  }
}

/** The running operation fences that server itself. */
const isUnderWay = (fence: Command, { steps }: Operation): boolean =>
  steps.some(
    ({ command, state }) =>
      command.type === 'fence' &&
      'server' in fence &&
      command.server === fence.server &&
      (state === 'waiting' || state === 'running'),
  )

/** Builds the snapshot, compares it with the last one and says what changed. */
export function judge(state: ClusterState, now: number, before = state.snapshot): Step {
  const { servers, operation } = state.snapshot
  const judged = judgeCluster({
    cluster: state.name,
    servers,
    memory: state.memory,
    settings: state.settings,
    now,
    ...refusedBy(state),
    ...(state.tenure ? { tenure: state.tenure } : {}),
    ...(state.confirmed === undefined ? {} : { confirmed: state.confirmed }),
    ...(operation ? { operation } : {}),
    ...(state.snapshot.rivalry ? { rivalry: state.snapshot.rivalry } : {}),
    ...(state.lastOperation ? { lastOperation: state.lastOperation } : {}),
  })
  const intentions = listIntentions({ ...judged, settings: state.settings, now }, state.intentions ?? [])
  const attempts = keepAttempts(state.attempts, judged.snapshot)
  const snapshot = withStanding(judged.snapshot, { ...state, attempts, intentions })
  const changes = compareSnapshots(before, snapshot)
  const next: ClusterState = {
    ...state,
    // Before every server was probed nothing is known of the cluster as a whole.
    memory: state.ready ? noteState(judged.memory, snapshot, now) : judged.memory,
    snapshot,
    attempts,
    ...closeDue(
      { sla: advanceSla(state.sla, slaState(before, state.memory), now), slaHistory: state.slaHistory },
      state.settings,
      now,
    ),
    intentions: keepEqual(state.intentions ?? [], intentions),
  }
  // Judgements repeat each other: what they have in common is kept once, and the copies die young.
  const verdict = keepEqual(state.verdict, judged.verdict)
  const emitted = emit(
    { ...next, verdict },
    [...changes.events, ...topologyEvents(before, snapshot), ...moduleEvents(state, { snapshot, verdict }, before)],
    now,
  )
  return {
    state: emitted.state,
    commands: [
      ...emitted.commands,
      ...changes.opened.map((finding) => ({ type: 'notify-finding', finding, opened: true }) as const),
      ...changes.opened.map((finding) => ({ type: 'capture', finding }) as const),
      ...changes.closed.map((finding) => ({ type: 'notify-finding', finding, opened: false }) as const),
      ...changes.states.map((change) => ({ type: 'notify-state', ...change }) as const),
      ...(needsSaving(state.memory, next.memory) || isLost(before, snapshot) ? [{ type: 'persist' } as const] : []),
      { type: 'publish' },
      // No plan has moved it: the proxies are configured at once all the same.
      ...(snapshot.topology === 'galera' && snapshot.primary !== before.primary
        ? [{ type: 'align-proxies' } as const]
        : []),
    ],
  }
}

/** What has to be done now, most urgent first; undefined when nothing has, or when it must wait. */
function nextPlan(state: ClusterState, now: number): Plan | 'abort-minor' | undefined {
  const situation = situationOf(state, now)
  const { operation } = state.snapshot
  if (state.verdict.wouldFailOver) {
    if (operation) return isMinor(operation) ? 'abort-minor' : undefined
    const plan = planFailover(situation)
    return plan.ok && mayAttempt(state.attempts, plan.value.commands, { seen: state.snapshot, now })
      ? plan.value
      : undefined
  }
  if (operation || state.settings['monitoring-pause'] || givesWay(state.snapshot)) return undefined
  const ahead = isRested(state, now) ? planAhead(situation) : undefined
  if (ahead) return ahead
  const returning = isRolling(state.roll) ? undefined : planReturn(situation)
  for (const plan of [planRejoin(situation), planRepair(situation), returning])
    if (plan && (state.restUntil[restKey(plan)] ?? 0) <= now) return plan
  return undefined
}

/** After a failover that did not succeed, nothing is changed for REST_MS. */
const isRested = ({ lastOperation }: ClusterState, now: number): boolean =>
  lastOperation?.kind !== 'failover' ||
  lastOperation.phase === 'succeeded' ||
  now - (lastOperation.endedAt ?? now) > REST_MS

/** Of failovers that are repeated: each would open and close them again. */
const saidByAttempts: ReadonlySet<string> = new Set<FindingCode>(['ERR00001', 'WARN0023'])

function withStanding(snapshot: Snapshot, state: ClusterState): Snapshot {
  const standing: Finding[] = state.standing.filter(
    ({ server }) => server === undefined || findServer(snapshot, server),
  )
  const ignored = new Set<string>(state.settings['monitoring-ignore-errors'])
  const findings = [
    ...snapshot.findings,
    ...standing,
    ...unreadFindings(state.unread).filter(({ server }) => findServer(snapshot, server)),
    ...judgeJobTables(state.jobTables).filter(({ server }) => findServer(snapshot, server)),
    ...unusableTls(state),
    ...rollFindings(state),
    ...appointmentFindings(state),
    ...judgeRevoked(state.memory.revoked, snapshot.at),
    ...judgeProxies(state.proxies),
    ...(state.attempts ? judgeAttempts(state.attempts, snapshot) : judgeOperation(state.lastOperation, snapshot.at)),
    ...judgeUndone(state.memory, snapshot.at),
    ...judgeLeftFiles(state.lastOperation, snapshot, state.settings),
    ...judgeLogStorage(state.logStorage, { backups: state.backups ?? [], now: snapshot.at }),
    ...judgeCaptures(state.capturing),
    ...judgeLateness(state.lateness, snapshot.at),
    ...judgeLists(state.settings, snapshot.servers),
    ...judgePolicy(
      {
        backups: state.backups,
        behindMs: recoveryPointMs(state.logStorage, snapshot.at),
        copyBehindMs: copiedPointMs(state.logStorage, snapshot.at),
        fullPercent: state.backupsFull,
      },
      state.settings,
      snapshot.at,
    ),
    ...wouldRoute(state),
    ...(state.ready ? intentionFindings(state.intentions ?? []) : []),
    ...state.announced,
  ].filter(({ code }) => !ignored.has(code) && !(state.attempts && saidByAttempts.has(code)))
  return { ...snapshot, findings: keepEqual(state.snapshot.findings, findings) }
}

/** Lines of the modules that the settings ask for. */
function moduleEvents(
  { settings, verdict }: ClusterState,
  after: Pick<ClusterState, 'snapshot' | 'verdict'>,
  before: Snapshot,
): readonly EventDraft[] {
  const lines = listModuleLines(
    { snapshot: before, candidate: verdict.candidate },
    { snapshot: after.snapshot, candidate: after.verdict.candidate },
  )
  return lines.flatMap(({ module, text, server }) =>
    isModuleLogged(settings, module, 'INFO')
      ? [{ kind: 'log', level: 'INFO', text, ...(server === undefined ? {} : { server }) } as const]
      : [],
  )
}

function unusableTls({ tls: { unusable, outdated } = {} }: ClusterState): readonly Finding[] {
  if (unusable !== undefined) return [{ code: 'ERR00119', detail: `${unusable}. No database is asked until then.` }]
  if (outdated === undefined) return []
  return [{ code: 'ERR00119', detail: `${outdated}. Sessions go on with what was read before.` }]
}

/** The routes that proxies of an observed cluster would be given. */
function wouldRoute(state: ClusterState): readonly Finding[] {
  const { proxies, snapshot } = state
  const primary = findServer(snapshot, snapshot.primary)
  if (!isObserved(state) || proxies.length === 0 || !primary) return []
  const named = proxies.map(({ host, port }) => `${host}:${port}`).join(', ')
  return [{ code: 'WARN0354', detail: `Writes to ${primary.name} on ${named}.` }]
}

/** A run that stopped is shown until the next one, or until it is dismissed. */
function rollFindings({ roll }: ClusterState): readonly Finding[] {
  if (roll?.phase !== 'stopped') return []
  return [{ code: 'WARN0320', detail: `${roll.id} by ${roll.owner}: ${roll.message ?? ''}` }]
}

/** `2026-11-24T02:30:00Z`. */
const momentText = (at: number): string => `${isoTime(at).slice(0, 19)}Z`

/** That it comes, and, until the next one or its dismissal, that it did not happen. */
function appointmentFindings({ appointment, snapshot }: ClusterState): readonly Finding[] {
  if (!appointment) return []
  const { id, owner, phase, from, until, candidate, message = '' } = appointment
  const to = findServer(snapshot, candidate)?.name ?? 'the replica that is elected then'
  if (phase === 'waiting' || phase === 'running')
    return [
      { code: 'WARN0390', detail: `${id} by ${owner}: to ${to}, from ${momentText(from)} until ${momentText(until)}.` },
    ]
  return phase === 'failed' || phase === 'missed'
    ? [{ code: 'WARN0391', detail: `${id} by ${owner} ${phase}: ${message}` }]
    : []
}

export function slaState(snapshot: Snapshot, memory: Pick<Memory, 'discovered'>): SlaState {
  const primary = findServer(snapshot, snapshot.primary)
  const { up, failable } = judgeCondition(snapshot, memory)
  return { up, failable, inSync: up && primary?.state?.semiSync.sourceActive === true }
}

/** What others hold grows with every write: that alone is saved with the next change, when the primary is lost, and every few seconds. */
function needsSaving(before: Memory, after: Memory): boolean {
  const keys = Object.keys({ ...before, ...after }) as (keyof Memory)[]
  return keys.some((key) => {
    if (before[key] === after[key]) return false
    const [old, now] = key === 'held' ? [markOf(before), markOf(after)] : [before[key], after[key]]
    return JSON.stringify(old) !== JSON.stringify(now)
  })
}

const markOf = ({ held }: Memory) =>
  held && {
    ...{ primary: held.primary, opened: held.opened, startedAt: held.startedAt, forked: held.forked },
    since: held.since,
    logFile: held.log?.file,
  }

/** From now on nothing is added to what the servers were seen to hold: it must survive this process. */
const isLost = (before: Snapshot, { primary, servers }: Snapshot): boolean =>
  primary !== undefined &&
  findServer(before, primary)?.observation === 'answered' &&
  findServer({ servers }, primary)?.observation !== 'answered'
