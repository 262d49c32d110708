// Whether a cluster has the backups that its policy wants. Pure.
import { DAY, HOUR, isoTime, MINUTE, SECOND } from '../../base/time.js'
import type { Backup, BackupKind, BackupPolicy } from '../../model/backup.js'
import type { FindingCode } from '../../model/findings.js'
import type { Settings } from '../../settings/index.js'

export type PolicySettings = Pick<
  Settings,
  | 'backup-max-age'
  | 'backup-recovery-point'
  | 'backup-recovery-time'
  | 'backup-proof-age'
  | 'backup-binlogs'
  | 'autorejoin-logical-backup'
  | 'monitoring-scheduler'
  | 'scheduler-db-servers-logical-backup'
  | 'scheduler-db-servers-physical-backup'
>

/** What is known of a cluster's backups; undefined parts were not read yet, and nothing is concluded from them. */
export interface BackupFacts {
  /** Newest last. */
  readonly backups: readonly Backup[] | undefined
  /** How far stored binary logs are behind the primary, milliseconds; undefined where none ever were complete. */
  readonly behindMs?: number | undefined
  /** How far the nearest copy of them elsewhere is; undefined where none is configured. */
  readonly copyBehindMs?: number | undefined
  /** How full their place is, percent, where that is reported. */
  readonly fullPercent?: number | undefined
}

export const policyOf = (settings: PolicySettings): BackupPolicy => ({
  maxAgeMs: settings['backup-max-age'] * HOUR,
  recoveryPointMs: settings['backup-recovery-point'] * SECOND,
  recoveryTimeMs: settings['backup-recovery-time'] * SECOND,
  proofAgeMs: settings['backup-proof-age'] * HOUR,
})

export interface Breach {
  readonly code: FindingCode
  readonly detail: string
}

/** Every part of the policy that does not hold. */
export function judgePolicy(facts: BackupFacts, settings: PolicySettings, now: number): readonly Breach[] {
  const { backups } = facts
  if (backups === undefined) return []
  const policy = policyOf(settings)
  const valid = backups.filter(({ state }) => state === 'valid')
  return [
    ...judgeAge(valid, { settings, policy, now }),
    ...judgeProof(valid, policy, now),
    ...judgeReturn(valid, settings),
    ...judgeRecoveryPoint(facts, policy, settings['backup-binlogs']),
    ...(facts.fullPercent === undefined
      ? []
      : [{ code: 'WARN0404' as const, detail: `${facts.fullPercent} % are used.` }]),
  ]
}

interface AgeQuestion {
  readonly settings: PolicySettings
  readonly policy: BackupPolicy
  readonly now: number
}

function judgeAge(valid: readonly Backup[], { settings, policy, now }: AgeQuestion): readonly Breach[] {
  const { maxAgeMs } = policy
  if (maxAgeMs === 0) return []
  const scheduled = (kind: BackupKind): boolean =>
    settings['monitoring-scheduler'] && settings[`scheduler-db-servers-${kind}-backup`]
  const stale = (kind?: BackupKind): string | undefined => {
    const newest = newestOf(valid, kind)
    if (!newest) return `None was made${kind ? '' : `, or none is left`}`
    const age = now - newest.startedAt
    return age > maxAgeMs ? `The newest is of ${isoTime(newest.startedAt)}, ${spanText(age)} old` : undefined
  }
  const limit = `backup-max-age is ${spanText(maxAgeMs)}`
  const all = stale()
  const byKind = (['logical', 'physical'] as const).flatMap((kind): readonly Breach[] => {
    const detail = scheduled(kind) ? stale(kind) : undefined
    return detail === undefined
      ? []
      : [{ code: kind === 'logical' ? 'WARN0111' : 'WARN0112', detail: `${detail}; ${limit}.` }]
  })
  if (all === undefined) return byKind
  const why = scheduled('logical') || scheduled('physical') ? '' : ' No backup is made by schedule.'
  return [{ code: 'WARN0101', detail: `${all}; ${limit}.${why}` }, ...byKind]
}

