// The backups of a cluster as clients read them: entries like those of restic, and the record of each.
import { isoTime } from '../../../../lib/base/time.js'
import { judgePolicy } from '../../../../lib/decide/backup/policy.js'
import type { BackupKind } from '../../../../lib/model/backup.js'
import { isOpenJob } from '../../../../lib/model/operation/job.js'
import { renderRecord } from '../kit/backup-record.js'
import type { ViewInput } from '../kit/input.js'

/** `C/backups`: oldest first. */
export const renderBackups = ({ backups = [] }: Pick<ViewInput, 'backups'>) =>
  backups.map((backup) => ({
    id: String(backup.id),
    short_id: String(backup.id).slice(-8),
    time: isoTime(backup.startedAt),
    tree: backup.checksum ?? '',
    paths: [backup.path],
    hostname: backup.host,
    username: '',
    uid: 0,
    gid: 0,
    tags: [backup.cluster, backup.kind, backup.tool, backup.strategy, backup.version],
    backup: renderRecord(backup),
  }))

/** The fields of a cluster that tell of its backups. */
export function renderClusterBackups({ backups = [], jobs = [], policy, now }: ViewInput) {
  const open = (kind: BackupKind): boolean =>
    jobs.some((job) => job.task === `backup-${kind}` && job.state === 'running' && isOpenJob(job))
  const files = backups.reduce((sum, { files }) => sum + (files?.length ?? 1), 0)
  return {
    inLogicalBackup: open('logical'),
    inPhysicalBackup: open('physical'),
    inResticBackup: jobs.some(({ task, state }) => task === 'archive' && state === 'running'),
    isValidBackup:
      backups.some(({ state }) => state === 'valid') &&
      (policy === undefined || !judgePolicy({ backups }, policy, now).some(({ code }) => code === 'WARN0101')),
    backupList: Object.fromEntries(backups.map((backup) => [String(backup.id), renderRecord(backup)])),
    backupStat: {
      total_size: backups.reduce((sum, { size }) => sum + size, 0),
      total_file_count: files,
      total_blob_count: files,
    },
  }
}
