// Alerts of all clusters: from the books of the clusters, gathered for each receiver, into the outbox.

import { randomBytes } from 'node:crypto'
import { hostname } from 'node:os'
import { createAllowance } from '../../../lib/base/allowance.js'
import type { LogCode } from '../../../lib/base/log-codes.js'
import { fail, ok, type Result } from '../../../lib/base/result.js'
import { MINUTE, now } from '../../../lib/base/time.js'
import type { AlertMessage, QueuedAlert, StateChange } from '../../../lib/model/alert.js'
import type { ClusterEvent } from '../../../lib/model/event.js'
import type { Finding } from '../../../lib/model/finding.js'
import {
  CHECK_MS,
  type Channel,
  channelList,
  channels,
  closeMail,
  type RenderFacts,
  type Report,
  renderMessage,
  renderTest,
} from '../../../lib/notify/index.js'
import { publicUrl } from '../../../lib/settings/index.js'
import type { Settings } from '../../../lib/settings/table/index.js'
import type { AlertsFace, OpenAlert, TestedChannel } from '../../protocol/manager/alerts.js'
import { Books, type BooksParts } from './books.js'
import { type Bundle, Gatherings } from './gatherings.js'
import { Outbox, type OutboxParts, sendBy } from './outbox.js'
import { listEscalation, listReceivers } from './receivers.js'
import { Silences } from './silences.js'

export interface AlertsParts
  extends Pick<BooksParts, 'clusters' | 'settings' | 'view' | 'isCurrent' | 'own'>,
    Pick<OutboxParts, 'directory' | 'log' | 'onFindings'> {}

/** Test messages, for each cluster. */
export const TESTS = { most: 20, withinMs: 10 * MINUTE }

export class Alerts implements AlertsFace {
  readonly #parts: AlertsParts
  readonly #books: Books
  readonly #outbox: Outbox
  readonly #silences: Silences
  readonly #gatherings: Gatherings
  #timer: NodeJS.Timeout | undefined
  readonly #mayTest = createAllowance(TESTS)
  #count = 0
  #isClosed = false
  #queueing: Promise<void> = Promise.resolve()

