// The backups of a cluster: asked for, made as jobs of the queue, listed; a failover takes their source away from them.

import { Catalogue } from '../../../lib/backup/catalogue/index.js'
import { removeScratch } from '../../../lib/backup/method/scratch.js'
import { storageOf } from '../../../lib/backup/place/from-settings.js'
import { judgeSpace } from '../../../lib/backup/place/space.js'
import { disclose } from '../../../lib/backup/stream/index.js'
import { done, fail, ok, type Result } from '../../../lib/base/result.js'
import { MINUTE, SECOND } from '../../../lib/base/time.js'
import { mergePlaces } from '../../../lib/decide/backup/places.js'
import { chooseSource, type SourceChoice } from '../../../lib/decide/backup/source.js'
import type { Backup, BackupKind } from '../../../lib/model/backup.js'
import type { Job, JobTask } from '../../../lib/model/operation/job.js'
import type { Operation } from '../../../lib/model/operation/operation.js'
import { isMinor } from '../../../lib/model/operation/operation.js'
import type { Asked, JobTicket } from '../../protocol/cluster.js'
import { refuseChanges } from '../state/step/observed.js'
import type { BackingUp, BackupOrder } from './backing-up.js'
import { copyServer } from './copy-server.js'
import type { Begun } from './queue.js'

const REREAD_MS = 10 * MINUTE

export const taskOf = (kind: BackupKind): JobTask => `backup-${kind}`

export class Backups {
  readonly #actor: BackingUp
  #backups: readonly Backup[] = []
  #known: { readonly key: string; readonly catalogue: Catalogue; readonly archive?: Catalogue } | undefined
  #timer: NodeJS.Timeout | undefined

