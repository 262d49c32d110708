// Changes of settings on request: applied, recorded with the user, and undone.

import { isDeepStrictEqual } from 'node:util'
import { keepFairly } from '../../../lib/access/bound/keep-fairly.js'
import type { WriteLog } from '../../../lib/base/log-codes.js'
import { fail, ok, type Result } from '../../../lib/base/result.js'
import type { SettingChangeRecord, SettingValueAt } from '../../../lib/model/operation/setting-change.js'
import type { Changed } from '../../../lib/settings/change/change.js'
import { type SettingView, viewSetting, viewSettings } from '../../../lib/settings/configuration/view.js'
import { findSetting, type SettingName, settingRow } from '../../../lib/settings/table/index.js'
import { appendSettingChange, readSettingChanges } from '../../../lib/store/index.js'
import type { Caller } from '../../protocol/manager/caller.js'
import type { Clusters } from './clusters.js'
import { permitChange } from './permit-change.js'

/** Number of changes that can be listed and undone: beyond them the oldest of the clusters with most are forgotten first. */
export const CHANGES_KEPT = 1_000

/** Which setting, and the user who requests the change. */
export interface SettingTarget {
  /** '' for the scope of the server. */
  readonly cluster: string
  readonly name: string
  readonly user: string
  /** What that user may do; absent: the manager itself makes the change. */
  readonly may?: Caller['may']
}

export interface SettingChangesParts {
  readonly clusters: Clusters
  readonly log: WriteLog<'info' | 'warn'>
  readonly now: () => number
  /** Called with each change. */
  readonly recorded?: (record: SettingChangeRecord) => void
}

type Note = Pick<SettingChangeRecord, 'action' | 'undoes'>

/** Values by setting; undefined reverts a change. */
type Values = Readonly<Partial<Record<SettingName, unknown>>>

interface Noted extends Pick<Changed, 'before' | 'view' | 'save'>, Pick<SettingChangeRecord, 'along'> {}

export class SettingChanges {
  readonly #parts: SettingChangesParts
  /** Oldest first; read from its file on first use. */
  #known: Promise<SettingChangeRecord[]> | undefined
  #isRehearsal = false

  constructor(parts: SettingChangesParts) {
    this.#parts = parts
  }

