// The configuration in force and the cluster actors that run on it: changed together, or not at all.
import path from 'node:path'
import { isDeepStrictEqual } from 'node:util'
import { paced } from '../../../lib/base/paced.js'
import { done, fail, ok, type Result } from '../../../lib/base/result.js'
import { isSecret } from '../../../lib/base/secret.js'
import type { Finding } from '../../../lib/model/finding.js'
import { addressText, type ServerAddress } from '../../../lib/model/server/server.js'
import { type Changed, changeSetting, clearSetting, type SettingChange } from '../../../lib/settings/change/change.js'
import { addCluster, removeCluster } from '../../../lib/settings/change/clusters.js'
import { type SettingSwitch, switchSetting } from '../../../lib/settings/change/switch.js'
import {
  type Configuration,
  changedSettings,
  givenValue,
  scopeOf,
} from '../../../lib/settings/configuration/configuration.js'
import { splitAddress } from '../../../lib/settings/kit/address.js'
import { restoreScope } from '../../../lib/settings/load/restore.js'
import { joinSaved, readSavedText, renderSaved, setAsideSaved, writeSaved } from '../../../lib/settings/load/saved.js'
import { fingerprint } from '../../../lib/settings/secret/fingerprint.js'
import { type SettingName, type Settings, settingNames } from '../../../lib/settings/table/index.js'
import { isOfFleet } from '../../../lib/settings/table/of-instance.js'
import { exportSettings, sameValue } from '../../../lib/settings/table/settings.js'
import type { ClusterInit, ClusterProtocol, TenureInit } from '../../protocol/cluster.js'
import type { Supervisor } from '../../supervisor/index.js'
import type { Joining } from './newcomers.js'

export interface ChangeListener {
  /** Another configuration is in force: called once, before the first actor is reconfigured. */
  adopted?(): void
  /**
   * Which settings of which cluster ('' is the server's) differ now; none for a new cluster. `settled`: they describe what
   * runs already.
   */
  changed?(cluster: string, names: readonly SettingName[], settled: boolean): void
}

/** Refuses a change by what it makes of the settings of its cluster: asked before anything is saved. */
export type Permit = (before: Configuration, after: Configuration) => Result<void>

/** Where several instances share the fleet. */
export interface Sharing {
  /** What is changed at one instance holds at all; clusters are added and removed in the files of all instances alone. */
  readonly onlyInFiles: boolean
  tenure(cluster: string): TenureInit
  /** Whether settings of the cluster may be changed here. */
  permit(cluster: string): Result<void>
  /**
   * Keeps the saved changes of a scope ('' the server's) for all instances, in place of those that were adopted last. Failures:
   * `changed-elsewhere`, `not-owner`, `store-unreachable`: whether they are kept may be unknown.
   */
  keep(scope: string, text: string): Promise<Result<void>>
  /** Those that another instance has kept since; undefined: none. Failure: `store-unreachable`. */
  newer(scope: string): Promise<Result<NewerSettings | undefined>>
}

export interface NewerSettings {
  /** Of the file of saved changes. */
  readonly text: string
  /** They hold here from now on. */
  adopted(): void
}

export interface Edited {
  /** The settings before the change. */
  readonly before: Settings
  /** The change outlives a restart; otherwise file, environment or flag set one of the settings and take precedence again. */
  readonly lasts: boolean
}

interface EditTraits {
  readonly settled?: boolean
  readonly rotates?: boolean
  readonly permit?: Permit
}

/** Attempts of a change while other instances change the same settings. */
const ATTEMPTS = 5
const RECONFIGURE_MS = 5_000
/** Longest pause between two clusters that one change concerns. */
const LONGEST_REST_MS = 20

interface Reconfiguration {
  readonly settings: Settings
  /** The settings that differ now. */
  readonly names: readonly SettingName[]
  readonly settled: boolean
}

export class Clusters {
  readonly #supervisor: Supervisor
  readonly #listeners: ChangeListener[] = []
  #configuration: Configuration
  #isRehearsal = false
  readonly #announced = new Map<string, readonly Finding[]>()
  /** Changes run one after the other: each sees the result of the one before. */
  #turn: Promise<unknown> = Promise.resolve()

