// An actor as a value: state in, {state, reply, commands} out; handlers are synchronous, so the event loop is the mailbox.
import { fail, type Result } from '../../lib/base/result.js'
import type { MessageType, Protocol } from '../protocol/envelope.js'

/** What a handler answers: the next state, the reply, and what shall be done about it (in order; none when absent). */
export interface Outcome<State, Command, Reply> {
  readonly state: State
  readonly reply: Result<Reply>
  readonly commands?: readonly Command[]
}

/** One handler per message of the protocol. A handler never awaits: what takes time leaves as a command. */
export type Behaviour<P extends Protocol, State, Command> = {
  readonly [T in MessageType<P>]: (state: State, payload: P[T]['in']) => Outcome<State, Command, P[T]['out']>
}

export interface MailboxOptions<P extends Protocol, State, Command> {
  readonly behaviour: Behaviour<P, State, Command>
  readonly state: State
  /** Takes the commands of one message, after its state is stored; their outcome comes back as a message. */
  readonly execute: (commands: readonly Command[]) => void
}

export interface Mailbox<P extends Protocol, State> {
  /** Runs one message to its end. Throws what the handler throws: the kernel restarts the actor then. */
  receive<T extends MessageType<P>>(type: T, payload: P[T]['in']): Result<P[T]['out']>
  /** The state after the last message. */
  state(): State
}

/** Holds the state of one behaviour and feeds it messages one at a time. */
export function createMailbox<P extends Protocol, State, Command>({
  behaviour,
  execute,
  state: first,
}: MailboxOptions<P, State, Command>): Mailbox<P, State> {
  let state = first
  return {
    state: () => state,
    receive: (type, payload) => {
      if (!Object.hasOwn(behaviour, type)) return fail('internal', `no handler for the message ${type}`)
      const outcome = behaviour[type](state, payload)
      state = outcome.state
      if (outcome.commands?.length) execute(outcome.commands)
      return outcome.reply
    },
  }
}
