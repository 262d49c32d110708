// Whether all servers of a cluster can be brought back to one point, and the plan that a person confirms. Pure.
import { counted, transactions } from '../../base/counted.js'
import { fail, ok, type Result } from '../../base/result.js'
import { isoTime } from '../../base/time.js'
import type { Backup } from '../../model/backup.js'
import type { Memory } from '../../model/memory.js'
import type {
  ClusterRecoveryPlan,
  ClusterRecoveryWish,
  LocatedPoint,
  TableChanges,
} from '../../model/operation/cluster-recovery.js'
import { isEmpty } from '../../model/server/gtid.js'
import { findServer, type ServerSnapshot, type Snapshot } from '../../model/snapshot.js'
import { isReachable } from '../situation/channel.js'
import { errantOf, errantText } from '../situation/history/holdings.js'
import { chooseChain, describeTarget } from './recovery.js'

/** Topologies whose members have no one primary that the others are copies of. */
const without: ReadonlySet<string> = new Set(['galera', 'group-replication', 'ring', 'active-passive', 'multi-primary'])

export interface RecoveringServers {
  readonly primary: ServerSnapshot
  readonly others: readonly ServerSnapshot[]
}

export interface RecoveryScene {
  readonly snapshot: Pick<Snapshot, 'cluster' | 'servers' | 'primary' | 'topology' | 'operation'>
  readonly memory: Pick<Memory, 'restoring' | 'crashes' | 'history' | 'maintenance' | 'newServers'>
}

/** Failure `wrong-state`, `no-primary`: which server is in the way, and what to do about it. */
export function judgeServers({ snapshot, memory }: RecoveryScene): Result<RecoveringServers> {
  const { servers, topology, operation, cluster } = snapshot
  const { restoring } = memory
  const primary = findServer(snapshot, restoring?.primary ?? snapshot.primary)
  if (!primary) return fail('no-primary', `${cluster} has no primary whose data could be replaced`)
  if (without.has(topology) && !restoring)
    return fail('wrong-state', `${cluster} is a ${topology} cluster: its members fill themselves; recover one server`)
  if (operation) return fail('operation-running', `${operation.kind} of ${cluster} is not ended yet`)
  const silent = servers.filter((server) => !isReachable(server) || !server.state)
  if (silent.length > 0)
    return fail(
      'wrong-state',
      `${named(silent)}: no answer. A server that keeps the former data must not return: start it, or remove it from the cluster`,
    )
  const flavours = new Set(servers.map(({ state }) => state?.identity.flavour))
  if (flavours.size > 1) return fail('wrong-state', `the servers of ${cluster} are of several flavours`)
  const others = servers.filter(({ id }) => id !== primary.id)
  if (restoring) return ok({ primary, others })
  const apart = servers.filter(({ id }) => memory.newServers?.[id])
  if (apart.length > 0)
    return fail('wrong-state', `${named(apart)} holds the data of an earlier point: remove it, or attach it, first`)
  const kept = servers.filter(({ id }) => memory.maintenance.includes(id))
  if (kept.length > 0)
    return fail('wrong-state', `${named(kept)} in maintenance: end it, or remove the server from the cluster`)
  for (const server of others) {
    const extra = errantOf(server, primary, memory)
    if (!isEmpty(extra))
      return fail(
        'wrong-state',
        `${server.name} has transactions that ${primary.name} is missing (${errantText(extra, server)}): bring it back first (manager-cli reseed)`,
      )
  }
  return ok({ primary, others })
}

/** Newest first: full ones and what continues them, where the position is known. */
export function chooseOrigins(
  backups: readonly Backup[],
  { backup, target }: ClusterRecoveryWish,
): Result<readonly Backup[]> {
  const newest = chooseChain(backups, { target, ...(backup === undefined ? {} : { backup }) })
  if (!newest.ok) return newest
  const until = newest.value.at(-1)?.startedAt ?? 0
  const usable = backups.filter(
    ({ id, state, tool, position, startedAt }) =>
      state === 'valid' &&
      tool !== 'script' &&
      position !== undefined &&
      (backup === undefined ? startedAt <= until : id === backup),
  )
  return usable.length > 0 ? ok(usable.toReversed()) : fail('no-recovery', 'no backup has a known position')
}

