// The main thread's side of one actor's mailbox: bounds the messages in flight and settles every ask in time.
// Asks made while the actor is restarting wait until it is up, within their deadline; those it had already taken
// when it ended settle at once with `actor-gone`, since its progress is unknown.
import type { FailureCode } from '../../lib/base/failures.js'
import { fail, type Result } from '../../lib/base/result.js'
import { now } from '../../lib/base/time.js'
import type { ActorRef, AskOptions, Protocol } from '../protocol/envelope.js'
import type { Link, Parcel, Settle } from './link.js'
import type { Envelope } from './wire.js'

export const DEFAULT_DEADLINE_MS = 5_000
export const DEFAULT_MAILBOX_BOUND = 256

interface Pending {
  readonly parcel: Parcel
  readonly settle: Settle
  /** Present once it was sent: makes the link forget it. */
  forget?: () => void
}

type Line =
  | { readonly type: 'held' }
  | { readonly type: 'connected'; readonly link: Link; readonly generation: number }
  | { readonly type: 'closed'; readonly code: FailureCode; readonly message: string }

export class Outbox implements ActorRef<Protocol> {
  readonly id: string
  readonly #bound: number
  readonly #pending = new Set<Pending>()
  #line: Line = { type: 'held' }

  constructor(id: string, bound = DEFAULT_MAILBOX_BOUND) {
    this.id = id
    this.#bound = bound
  }

  get connected(): boolean {
    return this.#line.type === 'connected'
  }

  /** Why no message is accepted; undefined while the actor lives or is restarting. */
  get refusal(): Result<never> | undefined {
    return this.#line.type === 'closed' ? fail(this.#line.code, this.#line.message) : undefined
  }

  ask(type: string, payload: unknown, options: AskOptions = {}): Promise<Result<never>> {
    // `never`: what comes back is typed by the protocol of the ref that it is handed out as
    return this.#enter('ask', type, { payload, ...options }) as Promise<Result<never>>
  }

  /** An ask whose reply is not awaited: it counts against the bound until it has been handled. */
  tell(type: string, payload: unknown): void {
    void this.#enter('ask', type, { payload })
  }

  pull(view: string, deadlineMs: number): Promise<Result<unknown>> {
    return this.#enter('view', view, { payload: undefined, deadlineMs })
  }

  /** The actor is up: held messages are sent now, in order. */
  connect(link: Link, generation: number): void {
    this.#line = { type: 'connected', link, generation }
    for (const pending of [...this.#pending]) this.#send(pending)
  }

  /** The actor ended and may be restarted: messages in flight fail, later ones are held. */
  hold(reason: string): void {
    if (this.#line.type === 'closed') return
    this.#line = { type: 'held' }
    this.#settleAll(fail('actor-gone', reason), (pending) => pending.forget !== undefined)
  }

  /** The actor is removed or quarantined: everything fails with this code until `reopen`. */
  close(code: FailureCode, message: string): void {
    this.#line = { type: 'closed', code, message }
    this.#settleAll(fail(code, message), () => true)
  }

  reopen(): void {
    if (this.#line.type === 'closed') this.#line = { type: 'held' }
  }

  #enter(kind: Envelope['kind'], type: string, what: AskOptions & { payload: unknown }): Promise<Result<unknown>> {
    const refusal = this.refusal
    if (refusal) return Promise.resolve(refusal)
    // Pulls are single-flight, and a full mailbox must not blind the readers.
    if (kind === 'ask' && this.#pending.size >= this.#bound) {
      return Promise.resolve(fail('mailbox-full', `${this.id} has ${this.#pending.size} messages waiting`))
    }
    const deadlineMs = what.deadlineMs ?? DEFAULT_DEADLINE_MS
    const parcel: Parcel = { kind, type, payload: what.payload, deadline: now() + deadlineMs }
    return new Promise((resolve) => {
      const pending: Pending = {
        parcel,
        settle: (result) => {
          clearTimeout(timer)
          pending.forget?.()
          this.#pending.delete(pending)
          resolve(result)
        },
      }
      const late = () =>
        pending.settle(fail('deadline-passed', `${this.id} did not answer ${type} in ${deadlineMs} ms`))
      const timer = setTimeout(late, deadlineMs)
      this.#pending.add(pending)
      this.#send(pending)
    })
  }

  #send(pending: Pending): void {
    if (this.#line.type !== 'connected') return
    const { link, generation } = this.#line
    pending.forget = link.send(generation, pending.parcel, pending.settle)
  }

  #settleAll(result: Result<never>, which: (pending: Pending) => boolean): void {
    for (const pending of [...this.#pending].filter(which)) pending.settle(result)
  }
}
