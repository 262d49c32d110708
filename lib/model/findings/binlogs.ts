// Findings of stored binary logs.
import type { Row } from './row.js'

export const binlogs = {
  WARN0410: [
    'warning',
    'CLUSTER',
    'Stored binary logs have a gap: a point in time after it cannot be reached from a backup before it.',
    'Start a full backup: points after it can be reached again. The detail names the transactions that are stored nowhere.',
  ],
  WARN0411: [
    'warning',
    'CLUSTER',
    'Binary logs are not being stored: what is written now could not be recovered.',
    'The detail has the cause. The account of db-servers-credential needs REPLICATION SLAVE and REPLICATION CLIENT, and check-binlog-server-id must be free.',
  ],
  WARN0412: [
    'warning',
    'CLUSTER',
    'Stored binary logs are not copied to the place of the backups: they are lost with the working directory.',
    'The detail names the place and the cause; the copy continues automatically where it stopped.',
  ],
} as const satisfies Record<string, Row>
