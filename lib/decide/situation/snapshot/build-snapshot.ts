// All servers at one instant: roles, states, topology, and what to remember of them.
import { keepEqual } from '../../../base/keep-equal.js'
import { SECOND } from '../../../base/time.js'
import type { Finding } from '../../../model/finding.js'
import type { Identity, Memory } from '../../../model/memory.js'
import type { Operation, OperationStep } from '../../../model/operation/operation.js'
import { contains, type GtidSet, isEmpty, noTransactions } from '../../../model/server/gtid.js'
import { hasSameNames, isSameInstance, type ServerInstance } from '../../../model/server/instance.js'
import type { Rivalry } from '../../../model/server/presence.js'
import type { ServerState } from '../../../model/server/reading.js'
import type { ServerId } from '../../../model/server/server.js'
import { type BareSnapshot, clusterChannels, findServer, readAt, type ServerSnapshot } from '../../../model/snapshot.js'
import type { Standing } from '../../../model/tenure.js'
import { membersOf } from '../apart.js'
import { isReachable } from '../channel.js'
import { limitToOwn, withoutStrange } from '../foreign.js'
import { ambiguousIn, rememberAmbiguous } from '../history/ambiguous.js'
import { rememberDiffering } from '../history/differing.js'
import { type HistoryInput, missingOwn, rememberHeld } from '../history/history.js'
import { rememberMembers } from '../history/membership.js'
import { rememberForeign } from '../remember-foreign.js'
import type { DecideSettings } from '../situation.js'
import { hasFailed, isGone, stateNameOf } from '../state-name.js'
import { rememberStarts } from '../stopped-start.js'
import { type Discovery, discoverPrimary } from '../topology/primary.js'
import { rememberSourceAddresses } from '../topology/source-address.js'
import { lostSource } from '../topology/source-contact.js'
import { rememberSourceTls } from '../topology/source-tls.js'
import { resolveSources } from '../topology/sources.js'
import { judgeTopology, roleOf } from '../topology/topology.js'
import { followFences } from './fences.js'
import { rememberReadOnlyStarts } from './read-only-start.js'
import { followRivalry, givesWay, judgeRival } from './rival.js'

export interface JudgementInput {
  readonly cluster: string
  /** As `applyReading` left them; those of an earlier snapshot will do. */
  readonly servers: readonly ServerSnapshot[]
  readonly memory: Memory
  readonly settings: DecideSettings
  readonly operation?: Operation
  /** The latest one that ended: what it made read-only was not set manually. */
  readonly lastOperation?: Operation
  /** Where several instances of the manager share the fleet. */
  readonly tenure?: Standing
  /** Where an arbitrator decides: since when no other instance is known to see the primary. */
  readonly confirmed?: number
  /** What the snapshot before remembered of another manager. */
  readonly rivalry?: Rivalry
  /** See `Situation.lockedOut`. */
  readonly lockedOut?: ServerId
  readonly now: number
}

export interface Built {
  readonly snapshot: BareSnapshot
  /** What the search for the primary found. */
  readonly found: readonly Finding[]
  /** The very object given when nothing changed. */
  readonly memory: Memory
}

export function buildSnapshot(input: JudgementInput): Built {
  const resolved = limitToOwn(resolveSources(input.servers, input), input)
  // The history of one that is kept apart may be numbered otherwise: it is held against nobody.
  const members = membersOf(resolved, input.memory)
  const rival = judgeRival(resolved)
  const rivalry = followRivalry(input.rivalry, rival, input.now)
  const beside = { at: input.now, ...(rival ? { rival } : {}), ...(rivalry ? { rivalry } : {}) }
  const discovery = discoverPrimary({ ...input, servers: members, followsRival: givesWay(beside) })
  const shape = { servers: resolved, ...(discovery.primary === undefined ? {} : { primary: discovery.primary }) }
  const topology = judgeTopology({ ...shape, servers: members, settings: input.settings })
  const sight = { servers: members, topology, settings: input.settings }
  const held = { ...sight, servers: members.map(withoutStrange) }
  const memory = withHeld(remember(input, resolved, discovery), held, input.now)
  const snapshot: BareSnapshot = {
    cluster: input.cluster,
    ...beside,
    topology,
    // Most judgements find every server as it was: what lives on then are the objects that are old already.
    servers: resolved.map((server, index) =>
      keepEqual(input.servers[index], named(server, { ...shape, topology }, { ...input, memory })),
    ),
    ...(discovery.primary === undefined ? {} : { primary: discovery.primary }),
    ...(input.operation ? { operation: input.operation } : {}),
    ...openingOf(resolved, input),
    ...(input.tenure ? { tenure: input.tenure } : {}),
    ...(input.confirmed === undefined ? {} : { confirmed: input.confirmed }),
  }
  return { snapshot, found: discovery.findings, memory }
}