  #sharing: Sharing | undefined
  /** Asked before servers join a cluster at run time. */
  #newcomers: (joining: Joining) => Promise<Result<void>> = async () => done

  constructor(supervisor: Supervisor, configuration: Configuration) {
    this.#supervisor = supervisor
    this.#configuration = configuration
  }

  /** A copy whose changes are judged alike, but saved nowhere: no actor and no listener learns of them. */
  rehearsal(): Clusters {
    const copy = new Clusters(this.#supervisor, this.#configuration)
    copy.#isRehearsal = true
    copy.#newcomers = this.#newcomers
    copy.#sharing = this.#sharing
    return copy
  }

  /** Listeners are called in the order in which they were added. */
  listen(listener: ChangeListener): void {
    this.#listeners.push(listener)
  }

  /** Several instances share the clusters. */
  share(sharing: Sharing): void {
    this.#sharing = sharing
  }

  /** Servers that join a cluster at run time are judged by it first. */
  guard(newcomers: (joining: Joining) => Promise<Result<void>>): void {
    this.#newcomers = newcomers
  }

  get configuration(): Configuration {
    return this.#configuration
  }

  /** The server's own settings. */
  get server(): Settings {
    return this.#configuration.server.settings
  }

  settings(cluster: string): Settings | undefined {
    return this.#configuration.clusters.get(cluster)?.settings
  }

  /** Starts an actor for every configured cluster. */
  start(): Result<void> {
    for (const [name, { settings }] of this.#configuration.clusters) {
      const added = this.#supervisor.add(name, 'cluster', this.#init(name, settings))
      if (!added.ok) return added
    }
    return done
  }

  /** Ends the life of the cluster's actor and begins another one, as its tenure is by now. */
  async restart(name: string): Promise<Result<void>> {
    const settings = this.settings(name)
    if (!settings) return fail('unknown-cluster', `no cluster ${name}`)
    this.#supervisor.updateInit(name, this.#init(name, settings))
    return this.#supervisor.restart(name)
  }

  /** Findings that the cluster's actor shows among its own, now and after each of its restarts. */
  announce(cluster: string, findings: readonly Finding[]): void {
    const settings = this.settings(cluster)
    if (!settings || isDeepStrictEqual(findings, this.#announced.get(cluster) ?? [])) return
    this.#announced.set(cluster, findings)
    this.#supervisor.updateInit(cluster, this.#init(cluster, settings))
    this.#supervisor.ref<ClusterProtocol>(cluster)?.tell('announce', { findings })
  }

  set(change: SettingChange, permit?: Permit): Promise<Result<Changed>> {
    return this.#change((configuration) => changeSetting(configuration, change), change.scope, permit)
  }

  /**
   * Changes several settings of a cluster ('': of the server) together: what `make` returns for those in force, all of them or none. No other
   * change comes between reading them and the change. A value of undefined reverts the change of that setting.
   * `settled`: they describe what already runs, so nothing needs a restart. `rotates`: they are secrets, and survive
   * restarts in place of those that file, environment or flag set. `permit`: may refuse all of it.
   */
  edit(
    scope: string,
    make: (settings: Settings) => Result<Readonly<Partial<Record<SettingName, unknown>>>>,
    { settled = false, rotates = false, permit }: EditTraits = {},
  ): Promise<Result<Edited>> {
    return this.#inTurnOfAll(scope, async () => {
      const before = scope === '' ? this.server : this.settings(scope)
      if (!before) return fail('unknown-cluster', `no cluster ${scope}`)
      const owned = this.#permitHere(scope)
      if (!owned.ok) return owned
      const values = make(before)
      if (!values.ok) return values
      let next = this.#configuration
      let lasts = true
      for (const [name, value] of Object.entries(values.value)) {
        const mark = rotates ? await markOf(next, scope, name as SettingName) : {}
        const changed =
          value === undefined
            ? clearSetting(next, { scope, name })
            : changeSetting(next, { scope, name, value, ...mark })
        if (!changed.ok) return changed
        next = changed.value.configuration
        lasts &&= value === undefined || changed.value.save !== undefined
      }
      const permitted = await this.#permit(next, scope, permit)
      if (!permitted.ok) return permitted
      const saved = next === this.#configuration ? done : await this.#save(next, scope)
      if (!saved.ok) return saved
      const adopted = await this.#adopt(next, settled)
      return adopted.ok ? ok({ before, lasts }) : adopted
    })
  }

  /** Toggles, unless `on` gives a state. */
  switch(change: SettingSwitch, permit?: Permit): Promise<Result<Changed>> {
    return this.#change((configuration) => switchSetting(configuration, change), change.scope, permit)
  }

  /** Reverts a change: the value of file, environment, flag or default applies again. */
  clear(change: Omit<SettingChange, 'value'>, permit?: Permit): Promise<Result<Changed>> {
    return this.#change((configuration) => clearSetting(configuration, change), change.scope, permit)
  }

  /**
   * Applies a configuration that is read again, when no other change is in progress: actors are added, removed and notified.
   * Failures: those of `read`.
   */
  replace(read: (running: Configuration) => Promise<Result<Configuration>>): Promise<Result<void>> {
    return this.#inTurn(async () => {
      const next = await read(this.#configuration)
      if (!next.ok) return next
      await this.#adopt(next.value)
      return done
    })
  }

