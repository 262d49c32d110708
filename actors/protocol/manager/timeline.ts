// What the manager says of the past: pages of a cluster's timeline, of all, and what is known of a moment.
import type { Result } from '../../../lib/base/result.js'
import type { Moment, TimelineEntry, TimelinePage, TimelineQuery } from '../../../lib/model/timeline.js'

export interface MergedEntry extends TimelineEntry {
  /** Null: of the manager itself. */
  readonly cluster: string | null
}

export interface MergedQuery {
  /** `next` of a page, or a moment in milliseconds. */
  readonly before?: string
  readonly after?: number
  readonly limit: number
  readonly kinds?: readonly string[]
  readonly user?: string
  readonly code?: string
  /** Only what lasts: what runs or waits, and findings that are open. It has no further page. */
  readonly open?: boolean
}

export interface MergedPage {
  readonly entries: readonly MergedEntry[]
  readonly next: string | null
  /** Entries before this moment were not searched, milliseconds. Absent: the search is complete. */
  readonly reach?: number
}

export interface TimelineFace {
  page(cluster: string, query: TimelineQuery): Promise<Result<TimelinePage>>
  at(cluster: string, time: number): Promise<Result<Moment>>
  /** Of these clusters; '' is the manager's own. */
  merged(clusters: readonly string[], query: MergedQuery): Promise<Result<MergedPage>>
}
