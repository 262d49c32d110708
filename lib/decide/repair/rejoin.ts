// Servers that return, or follow the wrong source: the old primary as a replica, orphans to the present primary. Never a silent merge.

import { SECOND } from '../../base/time.js'
import type { Plan } from '../../model/operation/operation.js'
import { formatSet, type GtidSet, isEmpty } from '../../model/server/gtid.js'
import { findServer, type ServerSnapshot, type Topology } from '../../model/snapshot.js'
import { channelOf, isReachable, isWritable } from '../situation/channel.js'
import { stopEvents } from '../situation/events.js'
import { wouldPassOver } from '../situation/history/ambiguous.js'
import { canReceiveOwn, hasWritten } from '../situation/history/history.js'
import { aheadOf, certainPart, errantText } from '../situation/history/holdings.js'
import { wasMember } from '../situation/history/membership.js'
import type { Situation } from '../situation/situation.js'
import { seenTogether } from '../situation/snapshot/together.js'
import { hasFailed } from '../situation/state-name.js'
import { refusedLogin } from '../situation/topology/source-login.js'
import { isBelow } from '../situation/topology/sources.js'
import { checkLogin } from '../switchover/login.js'
import { foreignHold, withoutForeign } from './foreign-hold.js'

export interface Stray {
  readonly server: ServerSnapshot
  /** What it should follow. */
  readonly source: ServerSnapshot
  /** It wrote as a primary, so its own transactions count as replicated. */
  readonly wasPrimary: boolean
  /** What it holds and the source is missing: it stays out while there is any. */
  readonly extra: GtidSet
  readonly reason: string
}

/** One server brought back, the most urgent first; undefined when all is well or nothing may be done now. */
export function planRejoin(situation: Situation): Plan | undefined {
  const { snapshot, settings } = situation
  if (snapshot.operation || !settings.autorejoin || !seenTogether(snapshot.servers, settings)) return undefined
  for (const stray of listStrays(situation)) {
    // What was never part of the cluster is left to a person: it may serve others.
    if (isWritable(stray.server) && !wasMember(situation, stray.server)) continue
    const plan = close(stray) ?? (mayFollow(stray, situation) ? bringBack(stray, situation) : keepOut(stray, situation))
    if (plan && (isWritable(stray.server) || refuseMove(stray, situation) === undefined)) return plan
  }
  return undefined
}

/**
 * One that lost transactions of its own fetches them again, unless it wrote without them: its GTIDs may name others since.
 * Where the database cannot do that, it stays out; so does an empty one, since binary logs rarely begin with the first table, and
 * one that passed over transactions, or would as a replica, or that another cluster goes on sending to.
 */
function mayFollow({ server, source, extra, wasPrimary }: Stray, situation: Situation): boolean {
  const { settings, memory } = situation
  const isFilled = memory.returns?.[server.id]?.filled === true
  if (wasPrimary && settings['autorejoin-force-restore'] && !isFilled) return false
  const { missingOwn: lost } = server
  if (server.ambiguous || !isEmpty(wouldPassOver(server, source.id, memory))) return false
  if (foreignHold(server, situation)?.isOut) return false
  if (!isEmpty(extra) || (isBlank(server) && !isBlank(source))) return false
  return !lost || (canReceiveOwn(server, lost) && !(wasOpened(server) && hasWritten(server)))
}

/** One that replicates now goes on where it does until the login at its new source is known to work: there it may follow nothing. */
const refuseMove = ({ server, source }: Stray, situation: Situation): string | undefined =>
  runs(server, situation) ? refusedLogin(source, situation) : undefined

const runs = (server: ServerSnapshot, { settings }: Situation): boolean => channelOf(server, settings)?.io === 'running'

/** Whether it becomes a replica automatically, or why it is left as it is. What it holds or is missing: other findings. */
export function judgeReturn(stray: Stray, situation: Situation): 'returns' | 'kept-out' | { readonly left: string } {
  const { settings, snapshot } = situation
  if (!settings.autorejoin) return { left: 'autorejoin is off' }
  if (settings['monitoring-pause']) return { left: 'monitoring-pause is on' }
  if (settings['monitoring-observe']) return { left: 'monitoring-observe is on' }
  if (snapshot.rival?.acts) return { left: 'another manager acts on the servers' }
  if (isWritable(stray.server))
    return wasMember(situation, stray.server) ? 'returns' : { left: 'it is writable and was never a member' }
  if (!mayFollow(stray, situation)) return 'kept-out'
  const refused = refuseMove(stray, situation)
  return refused === undefined ? 'returns' : { left: `it goes on with its present source: ${refused}` }
}

/** It was seen writable since its start; what was never seen to restart was open all along. */
const wasOpened = ({ writableAt = 0, restartedAt = writableAt }: ServerSnapshot): boolean =>
  writableAt > 0 && writableAt >= restartedAt

const isBlank = ({ state }: ServerSnapshot): boolean => isEmpty(state?.gtid.executed ?? {})

/** What it holds is judged only when it is read-only: by a probe that found it closed. */
function close({ server, reason, wasPrimary }: Stray): Plan | undefined {
  if (!isWritable(server)) return undefined
  return {
    kind: 'rejoin',
    reason: `${server.name} is writable: ${reason}`,
    commands: [{ type: 'fence', server: server.id, timeoutMs: 5 * SECOND }, ...(wasPrimary ? stopEvents(server) : [])],
    undo: [],
    deadlineMs: 10 * SECOND,
  }
}

/** Topologies in which the manager does not choose sources. */
const withoutLeader: ReadonlySet<Topology> = new Set(['active-passive', 'ring', 'galera'])

