// Room for the next backup: estimated, judged, and made where the settings allow it; a disk is never filled unasked.
import { done, fail, type Result } from '../../base/result.js'
import { now } from '../../base/time.js'
import { planPurge, planRoom } from '../../decide/backup/retention.js'
import type { Backup, BackupKind } from '../../model/backup.js'
import { renderSize } from '../../model/operation/job-progress.js'
import type { Catalogue } from '../catalogue/index.js'
import type { BackupStorage } from '../place/from-settings.js'
import { estimateBytes, judgeSpace, type SpaceVerdict } from '../place/space.js'

export interface RoomRequest {
  readonly storage: BackupStorage
  readonly catalogue: Catalogue
  readonly kind: BackupKind
  readonly backups: readonly Backup[]
  /** Of the server, by its own count; undefined where it is not known. */
  readonly dataBytes: number | undefined
}

/** Failure `backup-refused`: the place would be too full. */
export async function makeRoom(request: RoomRequest, log: (line: string) => void): Promise<Result<void>> {
  const { storage, kind, backups, dataBytes } = request
  const bytes = estimateBytes(kind, backups, dataBytes)
  log(`About ${renderSize(bytes)} will be stored`)
  const early = storage.keepUntilValid ? [] : planRoom(backups, storage.retention, { kind, startedAt: now() })
  const removed = await removeAll(request, early, log)
  if (!removed.ok) return removed
  const first = await judge(request, bytes)
  if (!first.ok || first.value?.state !== 'critical') return first.ok ? done : first
  if (!storage.disk.purgeOldest) return tooFull(first.value, storage, bytes)
  const left = backups.filter((backup) => !early.includes(backup))
  const purged = await removeAll(request, planPurge(left, first.value.missingBytes), log)
  if (!purged.ok) return purged
  const second = await judge(request, bytes)
  if (!second.ok) return second
  return second.value?.state === 'critical' ? tooFull(second.value, storage, bytes) : done
}

async function judge({ catalogue, storage }: RoomRequest, bytes: number): Promise<Result<SpaceVerdict | undefined>> {
  const free = await catalogue.place.free()
  if (!free.ok) return free
  return { ok: true, value: free.value && judgeSpace(free.value, storage.disk, bytes) }
}

const tooFull = ({ expectedPercent }: SpaceVerdict, { disk }: BackupStorage, bytes: number): Result<never> =>
  fail(
    'backup-refused',
    `about ${renderSize(bytes)} are needed: the place of the backups would be ${Math.min(Math.ceil(expectedPercent), 100)} % full, ` +
      `backup-disk-threshold-crit is ${disk.criticalPercent} %; free space, or keep fewer backups`,
  )

/** In their order, which an interruption may end anywhere. */
export async function removeAll(
  { catalogue }: Pick<RoomRequest, 'catalogue'>,
  backups: readonly Backup[],
  log: (line: string) => void,
): Promise<Result<void>> {
  for (const backup of backups) {
    const removed = await catalogue.remove(backup)
    if (!removed.ok) return removed
    log(`Backup ${backup.id} (${backup.kind}, ${renderSize(backup.size)}) is no longer kept`)
  }
  return done
}
