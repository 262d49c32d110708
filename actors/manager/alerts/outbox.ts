// Messages that wait to be sent: on disk before anything else, one at a time per receiver, retried until they arrive.

import type { WriteLog } from '../../../lib/base/log-codes.js'
import { fail, type Result } from '../../../lib/base/result.js'
import { DAY, MINUTE, now, SECOND, sleep } from '../../../lib/base/time.js'
import type { AlertChannel, AlertMessage, QueuedAlert } from '../../../lib/model/alert.js'
import type { Finding } from '../../../lib/model/finding.js'
import { type Channel, channels, joinMessages } from '../../../lib/notify/index.js'
import type { Settings } from '../../../lib/settings/table/index.js'
import { dropQueuedAlert, readAlertQueue, writeQueuedAlert } from '../../../lib/store/index.js'

export interface OutboxParts {
  readonly directory: string
  /** Of a cluster, or of the server (''); undefined for a cluster that is gone. */
  readonly settings: (cluster: string) => Settings | undefined
  readonly log: WriteLog
  /** A receiver cannot be reached, or can again: the findings of these clusters differ. */
  readonly onFindings: (clusters: readonly string[]) => void
  /** First pause after a failure, milliseconds; doubles up to five minutes. 5,000 when absent. */
  readonly pauseMs?: number
}

/** Messages that wait for one receiver. */
interface Line {
  readonly entries: QueuedAlert[]
  busy: boolean
  /** The first of them, which are being sent. */
  sending: number
  pause: number
  retryAt: number
  /** Why the latest try failed; undefined after one that did not. */
  reason?: string
  shown: string
}

/** What became of messages to one receiver since the manager started. */
export interface Deliveries {
  /** Messages that wait. */
  readonly waiting: number
  readonly sentAt?: number
  readonly failedAt?: number
  /** Why the latest try failed; absent after one that did not. */
  readonly problem?: string
  /** When it is tried again. */
  readonly retryAt?: number
}

const GRACE_MS = 2 * SECOND
const LONGEST_PAUSE = 5 * MINUTE
/** A message that could not be sent in so long is given up. */
const LONGEST_WAIT = DAY
/** Messages that wait in all; beyond it the oldest are given up. */
export const MESSAGES_WAITING = 1_000

export class Outbox {
  readonly #parts: OutboxParts
  readonly #lines = new Map<string, Line>()
  /** By receiver; those that are not configured any more are few. */
  readonly #past = new Map<string, Pick<Deliveries, 'sentAt' | 'failedAt'>>()
  #closed = false
  #count = 0

  constructor(parts: OutboxParts) {
    this.#parts = parts
  }

