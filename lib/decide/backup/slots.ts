// Who may run a heavy job now, of all clusters of a manager: first asked, first served. Pure.

export interface Want {
  readonly job: number
  /** When it was asked for, milliseconds since the epoch. */
  readonly since: number
}

/** What a cluster has said last. */
export interface SlotRow {
  readonly wants: readonly Want[]
  /** Jobs that run, and those that were just granted and not yet heard of. */
  readonly holds: readonly number[]
  readonly heardAt: number
}

export type SlotLedger = Readonly<Record<string, SlotRow>>

export interface Grant {
  readonly cluster: string
  readonly job: number
}

/** A cluster with open jobs speaks more often than this; one that does not is gone, and what it held is free. */
export const SILENCE_MS = 60_000

/** Notes what a cluster says. What was granted stays held, heard of or not. */
export function noteSlots(
  ledger: SlotLedger,
  cluster: string,
  { wants, holds, at }: { readonly wants: readonly Want[]; readonly holds: readonly number[]; readonly at: number },
): SlotLedger {
  const granted = (ledger[cluster]?.holds ?? []).filter((job) => wants.some((want) => want.job === job))
  return { ...ledger, [cluster]: { wants, holds: [...new Set([...holds, ...granted])], heardAt: at } }
}

/** Grants as long as fewer than `limit` jobs run; 0 is no limit. Granted again what a cluster still waits for. */
export function grantSlots(
  ledger: SlotLedger,
  { limit, now }: { readonly limit: number; readonly now: number },
): { readonly ledger: SlotLedger; readonly grants: readonly Grant[]; readonly running: number } {
  const rows = Object.entries(ledger).filter(([, row]) => now - row.heardAt < SILENCE_MS)
  const held = rows.reduce((sum, [, { holds }]) => sum + holds.length, 0)
  const again = rows.flatMap(([cluster, row]) =>
    row.wants.filter(({ job }) => row.holds.includes(job)).map(({ job }) => ({ cluster, job })),
  )
  const waiting = rows
    .flatMap(([cluster, row]) =>
      row.wants.filter(({ job }) => !row.holds.includes(job)).map(({ job, since }) => ({ cluster, job, since })),
    )
    .toSorted((a, b) => a.since - b.since)
  const fresh = waiting.slice(0, limit === 0 ? waiting.length : Math.max(limit - held, 0))
  const next = rows.map(([cluster, row]) => {
    const granted = fresh.filter((grant) => grant.cluster === cluster).map(({ job }) => job)
    return [cluster, { ...row, holds: [...row.holds, ...granted] }] as const
  })
  const grants = [...again, ...fresh.map(({ cluster, job }) => ({ cluster, job }))]
  return { ledger: Object.fromEntries(next), grants, running: held + fresh.length }
}
