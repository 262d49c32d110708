// What waits for each receiver until its next message: kept over restarts, so that no report is lost.

import type { WriteLog } from '../../../lib/base/log-codes.js'
import { now, SECOND } from '../../../lib/base/time.js'
import type { AlertKind } from '../../../lib/model/alert.js'
import {
  addReport,
  type Channel,
  channelList,
  channels,
  emptyReceiver,
  isGathered,
  type Receiver,
  type Report,
  takeMessages,
} from '../../../lib/notify/index.js'
import type { Settings } from '../../../lib/settings/table/index.js'
import { readGatheredAlerts, writeGatheredAlerts } from '../../../lib/store/index.js'

/** The channel of a receiver, and the cluster whose settings lead to it. */
export interface Address {
  readonly channel: Channel
  readonly cluster: string
  readonly settings: Settings
}

/** The reports that one message is made of. */
export interface Bundle extends Address {
  readonly reports: readonly Report[]
}

interface Gathering {
  readonly channel: Channel
  readonly kind: AlertKind
  cluster: string
  receiver: Receiver
}

interface GatheringParts {
  readonly directory: string
  readonly settings: (cluster: string) => Settings | undefined
  readonly log: WriteLog
}

export class Gatherings {
  readonly #parts: GatheringParts
  readonly #all = new Map<string, Gathering>()
  #saving: Promise<void> | undefined
  #isDue = false

  constructor(parts: GatheringParts) {
    this.#parts = parts
  }

  /** Reads what was gathered when the manager ended. */
  async open(): Promise<void> {
    const { value = [], damage } = await readGatheredAlerts(this.#parts.directory)
    for (const problem of damage) this.#parts.log('warn', 'alert-unreadable', { problem })
    for (const { channel: name, cluster, kind, reports, sent, urgent = [] } of value) {
      const settings = this.#parts.settings(cluster)
      const gathering = settings && this.#of({ channel: channels[name], cluster, settings }, kind)
      if (!gathering) continue
      for (const report of reports) gathering.receiver = addReport(gathering.receiver, report as Report, now())
      gathering.receiver = { ...gathering.receiver, sent, urgent }
    }
  }

  /** Adds the report for every receiver of the cluster; it is on disk when this resolves. */
  async add(cluster: string, settings: Settings, reports: readonly Report[]): Promise<void> {
    for (const report of reports)
      for (const channel of channelList) {
        const gathering = isFor(channel, report) ? this.#of({ channel, cluster, settings }, report.kind) : undefined
        if (gathering) gathering.receiver = addReport(gathering.receiver, report, now())
      }
    await this.save()
  }

  /** Takes what is due at this time. The caller saves once it has the messages on disk. */
  take(at: number): readonly Bundle[] {
    const bundles: Bundle[] = []
    for (const [key, gathering] of this.#all) {
      const { channel, cluster } = gathering
      const settings = this.#parts.settings(cluster)
      if (!settings) {
        this.#all.delete(key)
        continue
      }
      const limits = { limit: settings['alert-storm-limit'], intervalMs: settings['alert-storm-interval'] * SECOND }
      const { receiver, messages } = takeMessages(gathering.receiver, limits, at)
      gathering.receiver = receiver
      bundles.push(...messages.map((reports) => ({ channel, cluster, settings, reports })))
      if (receiver.waiting.length + receiver.sent.length === 0) this.#all.delete(key)
    }
    return bundles
  }

  /** One write at a time: changes that come meanwhile share the next. */
  save(): Promise<void> {
    if (this.#saving) {
      this.#isDue = true
      return this.#saving
    }
    this.#saving = this.#write().finally(() => {
      this.#saving = undefined
    })
    return this.#saving
  }

  async #write(): Promise<void> {
    do {
      this.#isDue = false
      const kept = [...this.#all.values()].map(({ channel, kind, cluster, receiver: { waiting, sent, urgent } }) => ({
        ...{ channel: channel.name, kind, cluster, reports: waiting, sent, urgent },
      }))
      const saved = await writeGatheredAlerts(this.#parts.directory, kept)
      if (!saved.ok) this.#parts.log('error', 'alert-not-saved', { problem: saved.failure.message })
    } while (this.#isDue)
  }

  #of({ channel, cluster, settings }: Address, kind: AlertKind): Gathering | undefined {
    const target = channel.receiver(settings, kind)
    if (target === undefined) return undefined
    const key = `${channel.name} ${target}`
    const gathering = this.#all.get(key) ?? { channel, kind, cluster, receiver: emptyReceiver }
    gathering.cluster = cluster
    this.#all.set(key, gathering)
    return gathering
  }
}

/** That mails cannot be sent is not reported by mail. */
const isFor = (channel: Channel, { codes }: Report): boolean =>
  isGathered(channel) &&
  !(channel.name === 'mail' && codes.length > 0 && codes.every((code) => code === channel.finding))
