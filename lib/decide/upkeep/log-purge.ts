// Which binary logs servers may delete so that they stay below a size: never one that a replica, or the storing, still needs.
import type { LogStorage } from '../../model/backup.js'
import type { ServerId } from '../../model/server/server.js'
import { findServer, type ServerSnapshot, type Snapshot } from '../../model/snapshot.js'
import type { Settings } from '../../settings/table/index.js'
import { channelOf, isReachable } from '../situation/channel.js'

type PurgeSettings = Pick<
  Settings,
  | 'monitoring-observe'
  | 'monitoring-pause'
  | 'replication-source-name'
  | 'backup-binlogs'
  | 'force-binlog-purge'
  | 'force-binlog-purge-replicas'
  | 'force-binlog-purge-total-size'
  | 'force-binlog-purge-min-replica'
  | 'force-binlog-purge-on-restore'
>

export interface PurgeSituation {
  readonly snapshot: Pick<Snapshot, 'servers' | 'primary' | 'topology' | 'operation' | 'rival'>
  readonly settings: PurgeSettings
  /** What is stored of the logs of the primary; only asked where `backup-binlogs` is on. */
  readonly storage?: LogStorage | undefined
  /** Servers that are being filled, each with the file from which on its copy goes on; undefined where that is not known. */
  readonly restoring?: ReadonlyMap<ServerId, string | undefined>
}

/** One server whose binary logs exceed the size. */
export interface LogPurge {
  readonly server: ServerId
  /** Of its binary logs. */
  readonly bytes: number
  /** The files before this one may go; absent: none may. It is never the first, and at most the file being written. */
  readonly upTo?: string
  /** Why nothing may go, or less than the size demands. */
  readonly heldBy?: string
}

/** A number of files from the oldest on that may go, and who needs the next one. */
interface Bound {
  readonly files: number
  readonly by: string
}

type Files = readonly (readonly [name: string, bytes: number])[]

const GB = 1024 ** 3

export function decideLogPurges(situation: PurgeSituation): readonly LogPurge[] {
  const { snapshot, settings } = situation
  if (!settings['force-binlog-purge'] || settings['monitoring-observe'] || settings['monitoring-pause']) return []
  const servers = settings['force-binlog-purge-replicas']
    ? snapshot.servers
    : snapshot.servers.filter(({ id }) => id === snapshot.primary)
  const budget = settings['force-binlog-purge-total-size'] * GB
  return servers.flatMap((server) => {
    const { files = [], count = 0 } = server.slow?.binlogs ?? {}
    const bytes = bytesOf(files)
    const demanded = demandedFiles(files, budget)
    // Of very many files the oldest are not listed, and it is not known how large they are.
    const isUncounted = demanded === 0 && count > files.length && (bytes / files.length) * count > budget
    if (isUncounted) return [{ server: server.id, bytes, heldBy: `only the newest ${files.length} files are counted` }]
    if (demanded === 0) return []
    const { files: allowed, by } = lowestBound(situation, server, files)
    const going = Math.min(demanded, allowed)
    const [upTo] = files[going] ?? []
    return [
      {
        ...{ server: server.id, bytes },
        ...(going > 0 && upTo !== undefined ? { upTo } : {}),
        ...(going < demanded ? { heldBy: by } : {}),
      },
    ]
  })
}

/** How many of the oldest files must go until the others fit; all but the one being written where they never do. */
function demandedFiles(files: Files, budget: number): number {
  let left = bytesOf(files)
  let gone = 0
  for (const [, bytes] of files.slice(0, -1)) {
    if (left <= budget) break
    left -= bytes
    gone += 1
  }
  return gone
}

const bytesOf = (files: Files): number => files.reduce((sum, [, bytes]) => sum + bytes, 0)

function lowestBound(situation: PurgeSituation, server: ServerSnapshot, files: Files): Bound {
  const refusal = refusalOf(situation)
  if (refusal !== undefined) return { files: 0, by: refusal }
  const bounds =
    server.id === situation.snapshot.primary ? boundsOfPrimary(situation, server, files) : readers(server, 0)
  return bounds.reduce((lowest, bound) => (bound.files < lowest.files ? bound : lowest), {
    files: files.length - 1,
    by: 'the file is being written',
  })
}

