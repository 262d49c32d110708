// What passes between the main thread and a host thread: the raw port's messages and the control channel's calls.
import type { MessagePort } from 'node:worker_threads'
import type { Result } from '../../lib/base/result.js'
import type { ClusterEvent } from '../../lib/model/event.js'

/** An ask or a view pull on its way to an actor. */
export interface Envelope {
  readonly kind: 'ask' | 'view'
  /** Unique per thread; the reply carries it. */
  readonly id: number
  /** The life of the actor it is addressed to: generations are unique in the process, so a later life never gets it. */
  readonly generation: number
  /** The message type, or the name of the view. */
  readonly type: string
  readonly payload: unknown
  /** `now()` after which no caller waits any more: the host drops what it receives later than that. */
  readonly deadline: number
}

/** The answer to a pull: a copy of the view's bytes, whose they are, and the version they are at least as new as. */
export interface PulledView {
  readonly generation: number
  readonly version: number
  readonly bytes: ArrayBuffer
}

/** A throw or a rejection as plain data. */
export interface Fault {
  readonly reason: string
  readonly stack?: string
}

export type ToHost = Envelope | { readonly kind: 'events-taken' }

export type ToMain =
  | { readonly kind: 'reply'; readonly id: number; readonly result: Result<unknown> }
  /** The actor threw: its open asks will not be answered. `gone` follows when it has been cleaned up. */
  | { readonly kind: 'failed'; readonly generation: number; readonly fault: Fault }
  /** The life has ended: the next may start. */
  | { readonly kind: 'gone'; readonly generation: number }
  /** Code of an ended life threw. */
  | { readonly kind: 'stray'; readonly id: string; readonly generation: number; readonly fault: Fault }
  /** One batch at a time: the next leaves after `events-taken`. */
  | { readonly kind: 'events'; readonly events: readonly ClusterEvent[] }
  /** The last message: the thread ends, by the code of this life (0: unknown). */
  | { readonly kind: 'dying'; readonly generation: number; readonly reason: string }

/** The parameters of one life of an actor. Plain data. */
export interface StartOrder {
  readonly id: string
  readonly kind: string
  readonly generation: number
  /** The actor's board (board.ts); lives longer than the actor. */
  readonly board: SharedArrayBuffer
  readonly init: unknown
  /** Most messages whose handlers may be running at once. */
  readonly mailboxBound: number
}

export interface ThreadStats {
  readonly actors: number
  readonly heapUsedBytes: number
  /** Worst lateness of the event loop in the last 10 s, milliseconds. */
  readonly latenessMs: number
  /** Events that found the buffer of their actor full, since the thread started. */
  readonly eventsDropped: number
}

/** The calls of the main thread to a host thread; over comlink. */
export interface HostControl {
  ping(): void
  /** Settles when the factory has: with nothing, or with its fault when nothing of the actor is left. */
  start(order: StartOrder): Promise<Fault | undefined>
  /** Asks the actor to stop, for at most `graceMs`, then ends its scope. Unknown generations are ended already. */
  stop(generation: number, graceMs: number): Promise<void>
  /** Stops every actor. */
  drain(graceMs: number): Promise<void>
  stats(): ThreadStats
  /** Answers a read of all actors of the thread together. Plain data; the memory of byte arrays at its top is transferred. */
  read(type: string, payload: unknown): Promise<unknown>
}

/** Plain data a host thread is started with. */
export interface HostSeed {
  readonly control: MessagePort
  readonly link: MessagePort
  readonly pulse: SharedArrayBuffer
  /** The views of each kind of actor, by their place on the board. */
  readonly kinds: Readonly<Record<string, { readonly views: readonly string[] }>>
}
