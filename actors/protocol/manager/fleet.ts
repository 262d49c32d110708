// The fleet as routes read it: a row for each cluster, and one stream of what changes in them.
import type { FleetDelta, FleetNote, FleetRow } from '../../../lib/model/fleet/row.js'

/** Whether the reader may know of the cluster, as configured at each question. */
export type Sees = (cluster: string) => boolean

export interface FleetList {
  /** In the order of the configuration. The same array as long as nothing changed, for readers that see all clusters. */
  readonly rows: readonly FleetRow[]
  /** Equal etags mean equal rows. */
  readonly etag: string
}

/** One event; those without an id are meant for one reader, and are not sent again when it resumes. */
export type FleetEvent =
  | { readonly id?: string; readonly kind: 'delta'; readonly data: FleetDelta }
  | { readonly id?: string; readonly kind: 'note'; readonly data: FleetNote }

/** What a reader of the stream is given, in this order: maybe `reset`, maybe `snapshot`, then `events`. */
export interface FleetReader {
  /** What it asked to resume from is not known any more: it forgets what it knows. */
  reset(reason: string): void
  /** All rows; `id` is that of the last event in them. */
  snapshot(rows: readonly FleetRow[], id: string): void
  /** Readers of the same events are given the same array. */
  events(events: readonly FleetEvent[]): void
}

export interface FleetFace {
  list(sees: Sees): Promise<FleetList>
  /** Gives the reader everything after the event `since`, or a snapshot, then each further change until `signal` aborts. */
  follow(
    from: { readonly since: string | undefined; readonly sees: Sees; readonly signal: AbortSignal },
    reader: FleetReader,
  ): void
}