  /** The same over other clusters, those of a rehearsal: it knows the history, and adds nothing to it. */
  rehearsal(clusters: Clusters): SettingChanges {
    const copy = new SettingChanges({ clusters, log: () => {}, now: this.#parts.now })
    copy.#known = this.#all()
    copy.#isRehearsal = true
    return copy
  }

  async set(target: SettingTarget, value: unknown): Promise<Result<SettingView>> {
    const { cluster: scope, name } = target
    const changed = await this.#parts.clusters.set({ scope, name, value }, permitChange(target))
    return this.#note(target, { action: 'set' }, changed)
  }

  async switch(target: SettingTarget, on?: boolean): Promise<Result<SettingView>> {
    const { cluster: scope, name } = target
    const change = { scope, name, ...(on === undefined ? {} : { on }) }
    const changed = await this.#parts.clusters.switch(change, permitChange(target))
    return this.#note(target, { action: 'switch' }, changed)
  }

  /** The setting of this name and others with it: one change, undone as one. */
  setTogether({ name, ...target }: SettingTarget, values: Values): Promise<Result<SettingView>> {
    const setting = findSetting(name)
    return setting === undefined
      ? Promise.resolve(fail('unknown-setting', `${name} is not a setting`))
      : this.#edit({ ...target, name: setting }, { action: 'set' }, values)
  }

  /**
   * Work that changes settings of a cluster automatically: those that it names afterwards, where their values differ now, are
   * one change, undone as one.
   */
  async noting<T>(
    { cluster, user }: Omit<SettingTarget, 'name'>,
    work: () => Promise<Result<T>>,
    namesOf: (value: T) => readonly SettingName[],
  ): Promise<Result<T>> {
    const { clusters } = this.#parts
    const was = new Map(viewSettings(clusters.configuration, cluster).map((view) => [view.name, kept(view)]))
    const done = await work()
    if (!done.ok) return done
    const [first, ...others] = namesOf(done.value).flatMap((name) => {
      const [before, after] = [was.get(name), kept(viewSetting(clusters.configuration, cluster, name))]
      return before === undefined || isDeepStrictEqual(before, after) ? [] : [{ name, before, after }]
    })
    if (!first) return done
    const along = Object.fromEntries(others.map(({ name, ...values }) => [name, values]))
    await this.#keep({ user, cluster, action: 'set', ...first, ...(others.length === 0 ? {} : { along }) })
    return done
  }

  async clear(target: SettingTarget): Promise<Result<SettingView>> {
    const { cluster: scope, name } = target
    return this.#note(
      target,
      { action: 'clear' },
      await this.#parts.clusters.clear({ scope, name }, permitChange(target)),
    )
  }

  /** The latest changes of a scope, newest first. */
  async list(cluster: string): Promise<readonly SettingChangeRecord[]> {
    return (await this.#all()).filter((change) => change.cluster === cluster).reverse()
  }

  /**
   * Undoes a change: the setting has its previous value again. `unknown-change`; `wrong-state` when it was changed again
   * since; `unsupported` for a secret, whose former value is not kept.
   */
  async undo({ cluster, ...requester }: Omit<SettingTarget, 'name'>, id: number): Promise<Result<SettingView>> {
    const history = (await this.#all()).filter((change) => change.cluster === cluster)
    const change = history.find((one) => one.id === id)
    if (!change) return fail('unknown-change', `no change ${id} is kept of ${cluster === '' ? 'the server' : cluster}`)
    const later = history.find((one) => one.id > id && (one.name === change.name || one.along?.[change.name]))
    if (later) return fail('wrong-state', `${change.name} was changed again, see change ${later.id}: undo that first`)
    const name = findSetting(change.name)
    if (name === undefined) return fail('unknown-setting', `${change.name} is not a setting any more`)
    const { value } = change.before
    const wasChanged = isChange(change.before)
    if (wasChanged && settingRow(name).secret)
      return fail('unsupported', `${name} is a secret: its previous value is not stored, set it again`)
    if (change.along !== undefined)
      return this.#edit({ cluster, name, ...requester }, { action: 'undo', undoes: id }, this.#former(change))
    const target = { cluster, name, ...requester }
    const changed = wasChanged
      ? await this.#parts.clusters.set({ scope: cluster, name, value }, permitChange(target))
      : await this.#parts.clusters.clear({ scope: cluster, name }, permitChange(target))
    return this.#note(target, { action: 'undo', undoes: id }, changed)
  }

  /** The values that undoing a change of several settings restores; a setting that was changed again since stays as it is. */
  #former({ cluster, name, before, along = {} }: SettingChangeRecord): Values {
    const { configuration } = this.#parts.clusters
    const others = Object.entries(along).flatMap(([other, { before: was, after }]) => {
      const setting = findSetting(other)
      const isUntouched = setting !== undefined && viewSetting(configuration, cluster, setting).value === after.value
      return isUntouched ? [[setting, was] as const] : []
    })
    const all = [[name, before] as const, ...others]
    return Object.fromEntries(all.map(([setting, was]) => [setting, isChange(was) ? was.value : undefined]))
  }

  async #edit(target: SettingTarget & { name: SettingName }, note: Note, values: Values): Promise<Result<SettingView>> {
    const { clusters } = this.#parts
    const names = Object.keys(values) as SettingName[]
    const view = (name: SettingName): SettingView => viewSetting(clusters.configuration, target.cluster, name)
    const before = new Map(names.map((name) => [name, view(name)]))
    const permit = permitChange(target)
    const edited = await clusters.edit(target.cluster, () => ok(values), { permit })
    if (!edited.ok) return this.#note(target, note, edited)
    const along = names.flatMap((name) => {
      const was = before.get(name)
      return name === target.name || !was ? [] : [[name, { before: kept(was), after: kept(view(name)) }] as const]
    })
    return this.#note(target, note, {
      ok: true,
      value: {
        before: before.get(target.name) ?? view(target.name),
        view: view(target.name),
        along: Object.fromEntries(along),
        ...(edited.value.lasts ? { save: target.cluster } : {}),
      },
    })
  }

  async #note(target: SettingTarget, note: Note, changed: Result<Noted>): Promise<Result<SettingView>> {
    const { log } = this.#parts
    const { cluster, name, user } = target
    const fields = { cluster, name, user, action: note.action }
    if (!changed.ok) {
      log('warn', 'setting-changed', { ...fields, refused: changed.failure.message })
      return changed
    }
    const { before, view, save, along } = changed.value
    log('info', 'setting-changed', { ...fields, ...(save === undefined ? { until: 'restart' } : {}) })
    const values = { before: kept(before), after: kept(view), ...(along ? { along } : {}) }
    await this.#keep({ user, cluster, name: view.name, ...note, ...values })
    return ok(view)
  }

  async #keep(change: Omit<SettingChangeRecord, 'id' | 'at'>): Promise<void> {
    if (this.#isRehearsal) return
    const { log, clusters, now } = this.#parts
    const all = await this.#all()
    const record: SettingChangeRecord = { id: (all.at(-1)?.id ?? 0) + 1, at: Math.round(now()), ...change }
    all.push(record)
    if (all.length > CHANGES_KEPT) all.splice(0, all.length, ...fairly(all))
    this.#parts.recorded?.(record)
    const written = await appendSettingChange(clusters.server['monitoring-datadir'], record)
    if (!written.ok) log('warn', 'setting-history-unwritten', { reason: written.failure.message })
  }

  #all(): Promise<SettingChangeRecord[]> {
    this.#known ??= readSettingChanges(this.#parts.clusters.server['monitoring-datadir']).then(
      (changes) => [...fairly(changes)],
      (error: Error) => {
        this.#parts.log('warn', 'setting-history-unread', { reason: error.message })
        return []
      },
    )
    return this.#known
  }
}

const fairly = (changes: readonly SettingChangeRecord[]): readonly SettingChangeRecord[] =>
  keepFairly(changes, CHANGES_KEPT, ({ cluster }) => cluster)

const kept = ({ value, origin }: SettingView): SettingValueAt => ({ value, origin })

/** What file, environment, flag or default gave is not a change: restoring it means removing the later one. */
const isChange = ({ origin }: SettingValueAt): boolean =>
  origin === 'saved' || origin === 'runtime' || origin === 'rotated'
