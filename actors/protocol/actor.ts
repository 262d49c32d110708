// What an actor is to the thread that hosts it, and what the thread gives it.
import type { Result } from '../../lib/base/result.js'
import type { ClusterEvent } from '../../lib/model/event.js'
import type { MessageType, Protocol } from './envelope.js'

/** One running actor. Its handlers must not block the thread; a throw restarts this actor alone. */
export interface Actor<P extends Protocol> {
  receive<T extends MessageType<P>>(type: T, payload: P[T]['in']): Result<P[T]['out']> | Promise<Result<P[T]['out']>>
  /** The bytes of a published view as of now; called once per change at most, when it is read. */
  view(name: string): Uint8Array
  /** Ends everything it started; the scope is disposed afterwards in any case. */
  stop(): Promise<void>
}

/** Given to an actor's factory. Everything the actor starts hangs on `signal`, which aborts when the actor ends. */
export interface ActorContext {
  readonly id: string
  readonly signal: AbortSignal
  /** A view changed: its version word rises, readers will ask for its bytes. */
  changed(view: string): void
  /** Sets the role flags of server slot `slot` (0-based, at most MAX_SLOTS): one word in shared memory, read without a message. */
  setFlags(slot: number, flags: number): void
  /** The server was probed `agoMs` ago, and it answered what its flags say; call it after `setFlags`. */
  setAnswered(slot: number, agoMs: number): void
  /** Sends an event to the event streams of the main thread. */
  emit(event: ClusterEvent): void
  /** How late the thread's event loop has been in the last `windowMs` (at most 10 s), milliseconds. */
  lateness(windowMs: number): number
  /** All the time that the thread's event loop lost to lateness so far, milliseconds. */
  lost(): number
}

/** Builds an actor from plain data. Runs in the host thread; may await. */
export type ActorFactory<P extends Protocol> = (context: ActorContext, init: unknown) => Promise<Actor<P>>

/** Most servers of one cluster whose role flags are in shared memory. */
export const MAX_SLOTS = 64

/** Bits of a server's flag word. */
export const FLAG_VALID_PRIMARY = 1
export const FLAG_VALID_REPLICA = 2
/** The word has been written at least once since the actor started. */
export const FLAG_KNOWN = 4
/** Whether the server is the primary is known; where it is not, agent checks get no answer, so that a proxy keeps the last one. */
export const FLAG_PRIMARY_KNOWN = 8
/** The same for reads. */
export const FLAG_REPLICA_KNOWN = 16
/** It is the primary, answers and is read-only, although nothing moves the role and no transaction is known that it does not have. */
export const FLAG_PRIMARY_CLOSED = 32
/** No other instance owns the cluster. */
export const FLAG_OWNED = 64
/** Bits 8.. hold the replication lag in seconds plus one (0: unknown), at most 2^22. */
export const FLAG_LAG_SHIFT = 8
