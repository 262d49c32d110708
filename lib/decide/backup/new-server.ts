// Whether a new server can be given the data of an earlier point, where it would be, and the plan that a person confirms. Pure.
import { fail, ok, type Result } from '../../base/result.js'
import { isoTime } from '../../base/time.js'
import type { Backup, LogStorage } from '../../model/backup.js'
import type { Memory } from '../../model/memory.js'
import type { LocatedPoint } from '../../model/operation/cluster-recovery.js'
import { renderSize } from '../../model/operation/job-progress.js'
import type { NewServer, NewServerPlan, NewServerWish, RecoveryTarget } from '../../model/operation/recovery.js'
import { addressText, type ServerAddress } from '../../model/server/server.js'
import type { FileSystem } from '../../model/server/watched.js'
import type { Snapshot } from '../../model/snapshot.js'
import type { Settings } from '../../settings/index.js'
import { describeRunning, describeTarget } from './recovery.js'

/** A new member of such a group is filled by the others as soon as it starts. */
const groups: ReadonlySet<string> = new Set(['galera', 'group-replication'])
const groupTags: readonly string[] = ['wsrep', 'grouprep']

/** The orchestrator that runs servers on the manager's own machine. */
const LOCAL = 'local'
/** So many ports behind the last one of the cluster are tried. */
const MOST_PORTS = 50
const LAST_PORT = 65_535

/** A restored server is larger than what was copied: indexes are built, logs and temporary tables are written. */
const GROWTH = 1.5

export interface NewServerScene {
  readonly snapshot: Pick<Snapshot, 'cluster' | 'servers' | 'primary' | 'topology'>
  readonly memory: Pick<Memory, 'restoring' | 'newServers'>
  readonly settings: Pick<Settings, 'prov-orchestrator' | 'prov-db-tags'>
}

/** Whether the cluster can get one now. Failures: `unsupported`, `operation-running`. */
export function judgeNewServer({ snapshot, memory, settings }: NewServerScene): Result<void> {
  const { cluster, topology } = snapshot
  const isGroup = groups.has(topology) || settings['prov-db-tags'].some((tag) => groupTags.includes(tag))
  if (isGroup)
    return fail(
      'unsupported',
      `${cluster} is a group whose members fill each other: a new server would join it at once; recover tables to a file instead`,
    )
  if (memory.restoring)
    return fail(
      'operation-running',
      `all servers of ${cluster} are being brought back ${describeRunning(memory.restoring)}`,
    )
  const open = Object.values(memory.newServers ?? {}).find(({ stage }) => stage === 'adding' || stage === 'making')
  if (open)
    return fail(
      'operation-running',
      `the new server ${addressText(open)} is not complete yet: wait for its job, or remove it (manager-cli recovered remove)`,
    )
  return ok(undefined)
}

/**
 * Addresses to try, in order. `taken`: addresses of servers that any cluster has. Failures: `server-exists`; `bad-request` where the
 * manager cannot choose a host.
 */
export function listPlaces(
  { snapshot: { servers, primary, cluster }, settings }: NewServerScene,
  { address }: NewServerWish,
  taken: readonly ServerAddress[],
): Result<readonly ServerAddress[]> {
  const known = new Set([...taken, ...servers].map(addressText))
  if (address)
    return known.has(addressText(address))
      ? fail(
          'server-exists',
          `${addressText(address)} is a server of a cluster already: name an address that is not in use`,
        )
      : ok([address])
  if (settings['prov-orchestrator'] !== LOCAL)
    return fail(
      'bad-request',
      `name the address of the new server: prov-orchestrator = ${settings['prov-orchestrator']} runs servers on hosts that only you know`,
    )
  const beside = servers.find(({ id }) => id === primary) ?? servers[0]
  if (!beside) return fail('wrong-state', `${cluster} has no server`)
  const last = Math.max(...[...taken, ...servers].filter(({ host }) => host === beside.host).map(({ port }) => port))
  const ports = Array.from({ length: MOST_PORTS }, (_, index) => last + 1 + index)
  const free = ports.map((port) => ({ host: beside.host, port })).filter((each) => !known.has(addressText(each)))
  return ok(free.filter(({ port }) => port <= LAST_PORT))
}