/** The verdict does not know of minor operations, and what has ended is no longer running: so this is said apart. */
function openingOf(
  servers: readonly ServerSnapshot[],
  { operation, lastOperation }: JudgementInput,
): Pick<BareSnapshot, 'opening'> {
  const steps = [...(lastOperation?.steps ?? []), ...(operation?.steps ?? [])]
  const step = steps.findLast(({ command, state }) => command.type === 'make-writable' && isBegun(state))
  if (step?.command.type !== 'make-writable') return {}
  const { server: id } = step.command
  const server = findServer({ servers }, id)
  const openedAt = (step.startedAt ?? 0) + (step.tookMs ?? 0)
  return step.state === 'running' || !server || readAt(server) <= openedAt ? { opening: id } : {}
}

const isBegun = (state: OperationStep['state']): boolean => state === 'running' || state === 'done'

function named(
  server: ServerSnapshot,
  shape: Pick<BareSnapshot, 'servers' | 'primary' | 'topology'>,
  { settings, memory, operation, lastOperation, now }: JudgementInput,
): ServerSnapshot {
  const role = roleOf(server, shape)
  const moving = moves(operation) || (moves(lastOperation) && wasSeenBefore(server, lastOperation?.endedAt))
  const { missingOwn: _, ambiguous: __, ...rest } = server
  const missing = missingOwn(server, shape, memory)
  const ambiguous = ambiguousIn(server, memory)
  const known = {
    ...rest,
    ...(isEmpty(missing) ? {} : { missingOwn: missing }),
    ...(isEmpty(ambiguous) ? {} : { ambiguous }),
  }
  const lost = lostSource(server, { servers: shape.servers, settings, now }) !== undefined
  const stateName = stateNameOf(known, { role, settings, moving, lost })
  return {
    ...known,
    role,
    stateName,
    previousStateName: stateName === server.stateName ? server.previousStateName : server.stateName,
    startedWithoutPrimary:
      memory.totalOutage && server.id !== shape.primary && startedSince(server, memory.outageSince),
  }
}

const moves = (operation: Pick<Operation, 'kind'> | undefined): boolean =>
  operation?.kind === 'failover' || operation?.kind === 'switchover'

/** Its latest answer was asked for before that. */
const wasSeenBefore = (server: ServerSnapshot, endedAt = 0): boolean => readAt(server) <= endedAt

function startedSince({ state, stateAt }: ServerSnapshot, since = 0): boolean {
  return state !== undefined && stateAt !== undefined && stateAt - (state.uptimeSeconds - 1) * SECOND >= since
}

function remember(input: JudgementInput, servers: readonly ServerSnapshot[], { primary: id, seen }: Discovery): Memory {
  const { memory, operation } = input
  const primary = findServer({ servers }, id)
  const isSettled = seen && operation === undefined
  const changes: Partial<Memory> = {
    ...(isSettled && id !== undefined ? { primary: id } : {}),
    ...(primary && isReachable(primary)
      ? { totalOutage: false, discovered: memory.discovered || servers.every(wasSeen) }
      : outage(input, servers)),
    // What another manager does to it is no intent of a person.
    ...(isSettled && primary?.state && !judgeRival(servers) ? settled(primary, input) : {}),
    crashes: openCrashes(memory, servers, { primary: id, isSettled }),
    ...identitiesOf(memory, servers),
    ...rememberMembers(memory, { servers, ...(id === undefined ? {} : { primary: id }) }),
    ...followFences(memory, servers),
    ...rememberStarts(memory, servers),
    ...rememberReadOnlyStarts(input, servers),
    ...rememberSourceTls(memory, servers),
    ...rememberForeign(memory, servers, id),
    ...rememberSourceAddresses(memory, servers, input.settings),
    ...rememberDiffering(memory, { ...input, servers, ...(id === undefined ? {} : { primary: id }) }),
  }
  const next = { ...memory, ...changes }
  const keys = Object.keys(changes) as (keyof Memory)[]
  return keys.every((key) => next[key] === memory[key]) ? memory : next
}

function withHeld(memory: Memory, input: HistoryInput, now: number): Memory {
  const held = rememberHeld(memory, input)
  const { ambiguous = memory.ambiguous } = rememberAmbiguous(memory, { ...input, before: memory.held, now })
  const isSame = (held === memory.held || held === undefined) && ambiguous === memory.ambiguous
  return isSame ? memory : { ...memory, ...(held ? { held } : {}), ...(ambiguous ? { ambiguous } : {}) }
}

const isSame = (known: ServerInstance | undefined, instance: ServerInstance | undefined): boolean =>
  known === instance || (known !== undefined && instance !== undefined && isSameInstance(known, instance))

const isSameNumber = (known: Identity | undefined, state: ServerState): boolean =>
  known?.uuid === state.uuid && known?.serverNumber === state.serverNumber

