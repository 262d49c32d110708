// Which backups a recovery is made of, and what it would do. Pure.
import { fail, ok, type Result } from '../../base/result.js'
import { isoTime } from '../../base/time.js'
import type { Backup } from '../../model/backup.js'
import type { RunningRecovery } from '../../model/operation/cluster-recovery.js'
import type { Preview } from '../../model/operation/preview.js'
import type { RecoveryTarget, RecoveryWish } from '../../model/operation/recovery.js'
import { findServer, type ServerSnapshot, type Snapshot } from '../../model/snapshot.js'

/** The chosen backup with those that it continues, oldest first. Failure: `no-recovery`. */
export function chooseChain(
  backups: readonly Backup[],
  { backup: id, target }: Pick<RecoveryWish, 'backup' | 'target'>,
): Result<readonly Backup[]> {
  const until = target?.type === 'time' ? target.at : Number.POSITIVE_INFINITY
  const valid = backups.filter(({ state, tool }) => state === 'valid' && tool !== 'script')
  const chosen =
    id === undefined
      ? valid.findLast(({ endedAt, startedAt }) => (endedAt ?? startedAt) <= until)
      : valid.find((each) => each.id === id)
  if (!chosen) {
    const before = until === Number.POSITIVE_INFINITY ? '' : ` from before ${isoTime(until)}`
    return fail(
      'no-recovery',
      `there is no valid backup${id === undefined ? before : ` ${id}`} that can be restored here`,
    )
  }
  const chain = [chosen]
  for (let first = chosen; first.previous !== undefined; ) {
    const before = backups.find((each) => each.id === first.previous)
    if (!before) return fail('no-recovery', `backup ${first.previous}, which ${first.id} continues, is missing`)
    chain.unshift(before)
    first = before
  }
  return ok(chain)
}

/** The replica that is replaced, or the server that is compared with. */
export function chooseServer(
  { servers, primary }: Pick<Snapshot, 'servers' | 'primary'>,
  { purpose }: Pick<RecoveryWish, 'purpose'>,
): Result<ServerSnapshot> {
  if (purpose.type !== 'load') {
    const answering = servers.filter(({ observation }) => observation === 'answered')
    const source =
      answering.find(({ id, state, maintenance }) => id !== primary && state?.logReplicaUpdates && !maintenance) ??
      answering.find(({ id }) => id === primary) ??
      servers[0]
    return source ? ok(source) : fail('wrong-state', 'the cluster has no server')
  }
  const server = findServer({ servers }, purpose.server)
  if (!server) return fail('unknown-server', `${purpose.server} is no server of the cluster`)
  const { id, name } = server
  if (id === primary)
    return fail('wrong-state', `${name} is the primary: switch over first, then recover it as a replica`)
  if (server.observation !== 'answered') return fail('wrong-state', `${name} does not answer`)
  const followers = servers.filter(({ sourceId }) => sourceId === id).map((each) => each.name)
  return followers.length === 0
    ? ok(server)
    : fail('wrong-state', `${followers.join(', ')} follow ${name}: relocate them first`)
}

/** Never a failure: a refusal is part of the preview. */
export function previewRecovery(
  snapshot: Pick<Snapshot, 'servers' | 'primary'>,
  backups: readonly Backup[],
  wish: RecoveryWish,
): Preview {
  const kind = wish.purpose.type === 'load' ? 'pitr' : wish.purpose.type === 'dump' ? 'recover-tables' : 'prove-backup'
  const [chain, server] = [chooseChain(backups, wish), chooseServer(snapshot, wish)]
  const refused = chain.ok ? (server.ok ? undefined : server.failure) : chain.failure
  if (!chain.ok || !server.ok) return { kind, possible: false, refusal: refused?.message ?? '', steps: [], risks: [] }
  const texts = [...restoring(chain.value, wish.target), ...using(wish, server.value.name)]
  const risks =
    wish.purpose.type === 'load'
      ? [`Everything that ${server.value.name} holds is replaced; the dump is what is left of it`]
      : []
  return { kind, possible: true, steps: texts.map((text) => ({ text, blocksWrites: false })), risks }
}

function restoring(chain: readonly Backup[], target: RecoveryTarget | undefined): readonly string[] {
  const named = chain.map(({ id, tool, strategy }) => `${id} (${strategy}, ${tool})`).join(', then ')
  const replay = target ? [`Replay stored binary logs to ${describeTarget(target)}`] : []
  return [`Restore backup ${named} into a scratch server on the manager's host`, ...replay]
}

function using({ purpose }: RecoveryWish, server: string): readonly string[] {
  const last = 'Remove the scratch server'
  if (purpose.type === 'prove') return [`Check its tables, and compare a sample of them with ${server}`, last]
  if (purpose.type === 'dump') return [`Dump ${[purpose.schema, ...purpose.tables].join(' ')} to a file`, last]
  return [
    `Put ${server} into maintenance, and end its replication`,
    `Dump the schemas of ${server} to a file, then replace them`,
    'Set its GTID position to that of the restored data; it stays detached',
    last,
  ]
}

/** In words: to which point a recovery of all servers that has begun leads, by whom and since when. */
export const describeRunning = ({ wish, user, since }: RunningRecovery): string =>
  `to ${describeTarget(wish.target)}, requested by ${user} at ${isoTime(since)}`

/** In words. */
export function describeTarget(target: RecoveryTarget): string {
  if (target.type === 'time') return `the last transaction until ${isoTime(target.at)}`
  if (target.type === 'gtid') return target.inclusive ? `the end of ${target.gtid}` : `just before ${target.gtid}`
  return target.type === 'position' ? `${target.file} offset ${target.offset}` : 'the end of what is stored'
}