  constructor(actor: BackingUp) {
    this.#actor = actor
    actor.context.signal.addEventListener('abort', () => clearTimeout(this.#timer), { once: true })
    for (const kind of ['logical', 'physical'] as const) actor.queue.redo(taskOf(kind), (job) => this.#again(job))
  }

  /** As last read, newest last. */
  list(): readonly Backup[] {
    return this.#backups
  }

  /** Reads the records of the place again, now and from time to time: others write there, too. */
  async reread(): Promise<Result<readonly Backup[]>> {
    clearTimeout(this.#timer)
    const { context } = this.#actor
    const { catalogue, archive, disk } = this.#catalogue()
    const [read, free] = [await catalogue.read(context.signal), await catalogue.place.free()]
    if (context.signal.aborted) return ok(this.#backups)
    this.#timer = setTimeout(() => void this.reread(), REREAD_MS)
    if (!read.ok) {
      this.#note('WARN', `The records of the backups cannot be read: ${read.failure.message}`)
      return read
    }
    for (const { message } of read.value.unreadable) this.#note('WARN', message)
    const archived = (await archive?.read(context.signal)) ?? ok(undefined)
    if (!archived.ok) this.#note('WARN', `The records of the archive cannot be read: ${archived.failure.message}`)
    this.#backups = mergePlaces(read.value.backups, archived.ok ? (archived.value?.backups ?? []) : [])
    const space = free.ok && free.value ? judgeSpace(free.value, disk, 0) : undefined
    const place = space && space.state !== 'enough' ? { fullPercent: Math.floor(space.usedPercent) } : {}
    this.#actor.tell('read-backups', { backups: this.#backups, ...place })
    this.#actor.context.changed('backups')
    return ok(this.#backups)
  }

  /** At the start: what a killed manager left of backups is removed. */
  async tidy(): Promise<void> {
    const { catalogue } = this.#catalogue()
    const tidied = await catalogue.tidy([], this.#actor.context.signal)
    if (tidied.ok && tidied.value > 0) this.#note('INFO', `${tidied.value} files of interrupted backups were removed`)
    await removeScratch(this.#actor.init.directory)
    await this.reread()
  }

  #catalogue() {
    const { init, state } = this.#actor
    const { target, archive, keyFile, disk } = storageOf(init.name, state.settings)
    // Kept, since it reads every record once.
    const key = JSON.stringify(disclose([target, archive, keyFile]))
    if (this.#known?.key !== key)
      this.#known = {
        ...{ key, catalogue: new Catalogue(target, init.name, keyFile) },
        ...(archive ? { archive: new Catalogue(archive, init.name, keyFile) } : {}),
      }
    return { ...this.#known, disk }
  }

  /** The catalogue of the place that has a backup of the list. */
  catalogueOf({ place }: Pick<Backup, 'place'>): Catalogue {
    const { catalogue, archive } = this.#catalogue()
    return archive && archive.place.kind === place && catalogue.place.kind !== place ? archive : catalogue
  }

  /** A backup as a job. Failure: no server can be its source, or one of its kind waits or runs. */
  begin(order: BackupOrder, { user, asker, attempt }: Asked & { readonly attempt?: number }): Result<Begun> {
    const { state, queue } = this.#actor
    const refusal = refuseChanges(state)
    if (refusal) return refusal
    const task = taskOf(order.kind)
    const [other] = queue.list(task)
    if (other) return fail('operation-running', `job ${other.id} (${task} of ${other.name}) is not ended yet`)
    const chosen = this.#choose(order)
    if (!chosen.ok) return chosen
    const { id, name, host, port } = chosen.value.server
    return queue.begin({
      service: { kind: 'database', id, name, host, port },
      ...{ task, user, asker, order: { ...order } },
      ...(attempt === undefined ? {} : { attempt }),
      deadlineMs: state.settings['backup-timeout'] * SECOND,
      work: async (run) => {
        const reason = chosen.value.rows.find(({ server }) => server === id)?.reason ?? ''
        run.log(`${name} ${reason}`)
        // What is in the archive alone is no base of an increment: its files are not here.
        const { kind } = this.#catalogue().catalogue.place
        const backups = this.#backups.filter(({ place }) => place === kind)
        const made = await copyServer(this.#actor, { order, server: id, backups }, run)
        await this.reread()
        return made
      },
    })
  }

  /** For a request: its job, when it has ended or has been asked for. */
  async ask(order: BackupOrder, { wait, ...by }: Asked & { readonly wait: boolean }): Promise<Result<JobTicket>> {
    const begun = this.begin(order, by)
    if (!begun.ok) return begun
    await begun.value.written
    if (!wait) return ok({ job: begun.value.job })
    const { job, result } = await begun.value.ended
    return result.ok ? ok({ job }) : result
  }

  /** The primary role moves: what reads a server that takes part in it ends now, and is begun again on another one. */
  operationBegins(operation: Operation): void {
    if (isMinor(operation)) return
    const affected = [operation.oldPrimary, operation.newPrimary]
    for (const task of [taskOf('logical'), taskOf('physical')])
      for (const job of this.#actor.queue.list(task))
        if (affected.includes(job.service))
          this.#actor.queue.interrupt(job.id, `${operation.kind} of the primary: ${job.name} takes part in it`)
  }

  #choose(order: BackupOrder): Result<SourceChoice> {
    const { snapshot, settings } = this.#actor.state
    return chooseSource({
      ...{ snapshot, settings, kind: order.kind },
      ...(order.server === undefined ? {} : { server: order.server }),
      ...(order.avoid ? { avoid: order.avoid } : {}),
    })
  }

  /** On another server where there is one. */
  async #again({ order = {}, service, attempt, user, asker }: Job): Promise<Result<unknown>> {
    const before = order as unknown as BackupOrder
    const avoid = [...(before.avoid ?? []), service]
    const begun = this.begin({ ...before, avoid }, { user, asker, ...(attempt === undefined ? {} : { attempt }) })
    return begun.ok ? done : begun
  }

  #note(level: 'INFO' | 'WARN', text: string): void {
    this.#actor.tell('noted', { level, text, module: 'backup-stream' })
  }
}
