// The record of a backup as clients read it.
import { isoTime } from '../../../../lib/base/time.js'
import type { Backup, BackupKind } from '../../../../lib/model/backup.js'
import { addressText, type ServerId } from '../../../../lib/model/server/server.js'

const methods: Readonly<Record<BackupKind, number>> = { logical: 1, physical: 2 }
const strategies: Readonly<Record<Backup['strategy'], number>> = { full: 1, incremental: 2 }

/** A record; times are RFC 3339, sizes bytes. */
export const renderRecord = (backup: Backup) => ({
  id: backup.id,
  startTime: isoTime(backup.startedAt),
  endTime: backup.endedAt === undefined ? null : isoTime(backup.endedAt),
  backupMethod: methods[backup.kind],
  backupTool: backup.tool,
  toolVersion: backup.toolVersion,
  backupStrategy: strategies[backup.strategy],
  source: addressText(backup),
  dest: backup.path,
  place: backup.place,
  places: [backup.place, ...(backup.also ?? [])],
  size: backup.size,
  rawSize: backup.rawSize,
  compressed: backup.compression !== 'none',
  compression: backup.compression,
  encrypted: backup.encryption !== undefined,
  encryptionAlgo: backup.encryption?.format ?? '',
  encryptionKey: backup.encryption?.key ?? '',
  checksum: backup.checksum ?? '',
  retentionDays: 0,
  binLogFileName: backup.position?.file ?? '',
  binLogFilePos: backup.position?.offset ?? 0,
  binLogUuid: backup.position?.gtid ?? '',
  completed: backup.state === 'valid',
  previous: backup.previous ?? 0,
  ...(backup.keptUntil === undefined ? {} : { keptUntil: isoTime(backup.keptUntil) }),
  ...(backup.proof ? { proof: renderProof(backup.proof) } : {}),
})

/** What a restore showed: durations in seconds. */
const renderProof = ({ at, result, restoreMs, replayedTo, checks }: NonNullable<Backup['proof']>) => ({
  ...{ at: isoTime(at), result, restoreSeconds: Math.round(restoreMs / 100) / 10, checks },
  ...(replayedTo === undefined ? {} : { replayedTo: isoTime(replayedTo) }),
})

/** The latest valid backup of each kind of a server. */
export function renderLastBackups(server: ServerId, backups: readonly Backup[] = []) {
  const latest = (kind: BackupKind) => {
    const found = backups.findLast(
      (backup) => backup.server === server && backup.kind === kind && backup.state === 'valid',
    )
    return found ? renderRecord(found) : null
  }
  return { logical: latest('logical'), physical: latest('physical') }
}
