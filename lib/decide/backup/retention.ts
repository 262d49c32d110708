// Decides which backups stay: by age in hours, days, weeks, months and years, and what must never go.
import type { Backup } from '../../model/backup.js'

/** How many periods of each length keep one backup, of each kind. */
export interface RetentionPolicy {
  readonly hourly: number
  readonly daily: number
  readonly weekly: number
  readonly monthly: number
  readonly yearly: number
}

export interface Retention {
  /** Why each of them stays. */
  readonly keep: ReadonlyMap<Backup['id'], readonly string[]>
  /** Oldest first, and each incremental one before those that it continues: an interruption leaves what can be restored. */
  readonly remove: readonly Backup[]
}

const DAY_MS = 86_400_000
/** 1970-01-01 was a Thursday; weeks begin on Monday. */
const MONDAY_MS = 3 * DAY_MS

/** The period of an instant, in UTC, by length. */
const periods: readonly [name: keyof RetentionPolicy, period: (at: number) => string | number][] = [
  ['hourly', (at) => Math.floor(at / 3_600_000)],
  ['daily', (at) => Math.floor(at / DAY_MS)],
  ['weekly', (at) => Math.floor((at + MONDAY_MS) / (7 * DAY_MS))],
  ['monthly', (at) => isoDate(at).slice(0, 7)],
  ['yearly', (at) => isoDate(at).slice(0, 4)],
]

const isoDate = (at: number): string => new Date(at).toISOString()

/**
 * Of the backups of one cluster in one place. Stays: the newest valid one of each kind, in each of the latest periods that have
 * one the newest, those from which a recovery began lately, those that run, and every one that one of these continues. Failed
 * ones go. The clock is the newest backup.
 */
export function planRetention(backups: readonly Backup[], policy: RetentionPolicy): Retention {
  const reasons = new Map<Backup['id'], string[]>()
  const keep = (backup: Backup, reason: string) => reasons.set(backup.id, [...(reasons.get(backup.id) ?? []), reason])
  const latest = Math.max(...backups.map(({ startedAt }) => startedAt))
  for (const backup of backups) {
    if (backup.state === 'running') keep(backup, 'running')
    if ((backup.keptUntil ?? 0) > latest) keep(backup, 'recovered from')
  }
  for (const kind of ['logical', 'physical'] as const) {
    const valid = newestFirst(backups.filter((each) => each.kind === kind && isWhole(each, backups)))
    const [newest] = valid
    if (newest) keep(newest, 'newest')
    for (const [name, period] of periods)
      for (const backup of latestOfEach(valid, period, policy[name])) keep(backup, name)
  }
  for (const { backup, by } of continued(backups, new Set(reasons.keys()))) keep(backup, `continued by ${by}`)
  return {
    keep: reasons,
    remove: inOrder(
      backups.filter(({ id }) => !reasons.has(id)),
      backups,
    ),
  }
}

/** Valid, and so is all that it continues: it can be restored. */
export function isWhole(backup: Backup, backups: readonly Backup[]): boolean {
  const chain = [backup, ...chainOf(backup, backups)]
  return chain.every(({ state }) => state === 'valid') && chain.at(-1)?.previous === undefined
}

/**
 * What may go before a new backup begins, so that it finds space: what no period would keep once a backup of that kind existed
 * now. The newest valid one of each kind stays until there is another.
 */
export function planRoom(
  backups: readonly Backup[],
  policy: RetentionPolicy,
  next: Pick<Backup, 'kind' | 'startedAt'>,
): readonly Backup[] {
  const [sample] = backups
  if (!sample) return []
  const { previous: _, keptUntil: __, ...plain } = sample
  const coming: Backup = { ...plain, ...next, id: Number.POSITIVE_INFINITY, state: 'valid', strategy: 'full' }
  const { remove } = planRetention([...backups, coming], policy)
  const stays = planRetention(backups, { hourly: 0, daily: 0, weekly: 0, monthly: 0, yearly: 0 }).keep
  return remove.filter(({ id }) => !stays.has(id))
}

/**
 * What goes to free space, oldest first, until `bytes` are free: never the newest valid one of each kind, one from which a
 * recovery began lately, one that runs, nor one that these continue.
 */
export function planPurge(backups: readonly Backup[], bytes: number): readonly Backup[] {
  const { remove } = planRetention(backups, { hourly: 0, daily: 0, weekly: 0, monthly: 0, yearly: 0 })
  const purged: Backup[] = []
  let freed = 0
  for (const next of remove) {
    // What continues one that went is of no use without it, so the rest of its chain goes, too.
    const last = purged.at(-1)
    const isChained = last !== undefined && rootOf(next, backups) === rootOf(last, backups)
    if (freed >= bytes && !isChained) break
    purged.push(next)
    freed += next.size
  }
  return purged
}

const newestFirst = (backups: readonly Backup[]): readonly Backup[] =>
  [...backups].sort((a, b) => b.startedAt - a.startedAt || b.id - a.id)

/** Chains by the age of their first, and within a chain the newest first. */
function inOrder(some: readonly Backup[], all: readonly Backup[]): readonly Backup[] {
  const roots = new Map(some.map((backup) => [backup.id, rootOf(backup, all)]))
  return newestFirst(some).toSorted((a, b) => {
    const [first, second] = [roots.get(a.id) ?? a, roots.get(b.id) ?? b]
    return first.startedAt - second.startedAt || first.id - second.id
  })
}

/** The full backup at the beginning of a chain, or the first that is left of it. */
const rootOf = (backup: Backup, all: readonly Backup[]): Backup => chainOf(backup, all).at(-1) ?? backup

/** The newest of each of the latest `count` periods that have one. */
function latestOfEach(
  newest: readonly Backup[],
  period: (at: number) => string | number,
  count: number,
): readonly Backup[] {
  const first = new Map<string | number, Backup>()
  for (const backup of newest) if (!first.has(period(backup.startedAt))) first.set(period(backup.startedAt), backup)
  return [...first.values()].slice(0, count)
}

/** Every backup that one of the kept ones needs, directly or not, and which needs it. */
function continued(backups: readonly Backup[], kept: ReadonlySet<number>): readonly { backup: Backup; by: number }[] {
  return backups
    .filter(({ id }) => kept.has(id))
    .flatMap((each) => chainOf(each, backups).map((backup) => ({ backup, by: each.id })))
}

/** What a backup continues, back to the full one. */
function chainOf({ previous }: Backup, backups: readonly Backup[], seen: readonly number[] = []): readonly Backup[] {
  const before = previous === undefined ? undefined : backups.find(({ id }) => id === previous)
  if (!before || seen.includes(before.id)) return []
  return [before, ...chainOf(before, backups, [...seen, before.id])]
}