/** Whether everything until the point is stored. Failure: `no-recovery`. */
export function judgeStored(
  target: RecoveryTarget | undefined,
  { next, stored }: Pick<LocatedPoint, 'next' | 'stored'>,
  logStorage: LogStorage | undefined,
): Result<void> {
  if (target?.type !== 'time' || next) return ok(undefined)
  const until = Math.max(stored.to ?? 0, logStorage?.completeAt ?? 0)
  if (target.at <= until) return ok(undefined)
  return fail(
    'no-recovery',
    `the point ${isoTime(target.at)} is after the end of the stored binary logs (${isoTime(until)}): choose an earlier one, or name none for everything that is stored`,
  )
}

/** Bytes that a restored server may need, by the backup and those that it continues; 0 where they do not say. */
export const sizeOf = (chain: readonly Pick<Backup, 'rawSize'>[]): number =>
  Math.ceil(chain.reduce((sum, { rawSize }) => sum + rawSize, 0) * GROWTH)

/** Failure: `no-room`. `copies`: how many of them come to that file system. */
export function judgeRoom(
  place: string,
  { availableBytes }: Pick<FileSystem, 'availableBytes'>,
  { bytes, copies }: { readonly bytes: number; readonly copies: number },
): Result<void> {
  const needed = bytes * copies
  if (needed <= availableBytes) return ok(undefined)
  const parts = copies > 1 ? ' (a scratch server and the new one)' : ''
  return fail(
    'no-room',
    `${place} has ${renderSize(availableBytes)} free, and about ${renderSize(needed)} are needed${parts}: free space first`,
  )
}

/** How many copies of the data come to the manager's own disk. */
export const copiesHere = ({ settings }: Pick<NewServerScene, 'settings'>): number =>
  settings['prov-orchestrator'] === LOCAL ? 2 : 1

export interface PlannedServer extends ServerAddress {
  readonly server: string
  /** The newest one is restored last. */
  readonly chain: readonly Backup[]
  /** Absent: the backup alone. */
  readonly point?: LocatedPoint
  readonly target?: RecoveryTarget
}

export function describeNewServer(cluster: string, planned: PlannedServer): NewServerPlan {
  const { server, chain, point, target, host, port } = planned
  const newest = chain.at(-1)
  const position = point?.position ?? newest?.position?.gtid ?? ''
  const backup = newest?.id ?? 0
  const address = addressText(planned)
  return {
    ...{ server, host, port, backup, position, bytes: sizeOf(chain) },
    id: ['new-server', cluster, address, backup, point?.last?.gtid ?? position].join('/'),
    ...(point?.last ? { last: point.last } : {}),
    ...(point?.next ? { next: point.next } : {}),
    steps: [
      `Add ${address} to the servers of ${cluster}, apart: no decision concerns it, and it follows no source`,
      `Create it by the orchestrator from its configuration archive`,
      `Restore backup ${chain.map(({ id }) => id).join(', then ')} into a scratch server on the manager's host${target ? `, and replay stored binary logs to ${describeTarget(target)}` : ''}`,
      `Load its schemas onto ${address}, set its GTID position to that of the data, and close it for writes`,
      'Remove the scratch server',
    ],
    risks: [
      `Accounts of applications are no part of it: it has those of the manager`,
      ...(target && target.type !== 'end' && !point?.next ? ['Nothing later than this point is stored'] : []),
      ...(point?.left.length ? [`Not a part of this history: ${point.left.join(', ')}`] : []),
    ],
  }
}

/** What a later manager, or a failed step, makes of one that is remembered. */
export type NextOfNew = 'add' | 'make' | 'remove' | 'rest'

/** `most`: how often its job may be begun. */
export function nextOf({ stage, begun }: Pick<NewServer, 'stage' | 'begun'>, most: number): NextOfNew {
  if (stage === 'ready') return 'rest'
  if (stage === 'removing') return 'remove'
  if (begun >= most) return 'remove'
  return stage === 'adding' ? 'add' : 'make'
}

/** What to do with it next, for people. */
export function describeReady({ report, ...server }: NewServer): string {
  const address = addressText(server)
  const to = report?.replayedTo === undefined ? '' : `, replayed to ${isoTime(report.replayedTo)}`
  return (
    `${address} holds backup ${server.backup}${to}; GTID ${report?.position || 'none'}; it is apart and closed for writes. ` +
    `Copy tables from it; then remove it (manager-cli recovered remove ${address}), ` +
    `or let it follow the primary, which applies to it what came after the point (manager-cli recovered attach ${address})`
  )
}
