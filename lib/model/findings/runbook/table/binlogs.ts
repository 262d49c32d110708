// Pages of findings about stored binary logs.
import type { FindingCode } from '../../../findings.js'
import { cli, type Page, sql } from '../kit/page.js'
import { overview } from '../kit/steps.js'

export const binlogPages = {
  ERR00170: {
    means:
      'A person asked for all servers to be as they were at one point, and confirmed the plan. Until the job has ended, every server is closed for writes and in maintenance; no failover and no repair happens.',
    causes: ['The command pitr, or its route.'],
    check: [cli('job list'), cli('job show <number>')],
    act: [
      'Wait for the end of the job. It goes on after a restart of the manager.',
      'Only when it must not go on: end it, and read the finding that follows.',
      cli('job cancel <number>'),
    ],
    avoid: ['Do not open a server by hand: what is written now is lost or splits the history.'],
  },
  ERR00171: {
    means:
      'All servers were being brought back to one point, and that failed or was ended half-way. What the primary held before is in the dump that the log of the job names; nothing is open for writes.',
    causes: [
      'The disk of the manager or of a server is full.',
      'A server did not answer, or refused a statement.',
      'A person ended the job.',
    ],
    check: [cli('job list'), cli('job show <number>'), ...overview],
    act: [
      'Remove the cause, then ask for the same point again, with the id of its plan: completed steps are not repeated.',
      cli('pitr --plan'),
      'Or give it up; then a server that still has the former data can be made the primary by a failover on request.',
      cli('cluster release-pitr'),
    ],
    avoid: ['Do not give it up before you have seen which servers still hold data.'],
  },
  WARN0410: {
    means:
      'The manager stores the binary logs of the primary, and transactions between two stored parts are missing. From a backup that is older, recovery can reach points before the gap only.',
    causes: [
      'The primary removed a file (PURGE BINARY LOGS, expire_logs_days) before it was stored: the manager was stopped for longer than the server keeps its logs.',
      'After a failover the new primary did not write what it had replicated to its binary log (log_slave_updates=OFF).',
      'The server was emptied (RESET MASTER) or recreated.',
    ],
    check: [...overview, sql('SHOW BINARY LOGS'), sql('SELECT @@log_slave_updates')],
    act: ['Start a full backup; the finding ends when it is valid:', cli('backup --physical --wait')],
    avoid: ['Do not delete backups from before the gap while something may have to be recovered from that time.'],
  },
  WARN0411: {
    means:
      'With backup-binlogs the manager reads the binary log of the primary as it is written. It does not at the moment: if the host of the primary were lost now, what is written could not be recovered from stored logs.',
    causes: [
      'The primary does not answer.',
      'The account of db-servers-credential is missing REPLICATION SLAVE or REPLICATION CLIENT (BINLOG MONITOR).',
      'log_bin is off.',
      'Another reader uses check-binlog-server-id: each ends the other.',
      'The disk of the manager is full.',
    ],
    check: [...overview, sql('SHOW BINARY LOGS'), sql('SHOW PROCESSLIST')],
    act: [
      'Correct what the detail names; the storing continues automatically where it stopped.',
      'Set another number where two managers store the same cluster:',
      cli('setting set check-binlog-server-id <number>'),
    ],
    avoid: ['Do not purge binary logs of the primary until they are stored.'],
  },
  WARN0412: {
    means:
      'Stored binary logs are copied to object storage (backup-streaming) and to a restic repository (backup-restic) while they are written. One of these copies fails: if the working directory of the manager were lost now, recovery could reach the instant in the detail only.',
    causes: [
      'The place does not answer, or refuses the keys.',
      'The repository of restic is locked, or its password is another one.',
      'The place is full.',
      'The key file for backup-encryption cannot be read.',
    ],
    check: [...overview],
    act: ['Correct what the detail names; the copy continues automatically.'],
    avoid: ['Do not remove the working directory of the manager while the finding is open.'],
  },
} as const satisfies Partial<Record<FindingCode, Page>>
