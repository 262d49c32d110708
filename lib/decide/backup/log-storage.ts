// What the storing of binary logs means: how much would be lost now, and what is wrong. Pure.
import { isoTime, SECOND } from '../../base/time.js'
import type { Backup, LogStorage } from '../../model/backup.js'
import type { Finding } from '../../model/finding.js'

/** A failover, or a restart of the primary, interrupts the storing for less. */
const TOLERATED_MS = 10 * SECOND

/** How far what is stored is behind the primary, milliseconds; undefined when nothing complete was ever stored. */
export const recoveryPointMs = (storage: LogStorage | undefined, now: number): number | undefined =>
  storage?.completeAt === undefined ? undefined : Math.max(0, now - storage.completeAt)

/** The same of the nearest copy elsewhere; undefined when none is configured. */
export function copiedPointMs(storage: LogStorage | undefined, now: number): number | undefined {
  const { elsewhere = [] } = storage ?? {}
  if (elsewhere.length === 0) return undefined
  const instants = elsewhere.map(({ completeAt }) => completeAt ?? 0)
  return Math.max(0, now - Math.max(...instants))
}

/** `backups`: valid ones; one that began after a gap makes it harmless. */
export function judgeLogStorage(
  storage: LogStorage | undefined,
  { backups, now }: { readonly backups: readonly Backup[]; readonly now: number },
): readonly Finding[] {
  if (!storage) return []
  const { gap, problem, problemSince = now, termBeganAt = 0, server } = storage
  const covered = backups.some(({ state, startedAt }) => state === 'valid' && startedAt > termBeganAt)
  const where = server === undefined ? {} : { server }
  return [
    ...(gap === undefined || covered ? [] : [{ code: 'WARN0410', ...where, detail: `Not stored: ${gap}.` } as const]),
    ...(problem === undefined || now - problemSince < TOLERATED_MS
      ? []
      : [{ code: 'WARN0411', detail: `${problem}; for ${Math.round((now - problemSince) / SECOND)} s.` } as const]),
    ...judgeCopies(storage, now),
  ]
}

function judgeCopies({ elsewhere = [] }: LogStorage, now: number): readonly Finding[] {
  const failing = elsewhere.filter(
    ({ problem, problemSince = now }) => problem !== undefined && now - problemSince >= TOLERATED_MS,
  )
  if (failing.length === 0) return []
  const details = failing.map(({ place, problem, problemSince = now, completeAt }) => {
    const reach =
      completeAt === undefined ? 'nothing is complete there yet' : `complete there until ${isoTime(completeAt)}`
    return `${place}: ${problem}; for ${Math.round((now - problemSince) / SECOND)} s, ${reach}`
  })
  return [{ code: 'WARN0412', detail: `${details.join('; ')}.` }]
}
