// What crosses threads between the gateway's side and the actors: plain data only.
import type { Result } from '../../lib/base/result.js'

/** A protocol maps each message type to what goes in and what comes out; both are plain data. */
// biome-ignore lint/suspicious/noExplicitAny: the bound of every protocol
export type Protocol = Record<string, { in: any; out: any }>

export type MessageType<P extends Protocol> = keyof P & string

export interface AskOptions {
  /** Milliseconds until the ask settles with `deadline-passed`; 5,000 when absent. */
  readonly deadlineMs?: number
}

/** What a host thread answers of all its actors together, by message type. */
export type ThreadReads<P extends Protocol> = {
  readonly [T in MessageType<P>]: (payload: P[T]['in']) => P[T]['out'] | Promise<P[T]['out']>
}

/** A handle on what one host thread answers. Never throws. */
export interface ThreadReader<P extends Protocol> {
  /** Settles within the deadline, and at once when the thread ends. */
  read<T extends MessageType<P>>(type: T, payload: P[T]['in'], deadlineMs: number): Promise<Result<P[T]['out']>>
}

/** A handle on one actor, wherever it runs. Never throws: failures come as results. */
export interface ActorRef<P extends Protocol> {
  readonly id: string
  /** Settles within its deadline, and at once when the actor or its thread ends (`actor-gone`) or its mailbox is full. */
  ask<T extends MessageType<P>>(type: T, payload: P[T]['in'], options?: AskOptions): Promise<Result<P[T]['out']>>
  /** Without a reply; dropped when the mailbox is full. */
  tell<T extends MessageType<P>>(type: T, payload: P[T]['in']): void
}
