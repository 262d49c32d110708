// What happened to a cluster, or to the manager, in one order that outlives restarts: entries, spans, and the topology then.
import type { LogLevel } from './event.js'
import type { ServerId } from './server/server.js'

export const timelineKinds = [
  'finding',
  'state',
  'primary',
  'operation',
  'step',
  'setting',
  'job',
  'backup',
  'login',
  'note',
  'manager',
] as const

export type TimelineKind = (typeof timelineKinds)[number]

/** Kinds whose entries have a duration. */
export const spanKinds: ReadonlySet<TimelineKind> = new Set<TimelineKind>(['finding', 'operation', 'job', 'backup'])

export interface TimelineEntry {
  /** `e4711`: rises with each entry of its timeline, over restarts too; the order of entries whatever the clock did. */
  readonly id: string
  /** Milliseconds since the epoch. */
  readonly at: number
  /** The end of a span; null while it lasts, and of what has no duration. */
  readonly until: number | null
  readonly kind: TimelineKind
  readonly server: ServerId | null
  readonly level: LogLevel
  /** Of a finding, an action, or the kind of an operation. */
  readonly code: string | null
  readonly text: string
  readonly user: string | null
  readonly data: Readonly<Record<string, unknown>>
}

/** An entry before it has its number. */
export type TimelineDraft = Pick<TimelineEntry, 'at' | 'kind' | 'text'> & Partial<Omit<TimelineEntry, 'id'>>

/** What becomes known of a span later. */
export type TimelineChange = Partial<Pick<TimelineEntry, 'until' | 'level' | 'text' | 'data'>>

/** One server at a moment. */
export interface ServerThen {
  readonly id: ServerId
  readonly name: string
  readonly role: string
  /** As clients know it: `Master`, `Slave`, `Failed`. */
  readonly state: string
  readonly sources: readonly ServerId[]
  /** Seconds, at `since`; null where there is none. */
  readonly lag: number | null
  /** When it became so, as far as it was recorded. */
  readonly since: number
}

/** As it is seen now. */
export interface TopologySeen extends Omit<TopologyThen, 'servers'> {
  readonly servers: readonly Omit<ServerThen, 'since'>[]
}

/** All servers of a cluster at a moment: recorded whenever a role, state or source changes. */
export interface TopologyThen {
  readonly at: number
  readonly topology: string
  readonly primary: ServerId | null
  readonly servers: readonly ServerThen[]
}

export interface TimelineQuery {
  /** Entries before this one (`e4711`), or before this moment (milliseconds). */
  readonly before?: string | number
  /** Entries after it. */
  readonly after?: string | number
  readonly limit: number
  readonly kinds?: readonly string[]
  readonly server?: ServerId
  /** Only what this user asked for, or did. */
  readonly user?: string
  /** Only entries whose code contains it, in any case of letters. */
  readonly code?: string
  /** At most so many files are read, the newest: a search that finds little ends too. */
  readonly files?: number
}

export interface TimelinePage {
  /** Newest first. */
  readonly entries: readonly TimelineEntry[]
  /** `before` of the next page; null where there is none. */
  readonly next: string | null
  /** The search ended here, milliseconds: older files were not read. Absent: it is complete. */
  readonly reach?: number
}

/** What is known of a moment. */
export interface Moment {
  readonly time: number
  /** The topology that was recorded last before it; null where none is kept. */
  readonly topology: TopologyThen | null
  /** When the next one was recorded; null: it still holds. */
  readonly until: number | null
  /** What lasted at that moment: findings, operations, jobs. */
  readonly open: readonly TimelineEntry[]
  /** The manager was not running then: what is known is from before. */
  readonly down: { readonly from: number; readonly until: number } | null
}