  /**
   * Adopts what other instances have saved of a scope ('' the server) by now; answers whether settings have other values now. Files,
   * environment and flags are not read again. Failures: `store-unreachable`, `file-unwritable`, `actor-gone`.
   */
  follow(scope: string): Promise<Result<boolean>> {
    return this.#inTurn(() => this.#follow(scope))
  }

  /** Leaves the server's saved changes to all instances, where none has yet. Failures: as of `Sharing.keep`. */
  leave(): Promise<Result<void>> {
    return this.#inTurn(async () => {
      const { saved } = this.#configuration.server
      if (!this.#sharing || ![...saved.keys()].some(isOfFleet)) return done
      const text = renderSaved(this.#configuration, '', isOfFleet)
      return text.ok ? this.#sharing.keep('', text.value) : text
    })
  }

  add(name: string, values: Readonly<Record<string, unknown>>): Promise<Result<void>> {
    return this.#add(
      name,
      async () => ok(values),
      () => done,
    )
  }

  /**
   * Adds a cluster with what `make` gives for the configuration in force: no other change comes in between. All of it outlives a
   * restart; `wrong-state` where environment or flags give one of the values, or nothing is saved.
   */
  addDecided(
    name: string,
    make: (configuration: Configuration) => Promise<Result<Readonly<Record<string, unknown>>>>,
  ): Promise<Result<void>> {
    return this.#add(name, make, (next) => lastsWhole(next, name))
  }

  #add(
    name: string,
    make: (configuration: Configuration) => Promise<Result<Readonly<Record<string, unknown>>>>,
    permit: (next: Configuration) => Result<void>,
  ): Promise<Result<void>> {
    return this.#inTurn(async () => {
      if (this.#sharing?.onlyInFiles) return onlyInFiles(name)
      const values = await make(this.#configuration)
      if (!values.ok) return values
      const added = addCluster(this.#configuration, name, values.value)
      if (!added.ok) return added
      const permitted = permit(added.value)
      if (!permitted.ok) return permitted
      const saved = await this.#save(added.value, name)
      if (!saved.ok) return saved
      await this.#adopt(added.value)
      return done
    })
  }

  remove(name: string): Promise<Result<void>> {
    return this.#inTurn(async () => {
      if (this.#sharing?.onlyInFiles) return onlyInFiles(name)
      const removed = removeCluster(this.#configuration, name)
      if (!removed.ok) return removed
      // A cluster that a file declares returns at the next start, with its saved changes.
      const added = this.#configuration.clusters.get(name)?.added === true
      const aside = added && !this.#isRehearsal ? await setAsideSaved(this.server['monitoring-datadir'], name) : done
      if (!aside.ok) return aside
      await this.#adopt(removed.value)
      return done
    })
  }

  #change(
    make: (configuration: Configuration) => Result<Changed>,
    scope: string,
    permit: Permit | undefined,
  ): Promise<Result<Changed>> {
    return this.#inTurnOfAll(scope, async () => {
      const owned = this.#permitHere(scope)
      if (!owned.ok) return owned
      const changed = make(this.#configuration)
      if (!changed.ok) return changed
      const { configuration, save } = changed.value
      const permitted = await this.#permit(configuration, scope, permit)
      if (!permitted.ok) return permitted
      const saved = save === undefined ? done : await this.#save(configuration, save)
      if (!saved.ok) return saved
      const adopted = await this.#adopt(configuration)
      return adopted.ok ? ok(changed.value) : adopted
    })
  }

  async #save(next: Configuration, scope: string): Promise<Result<void>> {
    if (this.#isRehearsal) return done
    const text = renderSaved(next, scope)
    if (!text.ok) return text
    // First where it can be refused: what is only saved here would return at a restart.
    const kept = await this.#keep(next, scope, text.value)
    if (!kept.ok) return kept
    const written = await writeSaved(next.server.settings['monitoring-datadir'], scope, text.value)
    // What all instances have outlives a restart of this one without its file.
    return kept.value ? done : written
  }

  /** Answers whether the other instances have it: settings of the server that belong to this one are kept here alone. */
  async #keep(next: Configuration, scope: string, text: string): Promise<Result<boolean>> {
    const sharing = this.#sharing
    if (!sharing?.onlyInFiles || (scope === '' && isSameForAll(this.#configuration, next))) return ok(false)
    const shared = scope === '' ? renderSaved(next, scope, isOfFleet) : ok(text)
    const kept = shared.ok ? await sharing.keep(scope, shared.value) : shared
    return kept.ok ? ok(true) : kept
  }

  /** Adopts what another instance saved. */
  async #follow(scope: string): Promise<Result<boolean>> {
    const newer = (await this.#sharing?.newer(scope)) ?? ok(undefined)
    if (!newer.ok) return newer
    const before = scopeOf(this.#configuration, scope)
    if (!newer.value || !before) return ok(false)
    const datadir = this.server['monitoring-datadir']
    const own = await readSavedText(datadir, scope)
    if (!own.ok) return own
    const text = scope === '' ? joinSaved(own.value, newer.value.text, isOfFleet) : newer.value.text
    const written = await writeSaved(datadir, scope, text)
    if (!written.ok) return written
    newer.value.adopted()
    const { configuration } = await restoreScope(this.#configuration, scope)
    const names = changedSettings(before.settings, scopeOf(configuration, scope)?.settings ?? before.settings)
    const adopted = await this.#adopt(configuration)
    return adopted.ok ? ok(names.length > 0) : adopted
  }

  #permitHere(scope: string): Result<void> {
    return scope === '' ? done : (this.#sharing?.permit(scope) ?? done)
  }

  async #permit(next: Configuration, scope: string, permit: Permit | undefined): Promise<Result<void>> {
    const [before, after] = [this.settings(scope), next.clusters.get(scope)?.settings]
    if (!before || !after) return done
    const permitted = permit?.(this.#configuration, next) ?? done
    const added = newHosts(before, after)
    return permitted.ok && added.length > 0 ? this.#newcomers({ cluster: scope, settings: after, added }) : permitted
  }

  /** Puts a configuration in force and notifies the actors that it concerns. */
  async #adopt(next: Configuration, settled = false): Promise<Result<void>> {
    const before = this.#configuration
    this.#configuration = next
    if (this.#isRehearsal) return done
    for (const listener of this.#listeners) listener.adopted?.()
    const failures: string[] = []
    for (const name of before.clusters.keys()) {
      if (next.clusters.has(name)) continue
      this.#announced.delete(name)
      await this.#supervisor.remove(name)
    }
    const gently = paced(LONGEST_REST_MS)
    for (const [name, { settings }] of next.clusters) {
      const known = before.clusters.get(name)
      const names = known ? changedSettings(known.settings, settings) : []
      if (known && names.length === 0) continue
      const applied = known
        ? await gently(() => this.#reconfigure(name, { settings, names, settled }))
        : this.#supervisor.add(name, 'cluster', this.#init(name, settings))
      if (!known && applied.ok) this.#changed(name, [], false)
      if (!applied.ok) failures.push(`${name}: ${applied.failure.message}`)
    }
    const names = changedSettings(before.server.settings, next.server.settings)
    if (names.length > 0) this.#changed('', names, false)
    return failures.length === 0 ? done : fail('actor-gone', failures.join('; '))
  }

  #changed(cluster: string, names: readonly SettingName[], settled: boolean): void {
    for (const listener of this.#listeners) listener.changed?.(cluster, names, settled)
  }

  async #reconfigure(name: string, { settings, names, settled }: Reconfiguration): Promise<Result<void>> {
    const init = this.#init(name, settings)
    this.#supervisor.updateInit(name, init)
    this.#changed(name, names, settled)
    const applied = await this.#supervisor
      .ref(name)
      ?.ask('reconfigure', { settings: init.settings, settled }, { deadlineMs: RECONFIGURE_MS })
    return applied === undefined || applied.ok ? done : applied
  }

  #init(name: string, settings: Settings): ClusterInit {
    return {
      name,
      directory: path.join(settings['monitoring-datadir'], name),
      settings: exportSettings(settings),
      announced: this.#announced.get(name) ?? [],
      ...(this.#sharing ? { tenure: this.#sharing.tenure(name) } : {}),
    }
  }

  /** Done again upon what another instance has saved in between, so that neither change is lost. */
  #inTurnOfAll<T>(scope: string, work: () => Promise<Result<T>>): Promise<Result<T>> {
    return this.#inTurn(async () => {
      for (let attempt = 1; ; attempt += 1) {
        const result = await work()
        if (result.ok || result.failure.code !== 'changed-elsewhere' || attempt === ATTEMPTS) return result
        const followed = await this.#follow(scope)
        if (!followed.ok) return followed
      }
    })
  }

  #inTurn<T>(work: () => Promise<Result<T>>): Promise<Result<T>> {
    const turn = this.#turn.then(work)
    this.#turn = turn.catch(() => undefined)
    return turn
  }
}