/** Names what a person decides on: the backup, the last transaction that is kept, and the servers. */
export const planIdOf = (
  cluster: string,
  { backup, last, position }: Pick<LocatedPoint, 'backup' | 'last' | 'position'>,
  { primary, others }: RecoveringServers,
): string =>
  [
    'pitr',
    cluster,
    backup,
    last?.gtid ?? position,
    [primary.id, ...others.map(({ id }) => id).toSorted()].join('+'),
  ].join('/')

export function describeRecovery(
  cluster: string,
  point: LocatedPoint,
  { servers, target }: { readonly servers: RecoveringServers; readonly target: ClusterRecoveryWish['target'] },
): ClusterRecoveryPlan {
  const { primary, others } = servers
  return {
    ...point,
    id: planIdOf(cluster, point, servers),
    servers: [
      { server: primary.id, name: primary.name, by: 'restore' },
      ...others.map(({ id, name }) => ({ server: id, name, by: 'refill' as const })),
    ],
    loss: lossOf(point),
    steps: stepsOf(servers, point, target),
    risks: risksOf(point, { servers, target }),
  }
}

function lossOf({ undone, left }: LocatedPoint): string {
  const gone = left.length === 0 ? '' : ` Not a part of this history: ${left.join(', ')}.`
  if (undone.transactions === 0) return `Nothing later is stored.${gone}`
  const { firstAt = 0, lastAt = 0, first = '', last = '' } = undone
  const tables = undone.tables.slice(0, 5).map(describeChanges)
  const more = undone.tables.length > 5 ? `; and ${undone.tables.length - 5} more tables` : ''
  const rows = tables.length === 0 ? '' : `: ${tables.join('; ')}${more}`
  const statements = undone.statements.length === 0 ? '' : ` Statements: ${undone.statements.slice(0, 3).join('; ')}.`
  return `${transactions(undone.transactions)} from ${isoTime(firstAt)} (${first}) to ${isoTime(lastAt)} (${last}) are undone${rows}.${statements}${gone}`
}

/** `shop.orders 3 inserted, 1 deleted`. */
export function describeChanges({ schema, table, inserted, updated, deleted }: TableChanges): string {
  const counts = [
    ...(inserted > 0 ? [`${inserted} inserted`] : []),
    ...(updated > 0 ? [`${updated} updated`] : []),
    ...(deleted > 0 ? [`${deleted} deleted`] : []),
  ]
  return `${schema}.${table} ${counts.join(', ')}`
}

function stepsOf(
  { primary, others }: RecoveringServers,
  { backup }: LocatedPoint,
  target: ClusterRecoveryWish['target'],
): readonly string[] {
  return [
    'Close every server for writes, put all into maintenance, and wait until the last binary log is stored',
    `Restore backup ${backup} into a scratch server on the manager's host, and replay stored binary logs to ${describeTarget(target)}`,
    `Dump the schemas of ${primary.name} to a file, then replace them; its accounts stay as they are, one that has no schema gets those of the backup that it is missing`,
    `Begin a new line of GTIDs on ${primary.name}`,
    ...others.map(({ name }) => `Empty ${name}, and fill it by a dump of ${primary.name}`),
    `Open ${primary.name}; the others follow it`,
    'Make a new backup',
  ]
}

function risksOf(
  { stored, next, undone }: LocatedPoint,
  { servers, target }: { readonly servers: RecoveringServers; readonly target: ClusterRecoveryWish['target'] },
): readonly string[] {
  const { primary, others } = servers
  const atEnd = target.type !== 'end' && next === undefined && undone.transactions === 0
  const mysql = primary.state?.identity.flavour !== 'mariadb'
  return [
    `No server takes writes until ${counted(others.length + 1, 'server')} ${others.length === 0 ? 'is' : 'are'} loaded`,
    ...(atEnd ? [`Stored binary logs end at ${isoTime(stored.to ?? 0)}: what was written later is not restored`] : []),
    ...(mysql ? ['MySQL gives GTIDs of undone transactions again: no server with the former data may return'] : []),
    'Backups from before cannot be continued by binary logs from after it',
  ]
}

const named = (servers: readonly ServerSnapshot[]): string => servers.map(({ name }) => name).join(', ')