  constructor(parts: AlertsParts) {
    this.#parts = parts
    this.#silences = new Silences(parts.directory, parts.log)
    this.#outbox = new Outbox(parts)
    this.#gatherings = new Gatherings(parts)
    this.#books = new Books({
      ...parts,
      silences: this.#silences,
      dispatch: (cluster, { reports, states }) => this.#dispatch(cluster, reports, states),
    })
  }

  /** Reads what an earlier process left, then begins. */
  async start(): Promise<void> {
    await this.#silences.open()
    await this.#outbox.open()
    await this.#gatherings.open()
    if (this.#isClosed) return
    this.#books.start()
    this.#timer = setInterval(() => this.#tick(), CHECK_MS)
    this.#timer.unref()
  }

  note(event: ClusterEvent): void {
    this.#books.note(event)
  }

  /** Settings of a cluster, or of the server (''), have changed. */
  changed(cluster: string): void {
    this.#books.changed(cluster)
    void this.#outbox.changed()
  }

  /** Channels that do not work, for the clusters whose messages wait. */
  findings(cluster: string): readonly Finding[] {
    return this.#outbox.findings(cluster)
  }

  forget(cluster: string): void {
    this.#books.forget(cluster)
  }

  /** What waits is on disk when it resolves: the next start sends it. */
  async close(): Promise<void> {
    this.#isClosed = true
    clearInterval(this.#timer)
    this.#books.close()
    await this.#queueing
    await this.#gatherings.save()
    await this.#outbox.close()
    closeMail()
  }

  list(cluster: string): readonly OpenAlert[] {
    const book = this.#books.get(cluster)
    if (!book) return []
    return [...book.conditions.values()].map(({ key, sentence: _, ...condition }) => {
      const { open = false, at, escalatedAt } = book.notified[key] ?? {}
      const acknowledged = book.acknowledged[key]
      const silenced = this.#books.silenceOf(cluster, condition)
      return {
        ...condition,
        ...(open && at !== undefined ? { notifiedAt: at } : {}),
        ...(escalatedAt === undefined ? {} : { escalatedAt }),
        ...(acknowledged ? { acknowledged } : {}),
        ...(silenced ? { silenced } : {}),
      }
    })
  }

  receivers(clusters: readonly string[]): ReturnType<AlertsFace['receivers']> {
    return listReceivers(this.#settingsOf(clusters), (channel, receiver) => this.#outbox.deliveries(channel, receiver))
  }

  escalation(clusters: readonly string[]): ReturnType<AlertsFace['escalation']> {
    return listEscalation(this.#settingsOf(clusters))
  }

  #settingsOf(clusters: readonly string[]) {
    return clusters.flatMap((cluster) => {
      const settings = this.#parts.settings(cluster)
      return settings ? [{ cluster, settings }] : []
    })
  }

  silences(cluster: string): ReturnType<AlertsFace['silences']> {
    return this.#silences.list(cluster)
  }

  async silence(...[request, holder]: Parameters<AlertsFace['silence']>): ReturnType<AlertsFace['silence']> {
    const added = await this.#silences.add(request, holder)
    const { cluster, codes, servers, owner: user, reason, endsAt } = request
    return this.#noted(added, 'alerts-silenced', { cluster, codes, servers, user, reason, endsAt })
  }

  async endSilence({
    cluster,
    id,
    user,
  }: Parameters<AlertsFace['endSilence']>[0]): ReturnType<AlertsFace['endSilence']> {
    return this.#noted(await this.#silences.drop(cluster, id), 'silence-ended', { cluster, id, user })
  }

  async acknowledge(request: Parameters<AlertsFace['acknowledge']>[0]): ReturnType<AlertsFace['acknowledge']> {
    const { owner, reason } = request
    return this.#acknowledge(request, 'alerts-acknowledged', { owner, reason, at: Math.round(now()) })
  }

  async unacknowledge(request: Parameters<AlertsFace['unacknowledge']>[0]): ReturnType<AlertsFace['unacknowledge']> {
    return this.#acknowledge(request, 'alerts-unacknowledged', undefined)
  }

  async test({ cluster, channel, user }: Parameters<AlertsFace['test']>[0]): ReturnType<AlertsFace['test']> {
    const settings = this.#parts.settings(cluster)
    if (!settings) return fail('unknown-cluster', `no cluster ${cluster}`)
    const chosen = (channel ? [channels[channel]] : channelList).filter(
      (each) => each.receiver(settings, 'test') !== undefined,
    )
    if (chosen.length === 0)
      return fail('no-channel', `${cluster}: ${channel ? `${channel} is not` : 'no channel of alerts is'} configured`)
    if (!this.#mayTest(cluster))
      return fail(
        'too-often',
        `${cluster}: at most ${TESTS.most} tests are sent within ${TESTS.withinMs / MINUTE} minutes`,
      )
    const message = renderTest(cluster, user, this.#facts())
    const tested = await Promise.all(chosen.map((each) => sendTest(each, settings, message)))
    const failed = tested.filter(({ problem }) => problem !== undefined)
    const fields = {
      cluster,
      user,
      sent: tested.filter(({ problem }) => problem === undefined).map(({ channel: sent }) => sent),
    }
    const result: Result<readonly TestedChannel[]> =
      failed.length === 0
        ? ok(tested)
        : fail('alert-failed', tested.map(({ channel: name, problem = 'sent' }) => `${name}: ${problem}`).join('; '))
    return this.#noted(result, 'alerts-tested', fields)
  }

  async #acknowledge(
    { cluster, code, server, owner }: Omit<Parameters<AlertsFace['acknowledge']>[0], 'reason'>,
    event: LogCode,
    given: Parameters<Books['acknowledge']>[2],
  ): Promise<Result<{ readonly acknowledged: number }>> {
    const open = [...(this.#books.get(cluster)?.conditions.values() ?? [])].filter(
      (each) => (code === '' || each.code === code) && (server === '' || each.server === server),
    )
    const keys = open.map(({ key }) => key)
    if (keys.length > 0) await this.#books.acknowledge(cluster, keys, given)
    const result: Result<{ readonly acknowledged: number }> =
      keys.length > 0
        ? ok({ acknowledged: keys.length })
        : fail('unknown-alert', `${cluster} has no open alert ${code} ${server}`.trim())
    return this.#noted(result, event, {
      cluster,
      alerts: keys,
      user: owner,
      ...(given ? { reason: given.reason } : {}),
    })
  }

  async #dispatch(cluster: string, reports: readonly Report[], states: readonly StateChange[]): Promise<void> {
    const settings = this.#parts.settings(cluster)
    if (!settings) return
    if (reports.length > 0) await this.#gatherings.add(cluster, settings, reports)
    // Scripts of an observed cluster do not run.
    const isCalled = settings['alert-script'] !== '' && !settings['monitoring-observe']
    if (isCalled) await this.#outbox.add(states.map((state) => this.#callOf(cluster, state)))
  }

  #tick(): void {
    const bundles = this.#gatherings.take(now())
    if (bundles.length > 0) this.#queue(bundles)
    this.#outbox.pump()
  }

  /** On disk as messages before they are gone from what was gathered. */
  #queue(bundles: readonly Bundle[]): void {
    const entries = bundles.flatMap(({ channel, cluster, settings, reports }): QueuedAlert[] => {
      const message = renderMessage(reports, this.#facts())
      const isWanted = channel.accepts?.(settings, message) ?? true
      return isWanted ? [{ id: message.id, channel: channel.name, cluster, message }] : []
    })
    this.#queueing = this.#queueing.then(() => this.#outbox.add(entries)).then(() => this.#gatherings.save())
  }

  #callOf(cluster: string, state: StateChange): QueuedAlert {
    const { id, at } = { id: this.#nextId(), at: Math.round(now()) }
    const level = state.to === 'Failed' ? 'ALERT' : 'ALERTOK'
    const title = `${state.url}: ${state.to} (was ${state.from})`
    const message: AlertMessage = {
      id,
      at,
      level,
      kind: 'alert',
      clusters: [cluster],
      codes: [],
      title,
      text: '',
      state,
    }
    return { id, channel: 'script', cluster, message }
  }

  /** Sorted by time, unique over restarts. */
  #nextId(): string {
    this.#count += 1
    return `${Math.round(now())}-${String(this.#count).padStart(6, '0')}-${randomBytes(4).toString('hex')}`
  }

  #facts(): RenderFacts {
    const server = this.#parts.settings('')
    return { id: this.#nextId(), now: now(), baseUrl: server ? publicUrl(server) : '', manager: hostname() }
  }

  #noted<T>(result: Result<T>, code: LogCode, fields: Readonly<Record<string, unknown>>): Result<T> {
    if (result.ok) this.#parts.log('info', code, fields)
    else this.#parts.log('warn', code, { ...fields, refused: result.failure.message })
    return result
  }
}

async function sendTest(channel: Channel, settings: Settings, message: AlertMessage): Promise<TestedChannel> {
  const sent = await sendBy(channel, settings, message)
  const tested = { channel: channel.name, receiver: channel.shown(settings, 'test') }
  return sent.ok ? tested : { ...tested, problem: sent.failure.message }
}