/** Whether the server's saved changes that hold at all instances are the same. */
const isSameForAll = ({ server: before }: Configuration, { server: after }: Configuration): boolean =>
  settingNames.filter(isOfFleet).every((name) => {
    const [was, is] = [before.saved.get(name), after.saved.get(name)]
    return was && is ? sameValue(name, was.value, is.value) : was === is
  })

/** No value of the new cluster is one until restart. */
function lastsWhole({ clusters }: Configuration, name: string): Result<void> {
  const passing = [...(clusters.get(name)?.runtime.keys() ?? [])]
  return passing.length === 0
    ? done
    : fail(
        'wrong-state',
        `${name}: ${passing.join(', ')} would be lost at the next start: set by environment or flags, or monitoring-save-config is off`,
      )
}

const onlyInFiles = (name: string): Result<never> =>
  fail(
    'unsupported',
    `${name}: several instances share the clusters (cluster-store), which only their configuration files declare`,
  )

const newHosts = (before: Settings, after: Settings): readonly ServerAddress[] => {
  const [known, wanted] = [before, after].map((settings) =>
    settings['db-servers-hosts'].flatMap((entry) => splitAddress(entry) ?? []),
  )
  const was = new Set(known?.map(addressText))
  return wanted?.filter((address) => !was.has(addressText(address))) ?? []
}

/** The mark of the value that file, environment or flag give a secret that is about to be replaced; none where they give none. */
async function markOf(
  { server, clusters, key }: Configuration,
  scope: string,
  name: SettingName,
): Promise<{ readonly replaces?: string }> {
  const own = clusters.get(scope)
  const given = own && givenValue(server, own, name)?.value
  return isSecret(given) ? { replaces: await fingerprint(given, key) } : {}
}