/** What each member calls itself; empty when nothing changed. */
function identitiesOf({ identities = {} }: Memory, servers: readonly ServerSnapshot[]): Pick<Memory, 'identities'> {
  const news = servers.flatMap(({ id, state, stateAt = 0 }): [string, Identity][] => {
    const known = identities[id]
    const instance = state?.identity.instance
    if (!state || (isSame(known?.instance, instance) && isSameNumber(known, state))) return []
    const { uuid, serverNumber } = state
    const named = known?.instance && instance && hasSameNames(known.instance, instance) ? known.since : undefined
    const place = instance ? { instance, since: named ?? stateAt } : {}
    return [[id, { serverNumber, ...(uuid === undefined ? {} : { uuid }), ...place }]]
  })
  return news.length === 0 ? {} : { identities: { ...identities, ...Object.fromEntries(news) } }
}

const wasSeen = ({ observation }: ServerSnapshot): boolean => observation !== 'unseen'

function outage({ memory, settings }: JudgementInput, servers: readonly ServerSnapshot[]): Partial<Memory> {
  const members = servers.filter(({ maintenance }) => !maintenance)
  const down = members.length > 0 && members.every((server) => hasFailed(server, settings) || isGone(server))
  if (memory.totalOutage || !down) return {}
  return { totalOutage: true, outageSince: Math.min(...members.map(({ failingSince }) => failingSince ?? Infinity)) }
}

/** What the primary shows while nothing is changing it: closed by a person or not, semi-synchronous or not. */
function settled(server: ServerSnapshot, input: JudgementInput): Partial<Memory> {
  const { state, writableAt, semiSourceAt = 0, restartedAt = 0 } = server
  const { memory, lastOperation } = input
  if (!state) return {}
  // What a restart changed was not requested by a person: the manager corrects it.
  const sinceRestart = (at: number | undefined) => at !== undefined && at >= restartedAt
  const byOperation = (lastOperation?.endedAt ?? 0) >= (writableAt ?? 0)
  const byFence = memory.fenced?.[server.id] !== undefined
  const closed = state.readOnly && sinceRestart(writableAt) && !byOperation && !byFence
  // A person closed the primary of that time; that does not close its successor.
  const succeeded = memory.primary !== undefined && memory.primary !== server.id
  const opened = memory.closedByHand === true && (!state.readOnly || succeeded || wroteSince(server, memory))
  // It may have been on in an earlier term of this server, or until a fence let its commits through: that is not intent.
  const on = semiSourceAt > steadySince(server, input) && sinceRestart(semiSourceAt)
  const switchedOff = !state.semiSync.sourceEnabled && on && memory.semiSync === true
  return {
    ...(closed || opened ? { closedByHand: closed } : {}),
    ...(closed ? { closedWith: closedWith(state.gtid.executed, memory) } : {}),
    ...(state.semiSync.sourceEnabled || switchedOff
      ? { semiSync: state.semiSync.sourceEnabled }
      : recoverSemiSync(input)),
  }
}

/** Replicas that are configured to acknowledge show that semi-sync is intended, where the state file that said so was lost. */
function recoverSemiSync({ memory, servers }: JudgementInput): Pick<Memory, 'semiSync'> {
  if (!memory.recovered || memory.semiSync !== undefined) return {}
  const replicas = servers.filter(
    (server) => isReachable(server) && server.state?.readOnly && clusterChannels(server).length > 0,
  )
  const isIntended = replicas.length > 0 && replicas.every(({ state }) => state?.semiSync.replicaEnabled)
  return isIntended ? { semiSync: true } : {}
}

function closedWith(executed: GtidSet, { closedByHand, closedWith = noTransactions }: Memory): GtidSet {
  if (!closedByHand) return executed
  return contains(closedWith, executed) ? closedWith : noTransactions
}

/** It was opened between two probes, written to, and restarted: a person's closing ended with that. */
const wroteSince = ({ state, restartedAt = 0, writableAt = 0 }: ServerSnapshot, { closedWith }: Memory): boolean =>
  closedWith !== undefined &&
  !isEmpty(closedWith) &&
  writableAt < restartedAt &&
  !contains(closedWith, state?.gtid.executed ?? noTransactions)

/** When the primary's present term began or an operation last changed something, as far as it is known. */
const steadySince = ({ id }: ServerSnapshot, { memory, lastOperation }: JudgementInput): number =>
  Math.max(lastOperation?.endedAt ?? 0, memory.history.findLast(({ newPrimary }) => newPrimary === id)?.at ?? 0)

/** Crash records close when their server follows the present primary again, or has its role again. */
function openCrashes(
  memory: Memory,
  servers: readonly ServerSnapshot[],
  { primary, isSettled }: { readonly primary: string | undefined; readonly isSettled: boolean },
) {
  const isBack = (id: string) => {
    const server = findServer({ servers }, id)
    if (primary === undefined || !server || !isReachable(server)) return false
    return server.sourceId === primary || (isSettled && id === primary && server.sourceId === undefined)
  }
  const open = memory.crashes.filter(({ oldPrimary }) => !isBack(oldPrimary))
  return open.length === memory.crashes.length ? memory.crashes : open
}
