// The event stream of one cluster: one connection for all that listen in this page, resumed where it was cut.
import { type Signal, signal } from '@preact/signals'
import { follow } from './follow.js'

export interface ClusterEvent {
  /** Of the event: `step`, `operation`, `state`, …; `reset` when some were missed. */
  readonly kind: string
  readonly at: number
  readonly text: string
  readonly server?: string
  readonly level?: string
}

/** lost: since when nothing was heard. */
export type StreamState = { readonly type: 'connecting' | 'live' } | { readonly type: 'lost'; readonly since: number }

type Listener = (event: ClusterEvent) => void

interface Stream {
  readonly state: Signal<StreamState>
  readonly listeners: Set<Listener>
  readonly stop: AbortController
}

const streams = new Map<string, Stream>()

export interface Listening {
  readonly state: Signal<StreamState>
  readonly stop: () => void
}

/** Calls for every event until it is stopped; the connection ends with its last listener. */
export function listenToCluster(cluster: string, listener: Listener): Listening {
  const known = streams.get(cluster)
  const stream = known ?? {
    state: signal<StreamState>({ type: 'connecting' }),
    listeners: new Set(),
    stop: new AbortController(),
  }
  stream.listeners.add(listener)
  if (!known) {
    streams.set(cluster, stream)
    void keepOpen(cluster, stream)
  }
  return {
    state: stream.state,
    stop: () => {
      stream.listeners.delete(listener)
      if (stream.listeners.size > 0 || streams.get(cluster) !== stream) return
      streams.delete(cluster)
      stream.stop.abort()
    },
  }
}

/** What happened without the stream is read again by those that listen. */
async function keepOpen(cluster: string, { state, listeners, stop }: Stream): Promise<void> {
  const emit = (event: ClusterEvent) => {
    for (const listener of listeners) listener(event)
  }
  await follow({
    path: `/api/clusters/${encodeURIComponent(cluster)}/events`,
    signal: stop.signal,
    whileSeen: true,
    onEvents: (events) => {
      // What ends the stream is said by the reply to the next request for it.
      for (const { event, data } of events) if (event !== 'ended') emit(parse(event ?? 'message', data))
    },
    onAlive: () => {
      if (state.peek().type === 'live') return
      const isBack = state.peek().type === 'lost'
      state.value = { type: 'live' }
      if (isBack) emit({ kind: 'reset', at: Date.now(), text: '' })
    },
    onLost: () => {
      if (state.peek().type !== 'lost') state.value = { type: 'lost', since: Date.now() }
    },
  })
}

function parse(kind: string, data: string): ClusterEvent {
  try {
    const { at, text, server, level } = JSON.parse(data) as Partial<ClusterEvent>
    return {
      kind,
      at: typeof at === 'number' ? at : Date.now(),
      text: typeof text === 'string' ? text : '',
      ...(typeof server === 'string' ? { server } : {}),
      ...(typeof level === 'string' ? { level } : {}),
    }
  } catch {
    return { kind, at: Date.now(), text: '' }
  }
}
