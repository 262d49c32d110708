// One event stream for all tabs of this browser: the tab that holds the lock reads it, the others hear it from there; the next one goes on after the last event.
import type { EventSourceMessage } from 'eventsource-parser'
import type { Failure } from '../client/failure.js'
import { type FollowOptions, follow, type LastEvent, SILENCE_MS } from './follow.js'

export interface SharedOptions extends Omit<FollowOptions, 'last' | 'whileSeen'> {
  /** Tabs with the same name share: of one user, since others see other clusters. */
  readonly name: string
  /** Events that bring a tab that joins to what is shown here; undefined while nothing is known. */
  readonly replay: () => readonly EventSourceMessage[] | undefined
}

type Message =
  | { readonly type: 'hello'; readonly from: string }
  | { readonly type: 'events'; readonly events: readonly EventSourceMessage[] }
  | {
      readonly type: 'replay'
      readonly to: string
      readonly events: readonly EventSourceMessage[]
      readonly id?: string
    }
  | { readonly type: 'alive' }
  | { readonly type: 'lost'; readonly failure: Failure }

/** Runs until the signal. Where the browser has no locks (a page without TLS), each tab reads its own. */
export async function followShared(options: SharedOptions): Promise<void> {
  const { name, replay, signal, ...reader } = options
  const last: LastEvent = {}
  const locks = globalThis.navigator?.locks
  if (!locks || typeof BroadcastChannel === 'undefined') return follow({ ...reader, signal, last })
  const channel = new BroadcastChannel(name)
  const me = String(Math.random())
  let isLeading = false
  let isFilled = false
  let quiet: ReturnType<typeof setTimeout> | undefined
  /** Set while the tab that reads is silent, and this one reads for itself. */
  let alone: AbortController | undefined
  const post = (message: Message) => {
    if (!signal.aborted) channel.postMessage(message)
  }
  const heard = () => {
    alone?.abort()
    alone = undefined
    clearTimeout(quiet)
    quiet = setTimeout(readAlone, SILENCE_MS)
  }
  function readAlone(): void {
    alone = new AbortController()
    void follow({ ...reader, signal: AbortSignal.any([signal, alone.signal]), last, onEvents: take })
  }
  function take(events: readonly EventSourceMessage[]): void {
    if (events.some(({ event }) => event === 'snapshot')) isFilled = true
    if (isFilled) reader.onEvents(events)
  }

  channel.onmessage = ({ data }: MessageEvent<Message>) => {
    if (data.type === 'hello') {
      const events = isLeading ? replay() : undefined
      if (events) post({ type: 'replay', to: data.from, events, ...(last.id === undefined ? {} : { id: last.id }) })
      return
    }
    if (isLeading || (data.type === 'replay' && data.to !== me)) return
    heard()
    if (data.type === 'lost') return reader.onLost(data.failure)
    reader.onAlive()
    if (data.type === 'replay' && !isFilled) {
      if (data.id !== undefined) last.id = data.id
      take(data.events)
    } else if (data.type === 'events') {
      const fresh = data.events.filter((event) => isNews(event, last.id))
      take(fresh)
      if (isFilled) last.id = fresh.findLast(({ id }) => id !== undefined)?.id ?? last.id
    }
    // Its first greeting met no reader that knew anything yet.
    if (!isFilled) post({ type: 'hello', from: me })
  }
  heard()
  post({ type: 'hello', from: me })
  const lead = async () => {
    isLeading = true
    alone?.abort()
    clearTimeout(quiet)
    await follow({
      ...{ path: reader.path, signal, last },
      onEvents: (events) => {
        post({ type: 'events', events })
        take(events)
      },
      onAlive: () => {
        post({ type: 'alive' })
        reader.onAlive()
      },
      onLost: (failure) => {
        post({ type: 'lost', failure })
        reader.onLost(failure)
      },
    })
  }
  // Waiting for the lock ends with the signal, by an exception.
  await locks.request(name, { signal }, lead).catch(() => undefined)
  clearTimeout(quiet)
  channel.close()
}

/** False for an event that was heard already: a new reader may get what the former one had passed on. */
export function isNews({ event, id }: Pick<EventSourceMessage, 'event' | 'id'>, last: string | undefined): boolean {
  if (id === undefined || last === undefined || event === 'snapshot' || event === 'reset') return true
  const [start, number] = partsOf(id)
  const [lastStart, lastNumber] = partsOf(last)
  return start !== lastStart || number > lastNumber
}

/** `<start of the manager>-<number>`. */
function partsOf(id: string): readonly [start: string, number: number] {
  const at = id.lastIndexOf('-')
  return [id.slice(0, Math.max(at, 0)), Number(id.slice(at + 1))]
}
