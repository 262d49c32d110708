// The books of all clusters: fed by events and views, judged twice a second, and kept on disk.
import path from 'node:path'
import type { WriteLog } from '../../../lib/base/log-codes.js'
import { HOUR, now, SECOND } from '../../../lib/base/time.js'
import type { Acknowledgement, AlertCondition, StateChange } from '../../../lib/model/alert.js'
import type { ClusterEvent } from '../../../lib/model/event.js'
import type { Finding } from '../../../lib/model/finding.js'
import { ownFindings } from '../../../lib/model/findings.js'
import {
  acknowledge,
  type Book,
  blackoutUntil,
  CHECK_MS,
  emptyBook,
  findSilence,
  forgetStory,
  hasReceiver,
  judgeBook,
  noteConditions,
  noteRestart,
  type Report,
} from '../../../lib/notify/index.js'
import type { Settings } from '../../../lib/settings/table/index.js'
import { readAlertMemory, writeAlertMemory } from '../../../lib/store/index.js'
import type { ConditionsView } from '../../protocol/cluster.js'
import type { ManagerFace } from '../../protocol/manager/face.js'
import { conditionOf, conditionsOf } from './conditions.js'
import { isChange, noteEvent, type Servers } from './note-event.js'
import type { Silences } from './silences.js'

export interface BooksParts {
  readonly directory: string
  readonly clusters: () => readonly string[]
  /** Of a cluster, or of the server (''). */
  readonly settings: (cluster: string) => Settings | undefined
  readonly view: ManagerFace['view']
  /** Whether the conditions of this etag are still those of the cluster. */
  readonly isCurrent: (cluster: string, etag: string) => boolean
  /** The findings of the manager itself. */
  readonly own: () => readonly Finding[]
  readonly silences: Silences
  /** What is to be sent; the book is saved once it resolves. */
  readonly dispatch: (
    cluster: string,
    sending: { reports: readonly Report[]; states: readonly StateChange[] },
  ) => Promise<void>
  readonly log: WriteLog
}

interface Kept {
  book: Book
  /** What is on disk. */
  saved?: Pick<Book, 'notified' | 'acknowledged'>
  servers: Servers
  /** Hosts of another manager that acts on the servers. */
  others?: readonly string[] | undefined
  /** Version of the actor that the conditions came from. */
  generation: string
  dirty: boolean
  busy: boolean
  judgedAt: number
}

/** How often a cluster without changes is judged: silences end, escalations become due. */
const CALM_MS = 5 * SECOND

export class Books {
  readonly #parts: BooksParts
  readonly #kept = new Map<string, Kept>()
  #timer: NodeJS.Timeout | undefined
  #closed = false

  constructor(parts: BooksParts) {
    this.#parts = parts
  }

  start(): void {
    this.#timer = setInterval(() => this.#tick(), CHECK_MS)
    this.#timer.unref()
  }

  note(event: ClusterEvent): void {
    const kept = this.#kept.get(event.cluster)
    if (!kept) return
    kept.book = noteEvent(kept.book, { ...event, at: now() }, kept.servers)
    if (isChange(event) || event.level === 'START') kept.dirty = true
  }

  get(cluster: string): Book | undefined {
    return this.#kept.get(cluster)?.book
  }

