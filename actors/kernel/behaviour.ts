// An actor as a value: state in, {state, reply, commands} out; handlers are synchronous, so the event loop is the mailbox.
import { fail, type Result } from '../../lib/base/result.js'
import type { MessageType, Protocol } from '../protocol/envelope.js'

/** When a message arrived, and the id of its reply where it is given later. */
export interface Arrival {
  /** The mailbox's clock as the handler runs, milliseconds. */
  readonly now: number
  /** The clock when the message arrived; before `now` only where it was postponed. */
  readonly since: number
  /** Identifies the reply of this message: a handler that defers it puts the number in the command that will settle it. */
  readonly reply: number
}

/** The message is handled again after the next change of the state, and at `until` (the mailbox's clock) at the latest. */
export interface Postponed {
  readonly until: number
}

/**
 * The result of a handler: the next state, the reply, and the commands to execute (in order; none when absent). The
 * reply is `'deferred'` when a command settles it. A postponed message changes no state; its commands are executed when
 * it arrives, and not again.
 */
export interface Outcome<State, Command, Reply> {
  readonly state: State
  readonly reply: Result<Reply> | 'deferred' | Postponed
  readonly commands?: readonly Command[]
}

/** One handler per message of the protocol. A handler never awaits: what takes time leaves as a command. */
export type Behaviour<P extends Protocol, State, Command> = {
  readonly [T in MessageType<P>]: (
    state: State,
    payload: P[T]['in'],
    arrival: Arrival,
  ) => Outcome<State, Command, P[T]['out']>
}

/** A message that was handled, postponed ones included: its handler gives the same for it again. */
export interface Handled<State, Command> {
  readonly type: string
  readonly payload: unknown
  readonly arrival: Arrival
  /** The state that it was handled with. */
  readonly before: State
  readonly commands?: readonly Command[] | undefined
  /** What its handler threw. */
  readonly threw?: string
}

export interface MailboxOptions<P extends Protocol, State, Command> {
  readonly behaviour: Behaviour<P, State, Command>
  readonly state: State
  /** Stamps each message; milliseconds. */
  readonly clock: () => number
  /** Called after each message with the duration of its handler, milliseconds. */
  readonly handled?: (ms: number) => void
  /** Called after each handler, before its commands are executed: they may cause the next message. */
  readonly record?: (handled: Handled<State, Command>) => void
  /** Takes the commands of one message, after its state is stored; their outcome comes back as a message or a reply. */
  readonly execute: (commands: readonly Command[]) => void
}

export interface Mailbox<P extends Protocol, State> {
  /** Runs one message to its end; a promise only where the reply comes later. Throws what the handler throws: the kernel
   * restarts the actor then. */
  receive<T extends MessageType<P>>(type: T, payload: P[T]['in']): Result<P[T]['out']> | Promise<Result<P[T]['out']>>
  /** Gives a deferred reply; nothing where it was given before. */
  settle(reply: number, result: Result<unknown>): void
  /** The state after the last message. */
  state(): State
  /** Settles every reply that is still open with `actor-gone`; messages are handled as before. */
  settleAll(): void
}

interface Message {
  readonly type: string
  readonly payload: unknown
  readonly arrival: Omit<Arrival, 'now'>
}

interface Waiting extends Message {
  readonly timer: NodeJS.Timeout
}

/** Holds the state of one behaviour and feeds it messages one at a time. */
export function createMailbox<P extends Protocol, State, Command>(
  options: MailboxOptions<P, State, Command>,
): Mailbox<P, State> {
  return new StateMailbox(options)
}

class StateMailbox<P extends Protocol, State, Command> implements Mailbox<P, State> {
  readonly #options: MailboxOptions<P, State, Command>
  readonly #open = new Map<number, (result: Result<never>) => void>()
  #postponed: readonly Waiting[] = []
  #state: State
  #replies = 0

  constructor(options: MailboxOptions<P, State, Command>) {
    this.#options = options
    this.#state = options.state
  }

  state(): State {
    return this.#state
  }

  receive<T extends MessageType<P>>(type: T, payload: P[T]['in']): Result<P[T]['out']> | Promise<Result<P[T]['out']>> {
    if (!Object.hasOwn(this.#options.behaviour, type)) return fail('internal', `no handler for the message ${type}`)
    this.#replies += 1
    const arrival = { since: this.#options.clock(), reply: this.#replies }
    return this.#handle<P[T]['out']>({ type, payload, arrival }, true)
  }

  settle(reply: number, result: Result<unknown>): void {
    this.#open.get(reply)?.(result as Result<never>)
    this.#open.delete(reply)
  }

  settleAll(): void {
    for (const { timer } of this.#postponed) clearTimeout(timer)
    this.#postponed = []
    for (const reply of [...this.#open.keys()]) this.settle(reply, gone)
  }

  #handle<Reply>({ type, payload, arrival }: Message, isFirst: boolean): Result<Reply> | Promise<Result<Reply>> {
    const { execute, clock } = this.#options
    const now = isFirst ? arrival.since : clock()
    const { state, reply, commands } = this.#call<Reply>(type, payload, { ...arrival, now })
    const ms = clock() - now
    const isPostponed = typeof reply === 'object' && 'until' in reply
    const hasChanged = !isPostponed && state !== this.#state
    if (hasChanged) this.#state = state
    this.#options.handled?.(ms)
    // Before the commands: they may settle it at once.
    const answer = typeof reply === 'object' && 'ok' in reply ? reply : this.#later<Reply>(arrival.reply)
    if (isPostponed) this.#postpone({ type, payload, arrival }, reply)
    if (commands?.length && (isFirst || !isPostponed)) execute(commands)
    if (hasChanged) this.#retryAll()
    return answer
  }

  #call<Reply>(type: string, payload: unknown, arrival: Arrival): Outcome<State, Command, Reply> {
    const { behaviour, record } = this.#options
    const handle = () => behaviour[type as MessageType<P>](this.#state, payload, arrival)
    if (!record) return handle()
    const handled = { type, payload, arrival, before: this.#state }
    try {
      const outcome = handle()
      record({ ...handled, commands: outcome.commands })
      return outcome
    } catch (error) {
      record({ ...handled, threw: error instanceof Error ? error.message : String(error) })
      throw error
    }
  }

  /** The promise of a reply; one that was postponed and is deferred now has it already. */
  #later<Reply>(reply: number): Promise<Result<Reply>> {
    if (this.#open.has(reply)) return unused
    return new Promise((resolve) => this.#open.set(reply, resolve))
  }

  #postpone(message: Message, { until }: Postponed): void {
    const waiting: Waiting = {
      ...message,
      timer: setTimeout(() => this.#retry(waiting), Math.max(0, until - this.#options.clock())),
    }
    this.#postponed = [...this.#postponed, waiting]
  }

  #retryAll(): void {
    for (const waiting of this.#postponed) this.#retry(waiting)
  }

  #retry(waiting: Waiting): void {
    if (!this.#postponed.includes(waiting)) return
    clearTimeout(waiting.timer)
    this.#postponed = this.#postponed.filter((other) => other !== waiting)
    const answer = this.#handle(waiting, false)
    if ('ok' in answer) this.settle(waiting.arrival.reply, answer)
  }
}

const gone = fail('actor-gone', 'it was stopped before it answered')
/** Unused: the first promise of the reply is the one that was returned to the caller. */
const unused: Promise<never> = new Promise(() => undefined)
