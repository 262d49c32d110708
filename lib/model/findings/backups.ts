// Findings of backups: those that are missing, old, unproven, or further from the present than a cluster may be.
import type { Row } from './row.js'

export const backups = {
  WARN0101: [
    'warning',
    'CLUSTER',
    'There is no valid backup that is recent enough.',
    'Make one (manager-cli backup --logical), and enable a schedule; backup-max-age sets the limit, 0 judges nothing.',
  ],
  WARN0111: [
    'warning',
    'CLUSTER',
    'Logical backups are scheduled, and there is no valid one that is recent enough.',
    'manager-cli job list shows how the latest ones ended; make one (manager-cli backup --logical --wait).',
  ],
  WARN0112: [
    'warning',
    'CLUSTER',
    'Physical backups are scheduled, and there is no valid one that is recent enough.',
    'manager-cli job list shows how the latest ones ended; make one (manager-cli backup --physical --wait).',
  ],
  WARN0190: [
    'warning',
    'CLUSTER',
    'There is no logical backup from which a server could return, although autorejoin-logical-backup is on.',
    'Make one (manager-cli backup --logical --wait), or enable another way back; share/doc/backup.md names them.',
  ],
  WARN0400: [
    'warning',
    'CLUSTER',
    'The latest proof of a backup failed: it cannot be relied on.',
    'Make another backup and prove it; manager-cli backups shows the checks that failed.',
  ],
  WARN0401: [
    'warning',
    'CLUSTER',
    'No backup was proven to restore recently enough.',
    'Prove one; backup-proof-age sets the limit, 0 judges nothing.',
  ],
  WARN0402: [
    'warning',
    'CLUSTER',
    'The latest proof took longer than a recovery may take.',
    'Restore physical backups rather than logical ones, or raise backup-recovery-time.',
  ],
  WARN0403: [
    'warning',
    'CLUSTER',
    'The stored binary logs do not reach as near to the present as backup-recovery-point asks for.',
    'Enable backup-binlogs, and check its job and the disk of its place.',
  ],
  WARN0404: [
    'warning',
    'CLUSTER',
    'The place of the backups is nearly full.',
    'Free space, or keep fewer backups; at backup-disk-threshold-crit no backup begins.',
  ],
  WARN0405: [
    'warning',
    'CLUSTER',
    'A server that was created for a recovery could not be removed: what is left of it stays on its host, and it is kept apart.',
    'Remove the cause in the detail, then remove it again (manager-cli recovered remove <server>); a restarted manager tries it once, too.',
  ],
} as const satisfies Readonly<Record<string, Row>>
