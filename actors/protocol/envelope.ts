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

/** A handle on one actor, wherever it runs. Never throws: failures come as results. */
export interface ActorRef<P extends Protocol> {
  readonly id: string
  /** Settles within its deadline, and at once when the actor or its thread ends (`actor-gone`) or its mailbox is full. */
  ask<T extends MessageType<P>>(type: T, payload: P[T]['in'], options?: AskOptions): Promise<Result<P[T]['out']>>
  /** Without a reply; dropped when the mailbox is full. */
  tell<T extends MessageType<P>>(type: T, payload: P[T]['in']): void
}
