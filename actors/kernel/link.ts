// The raw port to one host thread: asks and pulls go out, replies come back; all of them settle when the thread ends.
import type { MessagePort } from 'node:worker_threads'
import { fail, type Result } from '../../lib/base/result.js'
import { describeFault } from './fault.js'
import type { Envelope, ToHost, ToMain } from './wire.js'

/** An envelope that has no address yet. */
export type Parcel = Pick<Envelope, 'kind' | 'type' | 'payload' | 'deadline'>

export type Settle = (result: Result<unknown>) => void

/** What a thread reports besides replies. */
export type Notice = Exclude<ToMain, { kind: 'reply' | 'dying' }>

export interface LinkOptions {
  readonly onNotice: (notice: Notice) => void
  /** The thread's last message, and the life whose code ends it (0: unknown). */
  readonly onDying: (reason: string, generation: number) => void
}

export class Link {
  readonly #port: MessagePort
  readonly #waiting = new Map<number, Settle>()
  #lastId = 0
  #ended = false

  constructor(port: MessagePort, { onNotice, onDying }: LinkOptions) {
    this.#port = port
    port.on('message', (message: ToMain) => {
      if (message.kind === 'reply') this.#settle(message.id, message.result)
      else if (message.kind === 'dying') onDying(message.reason, message.generation)
      else onNotice(message)
      if (message.kind === 'events') this.#post({ kind: 'events-taken' })
    })
  }

  /** Calls `settle` once, with the reply or with `actor-gone`, unless the returned function is called before. */
  send(generation: number, parcel: Parcel, settle: Settle): () => void {
    this.#lastId += 1
    const id = this.#lastId
    this.#waiting.set(id, settle)
    const { kind, type, payload, deadline } = parcel
    // written out: a spread makes a shape that clones at half the speed
    if (!this.#ended) this.#dispatch({ kind, id, generation, type, payload, deadline })
    else this.#settle(id, fail('actor-gone', 'the host thread has ended'))
    return () => this.#waiting.delete(id)
  }

  /** The thread has ended or is about to: nothing more will be answered. */
  end(): void {
    this.#ended = true
    this.#port.close()
    for (const id of [...this.#waiting.keys()]) this.#settle(id, fail('actor-gone', 'the host thread has ended'))
  }

  #dispatch(envelope: Envelope): void {
    try {
      this.#post(envelope)
    } catch (error) {
      this.#settle(envelope.id, fail('internal', `the message is not plain data: ${describeFault(error).reason}`))
    }
  }

  #post(message: ToHost): void {
    if (!this.#ended) this.#port.postMessage(message)
  }

  #settle(id: number, result: Result<unknown>): void {
    const settle = this.#waiting.get(id)
    this.#waiting.delete(id)
    settle?.(result)
  }
}
