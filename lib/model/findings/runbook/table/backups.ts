// Pages of findings of backups: missing, old and unproven ones, and full places.
import { cli, type Page, type Step, shell } from '../kit/page.js'

const jobs: readonly Step[] = [
  'The backups that there are, and how the latest jobs ended:',
  cli('backups'),
  cli('job list'),
  'The lines of a job, with what its program wrote:',
  cli('job show <job>'),
]

const now: readonly Step[] = ['Make one now; the plan names its source and its size:']

const scheduled = (kind: 'logical' | 'physical'): Page => ({
  means: `A ${kind} backup is to be made by schedule, and the newest valid one is older than backup-max-age. After a loss of data less can be restored than the policy of the cluster promises.`,
  causes: [
    'The job fails: the program is missing, the disk is full, no server can be copied.',
    'The job was cancelled, or ended by backup-timeout.',
    'The manager was down at the moment of the schedule: what it missed is not made up for.',
  ],
  check: [...jobs],
  act: [
    ...now,
    cli(`backup --${kind} --plan`),
    cli(`backup --${kind} --wait`),
    'When the schedule itself is wrong:',
    cli(`setting list --name scheduler-db-servers-${kind}-backup-cron`),
  ],
  avoid: ['Do not raise backup-max-age to close the finding: it says what you can lose.'],
})

export const backupPages = {
  WARN0101: {
    means:
      'No valid backup of the cluster is younger than backup-max-age. Servers replace each other, but a dropped table or a faulty program is replicated: only a backup brings the data back.',
    causes: [
      'Backups are not scheduled: monitoring-scheduler is off by default.',
      'The jobs fail: the program is missing, the disk is full, no server can be copied.',
      'Other means make the backups, and the manager does not know of them.',
    ],
    check: [...jobs],
    act: [
      ...now,
      cli('backup --logical --plan'),
      cli('backup --logical --wait'),
      'Make them by schedule:',
      cli('setting set monitoring-scheduler true'),
      cli('setting set scheduler-db-servers-logical-backup true'),
      'Where other means make them, tell the manager not to judge:',
      cli('setting set backup-max-age 0'),
    ],
    avoid: ['Do not take replicas for backups: they repeat every mistake within milliseconds.'],
  },
  WARN0111: scheduled('logical'),
  WARN0112: scheduled('physical'),
  WARN0190: {
    means:
      'A server that diverged or lost its data is to be filled from the newest stored logical backup, and there is none that can be used. It would stay alone, unless another way back is enabled.',
    causes: [
      'No logical backup was made yet, or none is left.',
      'Those that there are were made by a script, or do not say at which GTID they were made.',
    ],
    check: [...jobs],
    act: [...now, cli('backup --logical --plan'), cli('backup --logical --wait')],
    avoid: ['Do not remove the last logical backup while the setting is on.'],
  },
  WARN0400: {
    means:
      'A backup was restored into a scratch server, and the result was not what the backup says it is. Other backups of the same kind may be as bad.',
    causes: [
      'Stored bytes were changed or are missing: the disk of the place, or another program.',
      'The program of the backup copied a table while it changed: engines without transactions.',
      'The scratch server had too little memory or disk to finish.',
    ],
    check: ['The checks that failed are in the detail and in the list:', ...jobs],
    act: [...now, cli('backup --physical --wait'), cli('backup --logical --wait')],
    avoid: ['Do not remove older backups before a newer one was proven.'],
  },
  WARN0401: {
    means: 'No backup was restored and checked within backup-proof-age: whether they can be restored is a guess.',
    causes: ['Proofs are not scheduled.', 'The jobs of proofs fail, or are cancelled.'],
    check: [...jobs],
    act: ['Let the next proof run, or raise the limit:', cli('setting set backup-proof-age 336')],
    avoid: ['Do not wait for the first real restore to find out.'],
  },
  WARN0402: {
    means:
      'A restore takes longer than the cluster may be down (backup-recovery-time): the latest proof measured it, from the beginning to a server that answers with everything replayed.',
    causes: [
      'A logical backup of a large server: it is loaded statement by statement.',
      'Many binary logs to replay since the backup.',
      'A slow disk, or little memory, on the host of the proof.',
    ],
    check: ['The duration of each proof is in the list:', ...jobs],
    act: ['Make physical backups, and more often:', cli('setting set scheduler-db-servers-physical-backup true')],
    avoid: ['Do not raise the limit without asking those who rely on it.'],
  },
  WARN0403: {
    means:
      'Point-in-time recovery reaches as far as the stored binary logs. They are further behind the primary than backup-recovery-point, or are not stored: what was written since would be lost with the host of the primary.',
    causes: [
      'backup-binlogs is off.',
      'The place of the backups does not answer or is full.',
      'The account of the manager may not read binary logs (REPLICATION SLAVE).',
    ],
    check: [...jobs],
    act: ['Store them continuously:', cli('setting set backup-binlogs true')],
    avoid: ['Do not purge binary logs of the servers while the finding is open: they are the only ones.'],
  },
  WARN0404: {
    means:
      'The file system of the backups is fuller than backup-disk-threshold-warn. From backup-disk-threshold-crit on no backup begins, and the newest one grows old.',
    causes: [
      'More backups are kept than fit: backup-keep-hourly to backup-keep-yearly.',
      'The data have grown.',
      'Something else fills the file system.',
    ],
    check: [
      'On the host of the manager, what is large:',
      shell('du --max-depth=3 --human-readable <directory>'),
      ...jobs,
    ],
    act: ['Keep fewer:', cli('setting set backup-keep-daily 1')],
    avoid: ['Do not remove files of a backup by hand: remove whole directories of a backup.'],
  },
  WARN0405: {
    means:
      'A recovery onto a new server failed, was cancelled, or its server was given up, and the removal failed. The server is in no decision; its data, its process or its entry in the list of servers may be left.',
    causes: [
      'The host or its orchestrator does not answer.',
      'The script of the orchestrator that removes a server failed.',
      'The list of servers could not be written: the disk of the manager.',
    ],
    check: ['Which server it is, and what failed last:', cli('recovered list'), ...jobs],
    act: ['Remove the cause, then try again:', cli('recovered remove <server>')],
    avoid: [
      'Do not only remove it from db-servers-hosts: its data stay on the host, and the next server at that address is refused.',
    ],
  },
} as const satisfies Readonly<Record<string, Page>>
