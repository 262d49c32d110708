// Which server a backup is taken from: one that was named for it, else the best replica, else the primary. Pure.
import { fail, ok, type Result } from '../../base/result.js'
import type { BackupKind } from '../../model/backup.js'
import { addressText, type ServerId } from '../../model/server/server.js'
import { findServer, mainChannel, type ServerSnapshot, type Snapshot } from '../../model/snapshot.js'
import type { Settings } from '../../settings/index.js'
import { isKeptBehind } from '../situation/validity.js'

export interface SourceQuestion {
  readonly snapshot: Pick<Snapshot, 'servers' | 'primary'>
  readonly settings: Pick<Settings, 'db-servers-backup-hosts' | 'replication-source-name'>
  readonly kind: BackupKind
  /** A person has named it: only it is judged. */
  readonly server?: ServerId | 'primary'
  /** Those that an earlier attempt came to nothing on: taken when there is no other. */
  readonly avoid?: readonly ServerId[]
  /** Servers that a physical backup cannot be taken from, by id, and why. */
  readonly unfit?: Readonly<Record<ServerId, string>>
}

export interface SourceRow {
  readonly server: ServerId
  readonly name: string
  /** Why it cannot be the source; absent where it can. */
  readonly refused?: string
  /** Why it stands where it does. */
  readonly reason: string
}

export interface SourceChoice {
  readonly server: ServerSnapshot
  /** Every server that was considered, the chosen one first. */
  readonly rows: readonly SourceRow[]
}

/** Failure: `wrong-state` with the reason of every server. */
export function chooseSource(question: SourceQuestion): Result<SourceChoice> {
  const { snapshot } = question
  const named = question.server === 'primary' ? snapshot.primary : question.server
  if (question.server === 'primary' && named === undefined) return fail('no-primary', 'the cluster has no primary')
  const considered = snapshot.servers.filter(({ id }) => named === undefined || id === named)
  const judged = considered
    .map((server) => ({ server, refused: refusalOf(server, question), rank: rankOf(server, question) }))
    .toSorted(
      (a, b) => Number(a.refused !== undefined) - Number(b.refused !== undefined) || compareRanks(a.rank, b.rank),
    )
  const rows = judged.map(({ server, refused, rank }) => ({
    ...{ server: server.id, name: server.name, reason: refused ?? rank.reason },
    ...(refused === undefined ? {} : { refused }),
  }))
  const best = judged.find(({ refused }) => refused === undefined)
  if (best) return ok({ server: best.server, rows })
  const reasons = rows.map(({ name, reason }) => `${name} ${reason}`).join('; ')
  return fail('wrong-state', reasons === '' ? 'there is no server' : `no server can be backed up: ${reasons}`)
}

interface Rank {
  /** Lower is better. */
  readonly class: number
  readonly lag: number
  readonly reason: string
}

const compareRanks = (a: Rank, b: Rank): number => a.class - b.class || a.lag - b.lag

function refusalOf(server: ServerSnapshot, { snapshot, settings, unfit = {} }: SourceQuestion): string | undefined {
  if (server.maintenance) return 'is in maintenance'
  if (server.observation !== 'answered') return 'does not answer'
  if (unfit[server.id] !== undefined) return unfit[server.id]
  const { state } = server
  if (!state) return 'was not read yet'
  if (server.id === snapshot.primary || state.galera) return galeraRefusal(server)
  const channel = mainChannel(server, settings['replication-source-name'])
  if (!channel) return server.role === 'standalone' && snapshot.servers.length === 1 ? undefined : 'does not replicate'
  if (channel.sql !== 'running' || channel.io !== 'running')
    return 'does not replicate: a replication thread is stopped'
  if (server.missingOwn !== undefined) return 'is missing transactions of its own'
  if (server.ambiguous !== undefined) return 'passed over transactions of the primary (ERR00128)'
  if (!state.binlog || !state.logReplicaUpdates)
    return 'does not log what it replicates: the position of its data would not be known'
  return undefined
}

const galeraRefusal = ({ state }: ServerSnapshot): string | undefined =>
  state?.galera && state.galera.state !== 'synced' ? `is not synced (${state.galera.comment})` : undefined

function rankOf(server: ServerSnapshot, { snapshot, settings, avoid = [] }: SourceQuestion): Rank {
  const lag = mainChannel(server, settings['replication-source-name'])?.lagSeconds ?? 0
  const behind = `${lag} s behind`
  if (avoid.includes(server.id)) return { class: 9, lag, reason: 'an earlier attempt on it came to nothing' }
  const place = settings['db-servers-backup-hosts'].findIndex((host) => isNamed(server, host))
  if (place >= 0) return { class: 0, lag: place, reason: `is named by db-servers-backup-hosts, ${behind}` }
  if (server.id === snapshot.primary) return { class: 8, lag, reason: 'is the primary: no replica can be backed up' }
  if (isKeptBehind(server)) return { class: 4, lag, reason: `is kept behind on purpose, ${behind}` }
  if (server.rating === 'ignored') return { class: 1, lag, reason: `is ignored in elections, ${behind}` }
  if (isOnlyCandidate(server, snapshot))
    return { class: 3, lag, reason: `is the only candidate of a failover, ${behind}` }
  return { class: 2, lag, reason: `is a replica, ${behind}` }
}

/** No other replica could take over: it is better left alone. */
const isOnlyCandidate = (server: ServerSnapshot, { servers, primary }: SourceQuestion['snapshot']): boolean =>
  !servers.some(
    (other) =>
      other.id !== server.id &&
      other.id !== primary &&
      other.observation === 'answered' &&
      !other.maintenance &&
      other.rating !== 'ignored' &&
      !isKeptBehind(other),
  )

const isNamed = (server: ServerSnapshot, host: string): boolean =>
  host === addressText(server) || host === server.host || host === server.name

/** Servers of an operation that moves the primary: a job that reads one of them gives way. */
export const affectedBy = (
  { servers }: Pick<Snapshot, 'servers'>,
  operation: { readonly oldPrimary?: ServerId; readonly newPrimary?: ServerId },
): readonly ServerSnapshot[] =>
  [operation.oldPrimary, operation.newPrimary].flatMap((id) => findServer({ servers }, id) ?? [])
