// Work that is done by schedule: rolling work, and jobs.
import { type RollKind, rollTitles } from './roll.js'

/** Jobs that a schedule begins, as sentences name them. */
export const scheduledJobs = {
  'backup-logical': 'logical backup',
  'backup-physical': 'physical backup',
  'backup-proof': 'proof of a backup',
  logs: 'copy of logs',
  'log-tables': 'rotation of log tables',
  analyze: 'renewal of statistics',
  'run-jobs': 'run of the job script',
  checksum: 'checksum of all tables',
  'schema-scan': 'scan of the schema',
} as const

export type ScheduledJob = keyof typeof scheduledJobs

export type ScheduledKind = RollKind | ScheduledJob

export const isScheduledJob = (kind: ScheduledKind): kind is ScheduledJob => kind in scheduledJobs

export const scheduledTitles: Readonly<Record<ScheduledKind, string>> = { ...rollTitles, ...scheduledJobs }
