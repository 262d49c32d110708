// Whether a place has room for the next backup: its file system, and what the last ones needed.
import type { Backup } from '../../model/backup.js'
import type { DiskLimits } from './from-settings.js'
import type { Space } from './place.js'

/** A backup grows with its data; the estimate is larger by this factor. */
const GROWTH = 1.5

export interface SpaceVerdict {
  readonly state: 'enough' | 'warning' | 'critical'
  /** Percent in use, now and with the next backup. */
  readonly usedPercent: number
  readonly expectedPercent: number
  /** Bytes that must become free before it is not critical any more; 0 when it is not. */
  readonly missingBytes: number
}

/** Bytes that the next full backup of this kind may need: half more than the last valid one; without one, the size of the data. */
export function estimateBytes(kind: Backup['kind'], backups: readonly Backup[], dataBytes: number | undefined): number {
  const last = backups
    .filter((each) => each.kind === kind && each.state === 'valid' && each.strategy === 'full')
    .reduce<Backup | undefined>(
      (newest, each) => (!newest || each.startedAt > newest.startedAt ? each : newest),
      undefined,
    )
  return last ? Math.ceil(last.size * GROWTH) : (dataBytes ?? 0)
}

export function judgeSpace(space: Space, limits: DiskLimits, nextBytes: number): SpaceVerdict {
  const used = space.totalBytes - space.freeBytes
  const percent = (bytes: number) => (space.totalBytes === 0 ? 0 : (bytes / space.totalBytes) * 100)
  const [usedPercent, expectedPercent] = [percent(used), percent(used + nextBytes)]
  const isOver = (bound: number) => bound > 0 && expectedPercent >= bound
  const isCritical = isOver(limits.criticalPercent) || nextBytes > space.freeBytes
  const bound = limits.criticalPercent > 0 ? (limits.criticalPercent / 100) * space.totalBytes : space.totalBytes
  return {
    state: isCritical ? 'critical' : isOver(limits.warnPercent) ? 'warning' : 'enough',
    ...{ usedPercent, expectedPercent },
    missingBytes: isCritical ? Math.max(1, Math.ceil(used + nextBytes - bound)) : 0,
  }
}