  /** Settings of the cluster have changed. */
  changed(cluster: string): void {
    for (const [name, kept] of this.#kept) if (cluster === '' || name === cluster) kept.dirty = true
  }

  async acknowledge(cluster: string, keys: readonly string[], given: Acknowledgement | undefined): Promise<void> {
    const kept = this.#kept.get(cluster)
    if (!kept) return
    kept.book = acknowledge(kept.book, keys, given)
    await this.#save(cluster, kept)
  }

  /** Why a condition is not sent now: another manager acts and sends it, a silence by a user, or the scheduled window. */
  silenceOf(
    cluster: string,
    condition: Pick<AlertCondition, 'code' | 'server'>,
  ): { readonly by: string; readonly reason: string; readonly endsAt: number } | undefined {
    const at = now()
    const others = this.#kept.get(cluster)?.others
    if (others && !ownFindings.has(condition.code))
      return {
        by: 'other-manager',
        reason: `the manager at ${others.join(', ')} acts on the servers, and notifies of them`,
        // Judged again by then.
        endsAt: at + CALM_MS,
      }
    const silence = findSilence(this.#parts.silences.all(), condition, { cluster, now: at })
    if (silence) return { by: silence.owner, reason: silence.reason, endsAt: silence.endsAt }
    const settings = this.#parts.settings(cluster)
    const endsAt = settings && blackoutUntil(settings, at)
    return endsAt === undefined ? undefined : { by: 'scheduler-alert-disable', reason: 'scheduled window', endsAt }
  }

  forget(cluster: string): void {
    this.#kept.delete(cluster)
  }

  close(): void {
    this.#closed = true
    clearInterval(this.#timer)
  }

  #tick(): void {
    const names = new Set(['', ...this.#parts.clusters()])
    for (const name of this.#kept.keys()) if (!names.has(name)) this.#kept.delete(name)
    for (const name of names) {
      const kept = this.#kept.get(name)
      if (!kept) void this.#open(name)
      else if (!kept.busy && (kept.dirty || name === '' || now() - kept.judgedAt >= restOf(kept)))
        void this.#advance(name, kept)
    }
  }

  async #open(cluster: string): Promise<void> {
    const kept: Kept = {
      ...{ book: emptyBook(cluster, now()), servers: [], generation: '' },
      ...{ dirty: true, busy: true, judgedAt: 0 },
    }
    this.#kept.set(cluster, kept)
    const { value, damage } = await readAlertMemory(this.#directoryOf(cluster))
    for (const problem of damage) this.#parts.log('warn', 'alert-unreadable', { cluster, problem })
    const { notified, acknowledged } = value ?? kept.book
    kept.book = { ...kept.book, notified, acknowledged }
    kept.saved = { notified, acknowledged }
    kept.busy = false
  }

  async #advance(cluster: string, kept: Kept): Promise<void> {
    kept.busy = true
    try {
      if (cluster === '') this.#readOwn(kept)
      else if (kept.dirty) await this.#read(cluster, kept)
      await this.#judge(cluster, kept)
    } catch (error) {
      this.#parts.log('error', 'alerts-failed', {
        cluster,
        reason: error instanceof Error ? error.message : String(error),
      })
    } finally {
      kept.judgedAt = now()
      kept.busy = false
    }
  }

  #readOwn(kept: Kept): void {
    const triggers = this.#parts.settings('')?.['monitoring-alert-trigger'] ?? []
    const conditions = this.#parts.own().flatMap((finding) => conditionOf(finding, triggers))
    kept.book = noteConditions(kept.book, conditions, now())
  }

  async #read(cluster: string, kept: Kept): Promise<void> {
    const settings = this.#parts.settings(cluster)
    kept.dirty = false
    if (!settings) return
    const view = await this.#parts.view(cluster, 'conditions')
    // The last known bytes are answered while the actor gives none: it is asked again, since no other change may follow.
    if (!view.ok || !this.#parts.isCurrent(cluster, view.value.etag)) kept.dirty = true
    if (!view.ok) return
    const read = JSON.parse(view.value.bytes.toString()) as ConditionsView
    if (!read.ready) {
      kept.dirty = true
      return
    }
    const [generation = ''] = view.value.etag.split('-')
    if (kept.generation !== generation) kept.book = noteRestart(kept.book, now())
    kept.generation = generation
    kept.servers = read.servers
    kept.others = read.others
    kept.book = noteConditions(kept.book, conditionsOf(read, settings['monitoring-alert-trigger']), now())
  }

  async #judge(cluster: string, kept: Kept): Promise<void> {
    const settings = this.#parts.settings(cluster)
    if (!settings || this.#closed) return
    const isSilenced = (condition: Pick<AlertCondition, 'code' | 'server'>) =>
      this.silenceOf(cluster, condition) !== undefined
    const states = kept.book.states.filter(({ server, to }) => !isSilenced({ code: to, server }))
    const escalationMs = settings['alert-escalation-time'] * SECOND
    // Without a receiver nobody is notified: what is open is sent when there is one.
    const { book, report, escalation } = hasReceiver(settings)
      ? judgeBook(kept.book, { now: now(), isSilenced, escalationMs })
      : { book: forgetStory(kept.book) }
    kept.book = { ...book, states: [] }
    const reports = [report, escalation].filter((each) => each !== undefined)
    if (reports.length + states.length > 0) await this.#parts.dispatch(cluster, { reports, states })
    await this.#save(cluster, kept)
  }

  async #save(cluster: string, kept: Kept): Promise<void> {
    const { notified, acknowledged } = kept.book
    if (notified === kept.saved?.notified && acknowledged === kept.saved.acknowledged) return
    const saved = await writeAlertMemory(this.#directoryOf(cluster), { notified, acknowledged })
    if (saved.ok) kept.saved = { notified, acknowledged }
    else this.#parts.log('error', 'alert-not-saved', { cluster, problem: saved.failure.message })
  }

  #directoryOf(cluster: string): string {
    return cluster === '' ? path.join(this.#parts.directory, 'alerts') : path.join(this.#parts.directory, cluster)
  }
}

/** Something waits for its time; most clusters have nothing at all. */
const restOf = ({ book }: Kept): number =>
  book.firstChangeAt !== undefined || book.operation !== undefined || book.states.length > 0
    ? 0
    : book.conditions.size + Object.keys(book.notified).length > 0
      ? CALM_MS
      : HOUR
