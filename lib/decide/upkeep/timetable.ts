// When scheduled work is due. Pure: the clock is an argument. Times are those of the wall, in the zone of the process.
import { Cron } from 'croner'
import { MINUTE, SECOND } from '../../base/time.js'
import type { ScheduledKind } from '../../model/operation/scheduled.js'
import type { Settings } from '../../settings/index.js'

/** Work that is to be done again and again. */
export interface Scheduled {
  readonly kind: ScheduledKind
  /** Six fields, seconds first, or `@every` with a duration. */
  readonly pattern: string
}

/** With the moment at which it is due next, milliseconds since the epoch. */
export interface Entry extends Scheduled {
  readonly due: number
}

export interface Turn {
  readonly begin: readonly Entry[]
  /** Their time passed while the manager could not act: they are skipped. */
  readonly missed: readonly Entry[]
  /** Every entry from now on; what is never due again is gone. */
  readonly entries: readonly Entry[]
}

/** After so long an entry counts as missed: the machine slept, or its clock was set. */
const LATEST_MS = MINUTE

/** Each kind of work with the setting that enables it and its schedule. */
const rows = [
  ['restart', 'scheduler-rolling-restart', 'scheduler-rolling-restart-cron'],
  ['reprov', 'scheduler-rolling-reprov', 'scheduler-rolling-reprov-cron'],
  ['optimize', 'scheduler-db-servers-optimize', 'scheduler-db-servers-optimize-cron'],
  ['backup-logical', 'scheduler-db-servers-logical-backup', 'scheduler-db-servers-logical-backup-cron'],
  ['backup-physical', 'scheduler-db-servers-physical-backup', 'scheduler-db-servers-physical-backup-cron'],
  ['backup-proof', 'scheduler-backup-proof', 'scheduler-backup-proof-cron'],
  ['logs', 'scheduler-db-servers-logs', 'scheduler-db-servers-logs-cron'],
  ['log-tables', 'scheduler-db-servers-logs-table-rotate', 'scheduler-db-servers-logs-table-rotate-cron'],
  ['analyze', 'scheduler-db-servers-analyze', 'scheduler-db-servers-analyze-cron'],
  ['run-jobs', 'scheduler-jobs-ssh', 'scheduler-jobs-ssh-cron'],
  ['checksum', 'monitoring-checksum-scheduler', 'monitoring-checksum-scheduler-cron'],
  ['schema-scan', 'monitoring-schema-scheduler', 'monitoring-schema-scheduler-cron'],
] as const satisfies readonly (readonly [ScheduledKind, string, string])[]

type ScheduleSettings = Pick<Settings, 'monitoring-scheduler' | (typeof rows)[number][1 | 2]>

/** What the settings want done by schedule: nothing while `monitoring-scheduler` is off. */
export const scheduledWork = (settings: ScheduleSettings): readonly Scheduled[] =>
  rows.flatMap(([kind, wanted, pattern]) =>
    settings['monitoring-scheduler'] && settings[wanted] ? [{ kind, pattern: settings[pattern] }] : [],
  )

/** The entries of what is configured: those that were there already keep their moment, new ones begin to count now. */
export const timetable = (wanted: readonly Scheduled[], before: readonly Entry[], now: number): readonly Entry[] =>
  wanted.flatMap(
    (work) => before.find(({ kind, pattern }) => kind === work.kind && pattern === work.pattern) ?? after(work, now),
  )

/** What is due by now, and when everything is due next. */
export function turn(entries: readonly Entry[], now: number): Turn {
  const passed = entries.filter(({ due }) => due <= now)
  return {
    begin: passed.filter(({ due }) => now - due <= LATEST_MS),
    missed: passed.filter(({ due }) => now - due > LATEST_MS),
    entries: entries.flatMap((entry) => (entry.due <= now ? after(entry, now) : entry)),
  }
}

/** The first moment of a pattern after `at`; undefined when there is none. */
export function nextTime(pattern: string, at: number): number | undefined {
  const every = /^@every (?:(\d+)h)?(?:(\d+)m)?(?:(\d+)s)?$/.exec(pattern)
  if (every) {
    const [hours = 0, minutes = 0, seconds = 0] = every.slice(1).map((part) => Number(part ?? 0))
    const length = ((hours * 60 + minutes) * 60 + seconds) * SECOND
    return length > 0 ? at + length : undefined
  }
  const cron = new Cron(pattern, { paused: true, sloppyRanges: true, mode: '6-part' })
  return cron.nextRun(new Date(at))?.getTime()
}

function after({ kind, pattern }: Scheduled, now: number): readonly Entry[] {
  const due = nextTime(pattern, now)
  return due === undefined ? [] : [{ kind, pattern, due }]
}
