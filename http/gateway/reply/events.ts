// The events of a cluster as server-sent events, resumable by their numbers.
import type { Readable } from 'node:stream'
import type { ClusterEvent } from '../../../lib/model/event.js'
import type { EventSource } from '../../api/kit/route.js'
import { createFeed, type FeedOptions } from './feed.js'

export interface EventStreamOptions extends FeedOptions {
  readonly source: EventSource
  /** The last event that the reader has; undefined: new ones only. */
  readonly after: number | undefined
}

export const createEventStream = ({ source, after, ...options }: EventStreamOptions): Readable =>
  createFeed(options, ({ write }, over) => source(after, numbered(after, write), over))

/** Writes events; a number that does not follow on means that some were missed, and that the state must be read again. */
function numbered(after: number | undefined, write: (text: string) => void): (event: ClusterEvent) => void {
  let last = after
  return (event) => {
    if (last !== undefined && event.id !== last + 1) write(`event: reset\ndata: {"after":${last}}\n\n`)
    last = event.id
    write(renderEvent(event))
  }
}

/** The number a reader gives to resume: `Last-Event-ID`, or `?lastEventId=` where headers cannot be set. */
export function parseLastEventId(header: string | string[] | undefined, query: string | undefined): number | undefined {
  const text = typeof header === 'string' ? header : query
  return text !== undefined && /^\d{1,15}$/.test(text) ? Number(text) : undefined
}

/** Every listener is sent the same text. */
const rendered = new WeakMap<ClusterEvent, string>()

function renderEvent(event: ClusterEvent): string {
  const text = rendered.get(event) ?? `id: ${event.id}\nevent: ${event.kind}\ndata: ${JSON.stringify(event)}\n\n`
  rendered.set(event, text)
  return text
}
