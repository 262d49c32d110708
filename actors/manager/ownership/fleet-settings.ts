// Settings that are changed at run time, users among them: kept in etcd by the owner of their cluster, those of the server by any instance, and followed by the others.
import type { WriteLog } from '../../../lib/base/log-codes.js'
import { done, fail, ok, type Result } from '../../../lib/base/result.js'
import { type Condition, type Etcd, scopeOfSettings, settingsKey, settingsKeys } from '../../../lib/lease/index.js'
import { readSavedText } from '../../../lib/settings/load/saved.js'
import type { Clusters, NewerSettings } from '../configuration/clusters.js'

export interface FleetSettingsParts {
  readonly etcd: Etcd
  readonly prefix: string
  readonly clusters: Pick<Clusters, 'follow' | 'leave' | 'settings' | 'server'>
  /** What must hold while a cluster's settings are written. Failure: `not-owner`. */
  readonly owned: (cluster: string) => Result<readonly Condition[]>
  readonly log: WriteLog
}

export class FleetSettings {
  readonly #parts: FleetSettingsParts
  /** Scope ('' the server) → revision of what holds here. */
  readonly #adopted = new Map<string, number>()
  /** A failure is logged once. */
  #wasRead = true
  #turn: Promise<void> = Promise.resolve()
  #next: Promise<void> | undefined

  constructor(parts: FleetSettingsParts) {
    this.#parts = parts
  }

  async keep(scope: string, text: string): Promise<Result<void>> {
    const { etcd, prefix, owned } = this.#parts
    const conditions = scope === '' ? ok([]) : owned(scope)
    if (!conditions.ok) return conditions
    const key = settingsKey(prefix, scope)
    const unchanged = { key, changed: this.#adopted.get(scope) ?? 0 }
    const committed = await etcd.commit([...conditions.value, unchanged], [{ type: 'put', key, value: text }])
    if (!committed.ok)
      return fail(
        'store-unreachable',
        `${committed.failure.message}; the instances share the settings of ${scope || 'the server'} by etcd: read them again when it answers, the change may have been kept`,
      )
    if (!committed.value.done)
      return fail('changed-elsewhere', `another instance has changed settings of ${scope || 'the server'}`)
    this.#note(scope, committed.value.revision)
    return done
  }

  async newer(scope: string): Promise<Result<NewerSettings | undefined>> {
    const { etcd, prefix } = this.#parts
    const key = settingsKey(prefix, scope)
    const read = await etcd.range(key)
    if (!read.ok) return read
    const stored = read.value.find((one) => one.key === key)
    // Someone has deleted it: the next change creates it again.
    if (!stored) this.#adopted.delete(scope)
    if (!stored || !this.#isNewer(scope, stored.changed)) return ok(undefined)
    return ok({ text: stored.value, adopted: () => this.#note(scope, stored.changed) })
  }

  /** This instance owns the cluster from now on: what the others saved holds here, or what it has itself is theirs, too. */
  async begin(cluster: string): Promise<Result<void>> {
    const { clusters } = this.#parts
    const followed = await clusters.follow(cluster)
    if (!followed.ok) return followed
    if (this.#adopted.has(cluster)) return done
    const text = await this.#ownText(cluster)
    if (text === '') return done
    const kept = await this.keep(cluster, text)
    // A change that was made here meanwhile has brought it in.
    return !kept.ok && kept.failure.code === 'changed-elsewhere' ? done : kept
  }

  /** Adopts what changed. A reading that has not begun yet is the same for all who ask for one. */
  refresh(): Promise<void> {
    this.#next ??= this.#turn.then(() => {
      this.#next = undefined
      return this.#followAll()
    })
    this.#turn = this.#next
    return this.#turn
  }

  async #followAll(): Promise<void> {
    const { etcd, prefix, clusters, log } = this.#parts
    const read = await etcd.range(settingsKeys(prefix))
    if (!read.ok) return this.#notRead({ problem: read.failure.message })
    let isRead = true
    for (const { key, value, changed } of read.value) {
      const scope = scopeOfSettings(prefix, key)
      const isHere = scope !== undefined && (scope === '' || clusters.settings(scope) !== undefined)
      if (!isHere || !this.#isNewer(scope, changed)) continue
      // As after a restart: what is in its file holds already.
      const isKnown = (await this.#ownText(scope)) === value
      if (isKnown) this.#note(scope, changed)
      const followed = isKnown ? ok(false) : await clusters.follow(scope)
      if (followed.ok && followed.value) log('info', 'settings-from-elsewhere', { cluster: scope })
      if (followed.ok) continue
      isRead = false
      this.#notRead({ cluster: scope, problem: followed.failure.message })
    }
    const left = this.#adopted.has('') || !isRead ? done : await clusters.leave()
    if (!left.ok && left.failure.code !== 'changed-elsewhere') {
      isRead = false
      this.#notRead({ cluster: '', problem: left.failure.message })
    }
    this.#wasRead = isRead
  }

  #isNewer(scope: string, changed: number): boolean {
    return changed > (this.#adopted.get(scope) ?? 0)
  }

  #note(scope: string, changed: number): void {
    if (this.#isNewer(scope, changed)) this.#adopted.set(scope, changed)
  }

  async #ownText(scope: string): Promise<string> {
    const text = await readSavedText(this.#parts.clusters.server['monitoring-datadir'], scope)
    return text.ok ? text.value : ''
  }

  #notRead(fields: Readonly<Record<string, string>>): void {
    if (this.#wasRead) this.#parts.log('warn', 'settings-not-shared', fields)
    this.#wasRead = false
  }
}