/** Every reachable server that should follow another source than it does. */
export function listStrays(situation: Situation): readonly Stray[] {
  const { snapshot, memory, settings } = situation
  const primary = findServer(snapshot, snapshot.primary)
  if (!primary || withoutLeader.has(snapshot.topology)) return []
  return snapshot.servers.flatMap((server) => {
    if (server.id === primary.id || server.maintenance || !isReachable(server) || !server.state) return []
    const astray = findCause(server, primary, situation)
    if (!astray) return []
    const extra = aheadOf(server, astray.source, { settings, memory })
    const wasPrimary = memory.crashes.some(({ oldPrimary }) => oldPrimary === server.id)
    return [{ server, ...astray, wasPrimary, extra }]
  })
}

function findCause(
  server: ServerSnapshot,
  primary: ServerSnapshot,
  situation: Situation,
): Pick<Stray, 'source' | 'reason'> | undefined {
  const { snapshot, settings, memory } = situation
  const source = findServer(snapshot, server.sourceId)
  const isHome = source?.id === primary.id
  if (isHome || isBelow(snapshot.servers, primary.id, server.id)) return undefined
  const upper = source && hasFailed(source, settings) ? findServer(snapshot, source.sourceId) : undefined
  if (upper && source && isReachable(upper) && isRelayOf(source, upper, situation))
    return { source: upper, reason: `its relay ${source.name} is down` }
  if (!isReachable(primary) || !isWritable(primary)) return undefined
  if (server.channelDoubt) return undefined
  if (!source) {
    const known = memory.crashes.some(({ oldPrimary }) => oldPrimary === server.id)
    if (channelOf(server, settings) || (!known && isEmpty(server.state?.gtid.executed ?? {}))) return undefined
    return { source: primary, reason: known ? 'it was the primary before' : 'it does not replicate' }
  }
  if (!isReachable(source)) return { source: primary, reason: `its source ${source.name} is no longer the primary` }
  if (!isBelow(snapshot.servers, source.id, primary.id))
    return { source: primary, reason: `its source ${source.name} does not replicate from the primary` }
  if (forbidsRelays(situation))
    return { source: primary, reason: `intermediate replicas are not allowed, and its source ${source.name} is one` }
  return undefined
}

const isRelayOf = (relay: ServerSnapshot, upper: ServerSnapshot, { snapshot }: Situation): boolean =>
  relay.id !== snapshot.primary &&
  (upper.id === snapshot.primary || isBelow(snapshot.servers, upper.id, snapshot.primary ?? ''))

const forbidsRelays = ({ settings }: Situation): boolean =>
  settings['replication-master-slave-never-relay'] && !settings['replication-multi-tier-slave']

/** For a server to apply what it received before its source changes; the command is repeated where that is not enough. */
const PATIENCE_MS = 25 * SECOND

/** First its side of semi-sync and the events of its time as the primary, then its source. A former primary acknowledges from now on where that is configured. */
function bringBack({ server, source, wasPrimary, reason }: Stray, situation: Situation): Plan {
  const { memory, settings } = situation
  const script = settings['autorejoin-script']
  const args = [server.host, source.host, `${server.port}`, `${source.port}`]
  const semiSync = server.state?.semiSync
  const replicates = semiSync?.replicaEnabled || semiSync?.waitPoint === 'none'
  const joins = wasPrimary && memory.semiSync && !replicates
  return {
    kind: 'rejoin',
    reason: `${server.name}: ${reason}`,
    commands: [
      ...(runs(server, situation) ? [checkLogin(situation, source)] : []),
      ...(script === '' ? [] : [{ type: 'run-script', script, args, bestEffort: true } as const]),
      ...(semiSync?.sourceEnabled || joins
        ? [{ type: 'set-semi-sync', server: server.id, source: false, replica: true, bestEffort: true } as const]
        : []),
      ...(wasPrimary ? stopEvents(server) : []),
      {
        type: 'repoint',
        server: server.id,
        source: source.id,
        ...(wasPrimary || server.sourceId === undefined ? { demote: true } : {}),
        ...(server.delaySeconds > 0 ? { delaySeconds: server.delaySeconds } : {}),
        ...(server.missingOwn ? { own: server.missingOwn, ...(wasOpened(server) ? { ifUnwritten: true } : {}) } : {}),
        ...(isWaiting(source) ? {} : { patient: true, timeoutMs: PATIENCE_MS }),
      },
      { type: 'report', text: `${server.name} replicates from ${source.name} again.` },
    ],
    undo: [],
    deadlineMs: 30 * SECOND,
  }
}

/** Its commits wait for an acknowledgement, and no other server sends any. */
const isWaiting = ({ state }: ServerSnapshot): boolean =>
  state?.semiSync.sourceEnabled === true && state.semiSync.clients === 0

/** Its extra transactions are saved once, listed, and left to a person. */
function keepOut({ server, extra: all }: Stray, situation: Situation): Plan | undefined {
  const { memory, settings } = situation
  // What another cluster sent is there.
  const extra = withoutForeign(all, foreignHold(server, situation))
  const crash = memory.crashes.find(({ oldPrimary }) => oldPrimary === server.id)
  const saved = crash?.outcome?.verdict === 'diverged'
  if (!crash || saved || isEmpty(extra) || !settings['autorejoin-backup-binlog']) return undefined
  return {
    kind: 'rejoin',
    reason: `${server.name} has transactions that the primary is missing: ${errantText(extra, server)}`,
    commands: [
      {
        type: 'save-tail',
        server: server.id,
        crash,
        extra,
        extraText: formatSet(certainPart(extra, server)),
        timeoutMs: 60 * SECOND,
      },
    ],
    undo: [],
    deadlineMs: 90 * SECOND,
  }
}
