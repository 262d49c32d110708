// Begins the jobs of the timetable: one row each.
import type { Result } from '../../../lib/base/result.js'
import type { ScheduledJob } from '../../../lib/model/operation/scheduled.js'
import type { HostJobs } from '../hosts/host-jobs.js'
import { refuseBesideRival } from '../state/step/observed.js'
import type { Backups } from './backups.js'
import type { Recovery } from './recovery.js'

/** A running cluster with jobs by schedule. */
export interface Scheduling {
  readonly state: Parameters<typeof refuseBesideRival>[0]
  readonly backups: Backups
  readonly schemas: { begin(request: { readonly user: string }): Result<unknown> }
  readonly checksums: { begin(request: { readonly user: string }): Result<unknown> }
  readonly hostJobs: HostJobs
  readonly recovery: Recovery
}

type Begin = (actor: Scheduling, user: string) => Result<unknown> | Promise<Result<unknown>>

const rows: Readonly<Record<ScheduledJob, Begin>> = {
  'backup-logical': ({ backups }, user) => backups.begin({ kind: 'logical' }, { user }),
  'backup-physical': ({ backups }, user) => backups.begin({ kind: 'physical' }, { user }),
  'backup-proof': ({ recovery }, user) => recovery.ask({ purpose: { type: 'prove' } }, { user, wait: false }),
  logs: ({ hostJobs }, user) => hostJobs.beginOnAll('logs', user),
  'log-tables': ({ hostJobs }, user) => hostJobs.beginOnAll('log-tables', user),
  analyze: ({ hostJobs }, user) => hostJobs.beginOnAll('analyze', user),
  'run-jobs': ({ hostJobs }, user) => hostJobs.beginOnAll('run-jobs', user),
  checksum: ({ checksums }, user) => checksums.begin({ user }),
  'schema-scan': ({ schemas }, user) => schemas.begin({ user }),
}

/** Of two managers without a shared store only the one that acts begins what both have in their schedules: `other-manager`. */
export const beginScheduled = async (actor: Scheduling, kind: ScheduledJob, user: string): Promise<Result<unknown>> =>
  refuseBesideRival(actor.state) ?? rows[kind](actor, user)