/** By when it was begun: that is the state that it shows. */
const newestOf = (valid: readonly Backup[], kind?: BackupKind): Backup | undefined =>
  valid
    .filter((backup) => kind === undefined || backup.kind === kind)
    .toSorted((a, b) => a.startedAt - b.startedAt)
    .at(-1)

/** What the return of a server is to be filled from. */
const judgeReturn = (valid: readonly Backup[], settings: PolicySettings): readonly Breach[] =>
  settings['autorejoin-logical-backup'] &&
  !valid.some(({ kind, tool, position }) => kind === 'logical' && tool !== 'script' && (position?.gtid ?? '') !== '')
    ? [{ code: 'WARN0190', detail: 'None that is stored is valid and says at which GTID it was made.' }]
    : []

function judgeProof(valid: readonly Backup[], policy: BackupPolicy, now: number): readonly Breach[] {
  const proofs = valid.flatMap(({ id, proof }) => (proof ? [{ id, ...proof }] : [])).toSorted((a, b) => a.at - b.at)
  const latest = proofs.at(-1)
  const refuted: readonly Breach[] =
    latest?.result === 'refuted'
      ? [
          {
            code: 'WARN0400',
            detail: `Backup ${latest.id}: ${failedChecks(latest.checks) || 'it could not be restored'}.`,
          },
        ]
      : []
  const proven = proofs.filter(({ result }) => result === 'proven').at(-1)
  const old = policy.proofAgeMs > 0 && (!proven || now - proven.at > policy.proofAgeMs)
  const age = proven ? `The latest proof is ${spanText(now - proven.at)} old` : 'No backup was proven'
  const slow = policy.recoveryTimeMs > 0 && proven !== undefined && proven.restoreMs > policy.recoveryTimeMs
  return [
    ...refuted,
    ...(old
      ? [{ code: 'WARN0401' as const, detail: `${age}; backup-proof-age is ${spanText(policy.proofAgeMs)}.` }]
      : []),
    ...(slow
      ? [
          {
            code: 'WARN0402' as const,
            detail: `The latest proof took ${spanText(proven.restoreMs)}; backup-recovery-time is ${spanText(policy.recoveryTimeMs)}.`,
          },
        ]
      : []),
  ]
}

const failedChecks = (
  checks: readonly { readonly name: string; readonly passed: boolean; readonly detail: string }[],
) =>
  checks
    .filter(({ passed }) => !passed)
    .map(({ name, detail }) => `${name}: ${detail}`)
    .join('; ')

function judgeRecoveryPoint(
  { behindMs, copyBehindMs = 0 }: BackupFacts,
  policy: BackupPolicy,
  storesLogs: boolean,
): readonly Breach[] {
  const { recoveryPointMs } = policy
  if (recoveryPointMs === 0) return []
  const bound = `backup-recovery-point is ${spanText(recoveryPointMs)}.`
  if (!storesLogs) return [{ code: 'WARN0403', detail: `Binary logs are not stored (backup-binlogs); ${bound}` }]
  if (behindMs === undefined) return [{ code: 'WARN0403', detail: `None is stored yet; ${bound}` }]
  if (behindMs <= recoveryPointMs && copyBehindMs <= recoveryPointMs) return []
  if (behindMs <= recoveryPointMs)
    return [{ code: 'WARN0403', detail: `Their copy elsewhere is ${behindText(copyBehindMs)} the primary; ${bound}` }]
  return [{ code: 'WARN0403', detail: `Stored binary logs are ${spanText(behindMs)} behind the primary; ${bound}` }]
}

/** `3 days 4 h`, `4 h 10 min`, `12 s`: coarse, since details change a finding. */
export function spanText(ms: number): string {
  if (ms < MINUTE) return `${Math.round(ms / SECOND)} s`
  if (ms < HOUR) return `${Math.round(ms / MINUTE)} min`
  if (ms < 2 * DAY) return `${Math.round(ms / HOUR)} h`
  return `${Math.round(ms / DAY)} days`
}

/** Nothing was complete yet: the age of the epoch says nothing. */
const behindText = (ms: number): string => (ms > 3_650 * DAY ? 'not complete yet, so behind' : `${spanText(ms)} behind`)
