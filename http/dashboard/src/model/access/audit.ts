// Who did what, as the audit page shows it: entries of all timelines that a person is behind.
import type { TimelineKind } from '../../../../../lib/model/timeline.js'
import { type Entry, readTimeline } from '../cluster/timeline.js'
import { fieldsOf, listOf, numberOf, present, textOf, wireOf } from '../wire.js'

/** What someone did or asked for; findings and states happen by themselves. */
export const auditKinds = [
  'login',
  'note',
  'setting',
  'operation',
  'job',
  'backup',
] as const satisfies readonly TimelineKind[]

export interface AuditEntry extends Entry {
  /** Absent: of the manager itself. */
  readonly cluster?: string
}

export interface AuditPage {
  readonly entries: readonly AuditEntry[]
  readonly next?: string
  /** Entries before this moment were not searched. */
  readonly reach?: number
}

export function readAudit(reply: unknown): AuditPage {
  const { entries, next, reach } = fieldsOf(wireOf<'GET /api/timeline'>(reply))
  return present<AuditPage>({
    entries: listOf(entries).flatMap((wire) =>
      readTimeline({ entries: [wire] }).entries.map((entry) =>
        present<AuditEntry>({ ...entry, cluster: textOf(wire.cluster) } as AuditEntry),
      ),
    ),
    next: textOf(next),
    reach: numberOf(reach),
  })
}

export interface AuditWish {
  readonly user?: string
  readonly cluster?: string
  readonly action?: string
  /** Milliseconds; later entries are left out. */
  readonly before?: string
}

/** The query of the interface. Names have no blank, so blanks around them are those of who typed. */
export function auditQuery({ user, cluster, action, before }: AuditWish): Readonly<Record<string, string | undefined>> {
  const given = (text: string | undefined) => (text?.trim() ? text.trim() : undefined)
  return {
    ...{ user: given(user), cluster: given(cluster), code: given(action), before: given(before) },
    kind: auditKinds.join(','),
    limit: '100',
  }
}
