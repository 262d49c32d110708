// The line between the clusters of a thread and the main thread, for what needs no mailbox: one channel for each thread, whatever the
// number of its clusters. Every message names its cluster, and reaches its latest life alone.
import { AsyncResource } from 'node:async_hooks'
import { randomUUID } from 'node:crypto'
import path from 'node:path'
import { BroadcastChannel } from 'node:worker_threads'
import { SECOND } from '../../lib/base/time.js'
import type { Notices, Questions, Statements } from '../protocol/line.js'

/** The main thread answers within a millisecond unless it is busy or ends. */
const ANSWER_MS = 2 * SECOND

type Message =
  | ({ readonly type: 'asked' | 'said' | 'noticed'; readonly id: string; readonly cluster: string } & About)
  | { readonly type: 'answered'; readonly id: string; readonly answer: unknown }

interface About {
  readonly topic: string
  readonly content: unknown
}

/** One life of a cluster on the line of its thread. */
export interface Line {
  /** Undefined: no answer in time, or the life has ended. */
  ask<T extends keyof Questions>(topic: T, asked: Questions[T]['asked']): Promise<Questions[T]['answer'] | undefined>
  /** Without effect once the life has ended or the next one of the cluster has begun. */
  say<T extends keyof Statements>(topic: T, content: Statements[T]): void
  hear<T extends keyof Notices>(topic: T, listener: (notice: Notices[T]) => void): void
  /** What is still asked settles. */
  close(): void
}

/** By their channel: one for each manager that has clusters on this thread. */
const threadLines = new Map<string, ThreadLine>()

/** `directory`: the cluster's own, in the working directory of its manager. */
export function joinLine(
  { name, directory }: { readonly name: string; readonly directory: string },
  answerMs = ANSWER_MS,
): Line {
  const channel = channelOf(path.dirname(directory))
  const thread = threadLines.get(channel) ?? new ThreadLine(channel)
  threadLines.set(channel, thread)
  return new Life(thread, { name, answerMs })
}

class ThreadLine {
  readonly lives = new Set<Life>()
  /** By cluster: an earlier life may end after the next one has begun. */
  readonly latest = new Map<string, Life>()
  /** Questions without an answer. */
  readonly asked = new Map<string, (answer: unknown) => void>()
  readonly #name: string
  readonly #channel: BroadcastChannel

  constructor(name: string) {
    this.#name = name
    this.#channel = openChannel(name, (message) => {
      if (message.type === 'answered') this.asked.get(message.id)?.(message.answer)
      if (message.type === 'noticed') this.latest.get(message.cluster)?.take(message)
    })
  }

  post(message: Message): void {
    this.#channel.postMessage(message)
  }

  leave(life: Life, cluster: string): void {
    this.lives.delete(life)
    if (this.latest.get(cluster) === life) this.latest.delete(cluster)
    if (this.lives.size > 0) return
    threadLines.delete(this.#name)
    this.#channel.close()
  }
}

class Life implements Line {
  readonly #thread: ThreadLine
  readonly #name: string
  readonly #answerMs: number
  readonly #listeners = new Map<string, (content: unknown) => void>()
  readonly #open = new Set<() => void>()

  constructor(thread: ThreadLine, { name, answerMs }: { readonly name: string; readonly answerMs: number }) {
    this.#thread = thread
    this.#name = name
    this.#answerMs = answerMs
    thread.lives.add(this)
    thread.latest.set(name, this)
  }

  ask<T extends keyof Questions>(
    topic: T,
    content: Questions[T]['asked'],
  ): Promise<Questions[T]['answer'] | undefined> {
    if (!this.#thread.lives.has(this)) return Promise.resolve(undefined)
    return new Promise((resolve) => {
      const id = randomUUID()
      const settle = (answer?: unknown) => {
        clearTimeout(timer)
        this.#thread.asked.delete(id)
        this.#open.delete(settle)
        resolve(answer as Questions[T]['answer'] | undefined)
      }
      const timer = setTimeout(settle, this.#answerMs)
      this.#open.add(settle)
      this.#thread.asked.set(id, settle)
      this.#thread.post({ type: 'asked', id, cluster: this.#name, topic, content })
    })
  }

  say<T extends keyof Statements>(topic: T, content: Statements[T]): void {
    if (this.#thread.latest.get(this.#name) !== this) return
    this.#thread.post({ type: 'said', id: '', cluster: this.#name, topic, content })
  }

  /** A fault of the listener is the cluster's own, not of the one that opened the channel. */
  hear<T extends keyof Notices>(topic: T, listener: (notice: Notices[T]) => void): void {
    const later = AsyncResource.bind((notice: Notices[T]) => queueMicrotask(() => listener(notice)))
    this.#listeners.set(topic, later as (content: unknown) => void)
  }

  take({ topic, content }: About): void {
    this.#listeners.get(topic)?.(content)
  }

  close(): void {
    for (const settle of [...this.#open]) settle()
    if (this.#thread.lives.has(this)) this.#thread.leave(this, this.#name)
  }
}

type Answerers = {
  readonly [T in keyof Questions]: (asked: Questions[T]['asked'], cluster: string) => Answer<T> | Promise<Answer<T>>
}

/** Undefined: not answered. */
type Answer<T extends keyof Questions> = Questions[T]['answer'] | undefined

type Listeners = { readonly [T in keyof Statements]: (said: Statements[T], cluster: string) => void }

/** The main thread's end of the lines of all threads; one for each manager. */
export class MainLine {
  readonly #channel: BroadcastChannel
  readonly #answerers = new Map<string, (asked: never, cluster: string) => unknown>()
  readonly #listeners = new Map<string, (said: never, cluster: string) => void>()
  #isClosed = false

  constructor(workingDirectory: string) {
    this.#channel = openChannel(channelOf(workingDirectory), (message) => {
      if (message.type === 'asked') void this.#answer(message)
      // The topic and its content come from one call of `say`.
      if (message.type === 'said') this.#listeners.get(message.topic)?.(message.content as never, message.cluster)
    })
  }

  answer<T extends keyof Questions>(topic: T, answerer: Answerers[T]): void {
    this.#answerers.set(topic, answerer)
  }

  hear<T extends keyof Statements>(topic: T, listener: Listeners[T]): void {
    this.#listeners.set(topic, listener)
  }

  notify<T extends keyof Notices>(cluster: string, topic: T, content: Notices[T]): void {
    this.#post({ type: 'noticed', id: '', cluster, topic, content })
  }

  close(): void {
    this.#isClosed = true
    this.#channel.close()
  }

  async #answer({ id, cluster, topic, content }: About & { readonly id: string; readonly cluster: string }) {
    const answer = await this.#answerers.get(topic)?.(content as never, cluster)
    if (answer !== undefined) this.#post({ type: 'answered', id, answer })
  }

  #post(message: Message): void {
    if (!this.#isClosed) this.#channel.postMessage(message)
  }
}

const channelOf = (workingDirectory: string): string => `line of ${path.resolve(workingDirectory)}`

function openChannel(name: string, take: (message: Message) => void): BroadcastChannel {
  const channel = new BroadcastChannel(name)
  channel.onmessage = (event: unknown) => take((event as { readonly data: Message }).data)
  ;(channel as { unref?: () => void }).unref?.()
  return channel
}
