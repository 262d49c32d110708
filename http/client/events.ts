// The event stream of a cluster as the client reads it: server-sent events, resumed after every interruption.
import type { Readable } from 'node:stream'
import { StringDecoder } from 'node:string_decoder'
import { createParser, type EventSourceMessage } from 'eventsource-parser'
import { type Failure, ok, type Result } from '../../lib/base/result.js'
import { SECOND, sleep } from '../../lib/base/time.js'
import type { ClusterEvent } from '../../lib/model/event.js'
import { addressed } from './api/address.js'
import { type Reply, readReply } from './connection.js'
import type { Session } from './session.js'

/** The server beats every ten seconds; after so long a silence it is gone. */
const SILENCE_MS = 60 * SECOND
const RETRY_MS = SECOND
/** Characters; what exceeds it ends the stream. */
const LONGEST_EVENT = 16_777_216

export type StreamItem =
  | { readonly type: 'event'; readonly event: ClusterEvent }
  /** Events between the one before and the next were missed. */
  | { readonly type: 'missed' }
  /** The connection is lost; the stream resumes automatically when the manager answers. */
  | { readonly type: 'lost' }
  /** The manager will not give the stream again; nothing follows. */
  | { readonly type: 'refused'; readonly reply: Reply }
  | { readonly type: 'failed'; readonly failure: Failure }

/** An opened stream, or the reply that refuses it. */
export type OpenedStream =
  | { readonly type: 'open'; readonly response: Readable }
  | { readonly type: 'refused'; readonly reply: Reply }

/** Opens the stream: when this resolves with `open`, no later event is missed. `after` is the last event already seen. */
export async function openEvents(session: Session, cluster: string, after?: number): Promise<Result<OpenedStream>> {
  const opened = await session.open(...addressed('GET /api/clusters/:cluster/events', { params: { cluster } }), {
    headers: {
      accept: 'text/event-stream, application/problem+json',
      ...(after === undefined ? {} : { 'last-event-id': `${after}` }),
    },
    timeoutMs: SILENCE_MS,
  })
  if (!opened.ok) return opened
  if (opened.value.status === 200) return ok({ type: 'open', response: opened.value.body })
  const reply = await readReply(opened.value)
  return reply.ok ? ok({ type: 'refused', reply: reply.value }) : reply
}

/** Events of an open stream, then those of the streams that follow it, until the reader leaves or is refused. */
export async function* followEvents(session: Session, cluster: string, first: Readable): AsyncGenerator<StreamItem> {
  let response = first
  let last: number | undefined
  for (;;) {
    for await (const item of readEvents(response)) {
      if (item.type === 'event') last = item.event.id
      yield item
    }
    yield { type: 'lost' }
    const again = await reopen(session, cluster, last)
    if (again.type !== 'open') return yield again
    response = again.response
  }
}

/** Tries until the manager answers, or turns the reader away. */
async function reopen(
  session: Session,
  cluster: string,
  after: number | undefined,
): Promise<OpenedStream | { readonly type: 'failed'; readonly failure: Failure }> {
  for (;;) {
    await sleep(RETRY_MS)
    const opened = await openEvents(session, cluster, after)
    if (!opened.ok && !isPassing(opened.failure)) return { type: 'failed', failure: opened.failure }
    if (opened.ok && (opened.value.type === 'open' || opened.value.reply.status < 500)) return opened.value
  }
}

const isPassing = ({ code }: Failure): boolean => code === 'unreachable' || code === 'deadline-passed'

/** Events of one stream until it ends or breaks off; leaving early closes it. */
export async function* readEvents(response: Readable): AsyncGenerator<StreamItem> {
  let items: StreamItem[] = []
  const parser = createParser({
    maxBufferSize: LONGEST_EVENT,
    onEvent: (message) => {
      const item = itemOf(message)
      if (item) items.push(item)
    },
  })
  const decoder = new StringDecoder('utf8')
  try {
    for await (const chunk of response) {
      parser.feed(decoder.write(chunk as Buffer))
      const read = items
      items = []
      yield* read
    }
  } catch {
    // Broken off, or longer than any event: as good as ended.
  } finally {
    response.destroy()
  }
}

/** Undefined for what is no event of the manager. */
function itemOf({ event, data }: EventSourceMessage): StreamItem | undefined {
  if (event === 'reset') return { type: 'missed' }
  // Why the stream ends; the reply to the next request for it says so, too.
  if (event === 'ended') return undefined
  try {
    return { type: 'event', event: JSON.parse(data) as ClusterEvent }
  } catch {
    return undefined
  }
}
