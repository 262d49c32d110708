// The changes of the fleet as server-sent events; what several readers are sent is rendered once.
import type { Readable } from 'node:stream'
import type { FleetEvent } from '../../../actors/protocol/manager/fleet.js'
import type { FleetRow } from '../../../lib/model/fleet/row.js'
import type { FleetSource } from '../../api/kit/route.js'
import { createFeed, type FeedOptions } from './feed.js'

export interface FleetStreamOptions extends FeedOptions {
  readonly source: FleetSource
  /** Id of the last event that the reader has. */
  readonly since: string | undefined
}

export const createFleetStream = ({ source, since, ...options }: FleetStreamOptions): Readable =>
  createFeed(options, (feed, over) => {
    source.follow(
      since,
      {
        reset: (reason) => feed.write(`event: reset\ndata: ${JSON.stringify({ reason })}\n\n`),
        snapshot: (rows, id) => feed.shareWhole(snapshotBytes(rows, id)),
        events: (events) => feed.share(eventBytes(events)),
      },
      over,
    )
  })

interface Snapshot {
  readonly id: string
  readonly bytes: Buffer
}

const snapshots = new WeakMap<readonly FleetRow[], Snapshot>()
const batches = new WeakMap<readonly FleetEvent[], Buffer>()
const texts = new WeakMap<FleetEvent, string>()

function snapshotBytes(rows: readonly FleetRow[], id: string): Buffer {
  const known = snapshots.get(rows)
  if (known?.id === id) return known.bytes
  const bytes = Buffer.from(`id: ${id}\nevent: snapshot\ndata: ${JSON.stringify({ rows })}\n\n`)
  snapshots.set(rows, { id, bytes })
  return bytes
}

/** Readers that see all of them share the bytes; the others share the text of each. */
function eventBytes(events: readonly FleetEvent[]): Buffer {
  const bytes = batches.get(events) ?? Buffer.from(events.map(renderEvent).join(''))
  batches.set(events, bytes)
  return bytes
}

function renderEvent(event: FleetEvent): string {
  const { id, kind, data } = event
  const text =
    texts.get(event) ?? `${id === undefined ? '' : `id: ${id}\n`}event: ${kind}\ndata: ${JSON.stringify(data)}\n\n`
  texts.set(event, text)
  return text
}