  /** Reads what waited when the manager ended. */
  async open(): Promise<void> {
    const { entries, damage } = await readAlertQueue(this.#parts.directory)
    for (const problem of damage) this.#parts.log('warn', 'alert-unreadable', { problem })
    for (const entry of entries) await this.#enqueue(entry)
    this.pump()
  }

  /** Resolves when the entries are on disk; they are sent at once, or as soon as their receiver accepts them. */
  async add(entries: readonly QueuedAlert[]): Promise<void> {
    for (const entry of entries) {
      const written = await writeQueuedAlert(this.#parts.directory, entry)
      // It is sent all the same: only a restart would lose it.
      if (!written.ok) this.#parts.log('error', 'alert-not-saved', { problem: written.failure.message })
      await this.#enqueue(entry)
    }
    this.pump()
  }

  /** Sends what is due; called often. */
  pump(): void {
    for (const [key, line] of this.#lines)
      if (!this.#closed && !line.busy && line.entries.length > 0 && line.retryAt <= now()) void this.#send(key, line)
  }

  /** Settings have changed: what failed is tried again at once, where it goes now. */
  async changed(): Promise<void> {
    const entries = [...this.#lines.values()].filter(({ busy }) => !busy).flatMap((line) => line.entries.splice(0))
    this.#count -= entries.length
    const before = this.#failing()
    for (const [key, line] of this.#lines) if (!line.busy && line.entries.length === 0) this.#lines.delete(key)
    for (const entry of entries.sort((left, right) => left.id.localeCompare(right.id))) await this.#enqueue(entry)
    if (before.length > 0) this.#parts.onFindings(before)
    this.pump()
  }

  waiting(): number {
    return this.#count
  }

  /** `receiver` as its channel identifies it. */
  deliveries(channel: AlertChannel, receiver: string): Deliveries {
    const key = keyOf(channel, receiver)
    const { entries = [], reason, retryAt = 0 } = this.#lines.get(key) ?? {}
    return {
      ...{ waiting: entries.length, ...this.#past.get(key) },
      ...(reason === undefined ? {} : { problem: reason, retryAt }),
    }
  }

  /** Receivers of the cluster that cannot be reached. */
  findings(cluster: string): readonly Finding[] {
    const texts = new Map<Finding['code'], string[]>()
    for (const { entries, reason } of this.#lines.values()) {
      const own = entries.filter((entry) => entry.cluster === cluster || entry.message.clusters.includes(cluster))
      const [first] = own
      if (reason === undefined || !first) continue
      const { finding, name } = channels[first.channel]
      texts.set(finding, [...(texts.get(finding) ?? []), `${name}: ${reason}`])
    }
    return [...texts].map(([code, lines]) => ({ code, detail: `${lines.join('; ')}.` }))
  }

  /** Starts nothing further, and waits a little for what is being sent: it would be sent again otherwise. */
  async close(): Promise<void> {
    this.#closed = true
    const ends = now() + GRACE_MS
    while ([...this.#lines.values()].some(({ busy }) => busy) && now() < ends) await sleep(20)
  }

  async #enqueue(entry: QueuedAlert): Promise<void> {
    const settings = this.#parts.settings(entry.cluster)
    const channel = channels[entry.channel]
    const receiver = settings && channel.receiver(settings, entry.message.kind)
    if (receiver === undefined) {
      await this.#giveUp(entry, 'its channel is no longer configured')
      return
    }
    const key = keyOf(entry.channel, receiver)
    const shown = channel.shown(settings as Settings, entry.message.kind)
    const line = this.#lines.get(key) ?? {
      ...{ entries: [], busy: false, sending: 0, pause: this.#firstPause, retryAt: 0, shown },
    }
    this.#lines.set(key, line)
    line.entries.push(entry)
    this.#count += 1
    if (this.#count > MESSAGES_WAITING) await this.#dropOldest()
  }

  get #firstPause(): number {
    return this.#parts.pauseMs ?? 5 * SECOND
  }

  async #dropOldest(): Promise<void> {
    const longest = [...this.#lines.values()].sort((left, right) => right.entries.length - left.entries.length)[0]
    const [oldest] = longest?.entries.splice(longest.sending, 1) ?? []
    if (!oldest) return
    this.#count -= 1
    await this.#giveUp(oldest, `more than ${MESSAGES_WAITING} messages wait`)
  }

  async #giveUp({ id, channel, cluster, message }: QueuedAlert, reason: string): Promise<void> {
    this.#parts.log('error', 'alert-given-up', { channel, cluster, title: message.title, reason })
    await dropQueuedAlert(this.#parts.directory, id)
  }

  async #send(key: string, line: Line): Promise<void> {
    line.busy = true
    try {
      await this.#dropOld(line)
      const [first] = line.entries
      if (!first) return
      const channel = channels[first.channel]
      const settings = this.#parts.settings(first.cluster)
      if (!settings || channel.receiver(settings, first.message.kind) === undefined) {
        this.#remove(line, 1)
        await this.#giveUp(first, 'its channel is no longer configured')
        return
      }
      const { message, count } = nextMessage(line, channel)
      line.sending = count
      const sent = await sendBy(channel, settings, message)
      this.#remember(key, sent.ok ? 'sentAt' : 'failedAt')
      if (sent.ok) await this.#sent(line, count, message.title)
      else this.#failed(line, sent.failure.message)
    } finally {
      line.busy = false
      line.sending = 0
      if (line.entries.length === 0 && this.#lines.get(key) === line) this.#lines.delete(key)
      else if (!this.#closed && line.retryAt <= now()) setImmediate(() => this.pump())
    }
  }

  #remember(key: string, what: 'sentAt' | 'failedAt'): void {
    const known = this.#past.get(key)
    this.#past.delete(key)
    this.#past.set(key, { ...known, [what]: Math.round(now()) })
    const [oldest] = this.#past.keys()
    if (oldest !== undefined && this.#past.size > MESSAGES_WAITING) this.#past.delete(oldest)
  }

  async #sent(line: Line, count: number, title: string): Promise<void> {
    const entries = line.entries.slice(0, count)
    this.#parts.log('info', 'alert-sent', { channel: entries[0]?.channel, to: line.shown, title, messages: count })
    const clusters = line.reason === undefined ? [] : clustersOf(line.entries)
    delete line.reason
    line.pause = this.#firstPause
    line.retryAt = 0
    for (const { id } of entries) {
      const dropped = await dropQueuedAlert(this.#parts.directory, id)
      if (!dropped.ok) this.#parts.log('error', 'alert-not-saved', { problem: dropped.failure.message })
    }
    this.#remove(line, count)
    if (clusters.length > 0) this.#parts.onFindings(clusters)
  }

  #failed(line: Line, reason: string): void {
    const isNew = line.reason === undefined
    if (isNew) {
      const { channel } = line.entries[0] ?? {}
      this.#parts.log('warn', 'alert-failed', { channel, to: line.shown, reason })
    }
    line.reason = reason
    line.retryAt = now() + line.pause
    line.pause = Math.min(2 * line.pause, LONGEST_PAUSE)
    // Also when it failed before: a message of another cluster may wait since then.
    this.#parts.onFindings(clustersOf(line.entries))
  }

  #remove(line: Line, count: number): void {
    line.entries.splice(0, count)
    this.#count -= count
  }

  async #dropOld(line: Line): Promise<void> {
    for (let [first] = line.entries; first && now() - first.message.at > LONGEST_WAIT; [first] = line.entries) {
      this.#remove(line, 1)
      await this.#giveUp(first, `it could not be sent within ${LONGEST_WAIT / DAY} day: ${line.reason ?? ''}`)
    }
  }

  #failing(): readonly string[] {
    return [...this.#lines.values()].flatMap(({ reason, entries }) => (reason === undefined ? [] : clustersOf(entries)))
  }
}

const keyOf = (channel: AlertChannel, receiver: string): string => `${channel} ${receiver}`

/** A channel that throws is a channel that fails. */
export async function sendBy(channel: Channel, settings: Settings, message: AlertMessage): Promise<Result<void>> {
  try {
    return await channel.send(settings, message)
  } catch (error) {
    return fail('alert-failed', `${channel.name}: ${error instanceof Error ? error.message : String(error)}`)
  }
}

/** Calls of a script are never joined: each has arguments of its own. */
function nextMessage({ entries, reason }: Line, { name }: Channel) {
  const messages = entries.map(({ message }) => message)
  const [first] = messages as [QueuedAlert['message']]
  if (name === 'script' || reason === undefined) return { message: first, count: 1 }
  const joined = joinMessages(messages)
  return joined.length === 1 && joined[0]
    ? { message: joined[0], count: messages.length }
    : { message: first, count: 1 }
}

const clustersOf = (entries: readonly QueuedAlert[]): readonly string[] => [
  ...new Set(entries.flatMap(({ cluster, message }) => [cluster, ...message.clusters])),
]
