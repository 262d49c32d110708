// The fleet as the pages show it: followed by one stream while someone is logged in, dated when the stream is lost.
import { signal } from '@preact/signals'
import type { EventSourceMessage } from 'eventsource-parser'
import type { FleetDelta, FleetNote, FleetRow } from '../../../../../lib/model/fleet/row.js'
import type { Failure } from '../../client/failure.js'
import { followShared } from '../../stream/shared.js'
import { FleetRows } from './rows.js'
import { Samples } from './samples.js'

export type Connection =
  | { readonly type: 'connecting' }
  | { readonly type: 'live' }
  /** `seen`: when the stream was last heard of. */
  | { readonly type: 'lost'; readonly seen: number | undefined; readonly since: number; readonly failure: Failure }

const MOST_NOTES = 200

export const fleet = new FleetRows()
/** Writes of each cluster over the last minutes. */
export const samples = new Samples()
export const connection = signal<Connection>({ type: 'connecting' })
/** What just happened, newest first. */
export const notes = signal<readonly FleetNote[]>([])

let seen: number | undefined
let running: AbortController | undefined

/** Follows the fleet as the user sees it until `stopFleet`; tabs of the same user share one stream. */
export function startFleet(user: string): void {
  stopFleet()
  running = new AbortController()
  const { signal: over } = running
  connection.value = { type: 'connecting' }
  void followShared({
    name: `fleet of ${user}`,
    path: '/api/fleet/events',
    replay: () => (fleet.known.peek() ? asEvents() : undefined),
    signal: over,
    onEvents: receive,
    onAlive: () => {
      seen = Date.now()
      if (connection.peek().type !== 'live') connection.value = { type: 'live' }
    },
    onLost: (failure) => {
      const before = connection.peek()
      const since = before.type === 'lost' ? before.since : Date.now()
      connection.value = { type: 'lost', seen, since, failure }
    },
  })
  const timer = setInterval(() => samples.take(fleet.list()), Samples.everyMs)
  over.addEventListener('abort', () => clearInterval(timer))
}

export function stopFleet(): void {
  running?.abort()
  running = undefined
}

/** What is known, as the events that bring another tab to it. */
const asEvents = (): readonly EventSourceMessage[] => [
  { event: 'snapshot', data: JSON.stringify({ rows: fleet.list() }), id: undefined },
  ...notes
    .peek()
    .toReversed()
    .map((note) => ({ event: 'note', data: JSON.stringify(note), id: undefined })),
]

/** Applies events in their order; changes that follow each other at once. */
export function receive(events: readonly EventSourceMessage[]): void {
  let deltas: FleetDelta[] = []
  const happened: FleetNote[] = []
  const flush = () => {
    fleet.apply(deltas)
    deltas = []
  }
  for (const { event, data } of events) {
    if (event === 'delta') deltas.push(JSON.parse(data))
    else if (event === 'note') happened.push(JSON.parse(data))
    else if (event === 'snapshot') {
      flush()
      const { rows } = JSON.parse(data) as { readonly rows: readonly FleetRow[] }
      fleet.replace(rows)
      if (samples.isEmpty) samples.take(rows)
    }
    // `reset` says that what was missed is gone: the snapshot that follows replaces everything.
  }
  flush()
  if (happened.length > 0) notes.value = [...happened.toReversed(), ...notes.peek()].slice(0, MOST_NOTES)
}