/** Why nothing is deleted on any server, now. */
function refusalOf(situation: PurgeSituation): string | undefined {
  const { snapshot, settings } = situation
  const { servers, operation, rival, topology } = snapshot
  const primary = findServer(snapshot, snapshot.primary)
  if (operation) return `${operation.id} is running`
  if (rival) return 'another manager watches the same servers'
  if (!primary) return 'the cluster has no primary'
  if (topology !== 'primary-replica') return `the topology is ${topology}, not primary-replica`
  const others = servers.filter(({ id }) => !isSetAside(situation, id))
  const which = (bad: (server: ServerSnapshot) => boolean): string | undefined => {
    const names = others.filter(bad).map(({ name }) => name)
    return names.length === 0 ? undefined : names.join(', ')
  }
  const maintained = which(({ maintenance }) => maintenance)
  if (maintained !== undefined) return `${maintained} is in maintenance`
  const absent = which((server) => !isReachable(server) || !server.state)
  if (absent !== undefined) return `${absent} does not answer`
  const strangers = which((server) => server !== primary && server.sourceId !== primary.id)
  if (strangers !== undefined) return `${strangers} does not follow ${primary.name}`
  const unnumbered = which(({ state }) => state?.gtid.enabled !== true)
  if (unnumbered !== undefined) return `${unnumbered} has no GTID`
  const running = others.filter((server) => server !== primary && isReplicating(server, settings)).length
  const least = settings['force-binlog-purge-min-replica']
  return running < least ? `${running} replicas replicate, force-binlog-purge-min-replica is ${least}` : undefined
}

function isReplicating(server: ServerSnapshot, settings: PurgeSettings): boolean {
  const channel = channelOf(server, settings)
  return channel?.io === 'running' && channel.sql === 'running'
}

function boundsOfPrimary(situation: PurgeSituation, primary: ServerSnapshot, files: Files): readonly Bound[] {
  const { snapshot, settings } = situation
  const replicas = snapshot.servers.filter(({ id }) => id !== primary.id)
  const storing = settings['backup-binlogs']
  const receiving = replicas.filter((server) => channelOf(server, settings)?.io !== 'stopped').length
  return [
    ...replicas.map((server) =>
      isSetAside(situation, server.id)
        ? boundOfCopy(server, situation.restoring?.get(server.id), files)
        : boundOfReplica(server, { settings, files }),
    ),
    ...(storing ? [boundOfStoring(situation.storage, { primary, files })] : []),
    ...readers(primary, receiving + (storing ? 1 : 0)),
  ]
}

/** A replica that starts again reads from what it has applied on: relay logs may be thrown away. */
function boundOfReplica(
  server: ServerSnapshot,
  { settings, files }: { readonly settings: PurgeSettings; readonly files: Files },
): Bound {
  const channel = channelOf(server, settings)
  const known = [channel?.executedFile, channel?.readFile].map((file) => files.findIndex(([name]) => name === file))
  const first = Math.min(...known)
  return first < 0
    ? { files: 0, by: `it is not known which of them ${server.name} still needs` }
    : { files: first, by: `${server.name} has not applied the others` }
}

/** `force-binlog-purge-on-restore`: a server that is being filled does not hold back what its copy has already. */
export const isSetAside = ({ settings, restoring }: Pick<PurgeSituation, 'settings' | 'restoring'>, id: ServerId) =>
  settings['force-binlog-purge-on-restore'] && restoring?.has(id) === true

function boundOfCopy({ name }: ServerSnapshot, from: string | undefined, files: Files): Bound {
  const first = files.findIndex(([file]) => file === from)
  return first < 0
    ? { files: 0, by: `${name} is being filled, and from where on it needs them is not known` }
    : { files: first, by: `${name} is being filled and needs the others` }
}

function boundOfStoring(
  storage: LogStorage | undefined,
  { primary, files }: { readonly primary: ServerSnapshot; readonly files: Files },
): Bound {
  const stored = storage?.server === primary.id ? files.findIndex(([name]) => name === storage.file) : -1
  return { files: Math.max(0, stored), by: 'the others are not stored yet (backup-binlogs)' }
}

/** Someone that is no member of the cluster reads the logs: nobody knows from where on it needs them. */
function readers({ slow }: ServerSnapshot, known: number): readonly Bound[] {
  return (slow?.dumpThreads ?? 0) > known
    ? [{ files: 0, by: 'a reader that is no server of the cluster receives them' }]
    : []
}
