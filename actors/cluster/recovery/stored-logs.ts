// Reads the stored binary logs of a cluster in a process of its own: transactions, and what a point is reached from.
import path from 'node:path'
import { scratchRoot } from '../../../lib/backup/restore/recovery.js'
import type { SearchAnswer, SearchOrder } from '../../../lib/backup/restore/search-logs.js'
import { startSearch } from '../../../lib/backup/restore/start-recovery.js'
import { done, fail, ok, type Result } from '../../../lib/base/result.js'
import { isoTime, MINUTE, now } from '../../../lib/base/time.js'
import { chooseOrigins } from '../../../lib/decide/backup/cluster-recovery.js'
import { judgeStored } from '../../../lib/decide/backup/new-server.js'
import type { ClusterRecoveryWish, LocatedPoint } from '../../../lib/model/operation/cluster-recovery.js'
import type { RecoveryTarget } from '../../../lib/model/operation/recovery.js'
import type { Backups } from '../backups/backups.js'
import type { LogWatch } from '../backups/binlogs.js'
import { toolsOf } from '../backups/recovery.js'
import type { Cluster } from '../state/message/cluster.js'

/** A running cluster whose logs are stored. */
export interface Stored extends Cluster {
  readonly backups: Pick<Backups, 'list'>
  readonly logs: Pick<LogWatch, 'directory'>
}

/** Longest duration of a search. */
const SEARCH_MS = 30 * MINUTE

/** Each has a folder of its own. */
let searches = 0

/** Failures: `file-unreadable`, `script-failed` (the tool), `no-recovery`, `deadline-passed`. */
export async function readStored(
  { state, init, logs, context }: Stored,
  search: SearchOrder['search'],
): Promise<Result<SearchAnswer>> {
  const flavour = state.snapshot.servers.find((server) => server.state)?.state?.identity.flavour ?? 'mariadb'
  const root = await scratchRoot(state.settings['monitoring-datadir'], init.name)
  searches += 1
  const order: SearchOrder = {
    ...{ search, logs: path.resolve(logs.directory), scratch: path.join(root, `search-${searches}`) },
    ...{ binlogTool: toolsOf(state.settings, flavour).binlog, deadlineMs: SEARCH_MS },
  }
  return startSearch(order, { signal: context.signal, log: () => undefined, progress: () => undefined })
}

/** The point, reached from the newest backup that leads to it. Failure: `no-recovery`, with what is missing. */
export async function locatePoint(actor: Stored, wish: ClusterRecoveryWish): Promise<Result<LocatedPoint>> {
  const chosen = chooseOrigins(actor.backups.list(), wish)
  if (!chosen.ok) return chosen
  const origins = chosen.value.map(({ id, position, startedAt }) => ({
    ...{ backup: id, position: position?.gtid ?? '', startedAt },
  }))
  const found = await readStored(actor, { type: 'point', target: wish.target, origins })
  if (!found.ok) return found
  return found.value.type === 'point' ? ok(found.value.point) : fail('internal', 'no point was answered')
}

/** The same, where everything until a time that is named is stored. Failure: `no-recovery`, also for a time to come. */
export async function locateStored(actor: Stored, wish: ClusterRecoveryWish): Promise<Result<LocatedPoint>> {
  const { target } = wish
  if (target.type === 'time' && target.at > now())
    return fail('no-recovery', `the point ${isoTime(target.at)} is not reached yet`)
  const point = await locatePoint(actor, wish)
  if (!point.ok) return point
  const stored = judgeStored(target, point.value, actor.state.logStorage)
  return stored.ok ? point : stored
}

/** Whether a recovery comes to the time that it names; what is stored of another point is found out on the way. Failure: `no-recovery`. */
export async function judgeReach(
  actor: Stored,
  { target, backup }: { readonly target?: RecoveryTarget; readonly backup?: number },
): Promise<Result<void>> {
  if (target?.type !== 'time' || target.at <= (actor.state.logStorage?.completeAt ?? 0)) return done
  const point = await locateStored(actor, { target, ...(backup === undefined ? {} : { backup }) })
  return point.ok ? done : point
}
