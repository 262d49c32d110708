// Changes of the configuration as routes ask for them: clusters, members, ratings, settings.
import type { LogCode, WriteLog } from '../../../lib/base/log-codes.js'
import { done, fail, type Result } from '../../../lib/base/result.js'
import { addressText, type Rating, type ServerId } from '../../../lib/model/server/server.js'
import { splitAccount } from '../../../lib/settings/change/account.js'
import { type ConfigurationRemarks, findSetting } from '../../../lib/settings/index.js'
import type {
  ChangesFace,
  ProxyChange,
  ServerChange,
  SettingTarget,
  SettingView,
} from '../../protocol/manager/changes.js'
import type { PlansFace } from '../../protocol/manager/configurator.js'
import type { Clusters } from './clusters.js'
import { lasting, type MemberLists, normal, noValue } from './member-lists.js'
import type { SettingChanges } from './setting-changes.js'

export interface ChangesParts extends Pick<ChangesFace, 'users' | 'configurator'> {
  readonly clusters: Clusters
  readonly changes: SettingChanges
  readonly lists: MemberLists
  readonly members: (cluster: string) => { readonly servers: readonly ListedServer[] } | undefined
  readonly sizes: PlansFace['sizes']
  readonly reload: (cluster?: string) => Promise<Result<ConfigurationRemarks>>
  /** A cluster is no longer configured. */
  readonly removed: (cluster: string) => void
  readonly log: WriteLog<'info' | 'warn'>
}

interface ListedServer {
  readonly id: ServerId
  readonly name: string
  readonly host: string
  readonly port: number
}

export class Changes implements ChangesFace {
  readonly users: ChangesFace['users']
  readonly configurator: ChangesFace['configurator']
  readonly #parts: ChangesParts

  constructor(parts: ChangesParts) {
    this.users = parts.users
    this.configurator = parts.configurator
    this.#parts = parts
  }

  async addCluster(...[name, form, user]: Parameters<ChangesFace['addCluster']>): Promise<Result<void>> {
    const sizes = this.#parts.sizes(form.plan)
    if (!sizes.ok) return sizes
    const values = { ...(form.orchestrator ? { 'prov-orchestrator': form.orchestrator } : {}), ...sizes.value }
    return this.#noted(await this.#parts.clusters.add(name, values), 'cluster-added', { cluster: name, user })
  }

  async deleteCluster(name: string, user: string): Promise<Result<void>> {
    const removed = await this.#parts.clusters.remove(name)
    if (removed.ok) this.#parts.removed(name)
    return this.#noted(removed, 'cluster-deleted', { cluster: name, user })
  }

  addServer(change: ServerChange): Promise<Result<void>> {
    return this.#listed(this.#parts.lists.addServer(change), 'server-added', change)
  }

  dropServer(change: ServerChange): Promise<Result<void>> {
    return this.#listed(this.#parts.lists.dropServer(change), 'server-dropped', change)
  }

  addProxy(change: ProxyChange): Promise<Result<void>> {
    return this.#listed(this.#parts.lists.addProxy(change), 'proxy-added', change)
  }

  dropProxy(change: ProxyChange): Promise<Result<void>> {
    return this.#listed(this.#parts.lists.dropProxy(change), 'proxy-dropped', change)
  }

  /** Rewrites the lists of preferred and ignored servers as settings: they survive restarts and are visible there. */
  async rateServer(
    ...[{ cluster, server, user }, rating]: Parameters<ChangesFace['rateServer']>
  ): Promise<Result<void>> {
    const settings = this.#parts.clusters.settings(cluster)
    const member = this.#parts.members(cluster)?.servers.find(({ id }) => id === server)
    if (!settings || !member) return fail('unknown-server', `${cluster} has no server ${server}`)
    const address = addressText(member)
    let lasts = {}
    for (const [name, wanted] of rated) {
      const others = settings[name].filter((entry) => normal(entry) !== address && entry !== member.name)
      const list = rating === wanted ? [...others, address] : others
      const changed = await this.#parts.changes.set({ cluster, name, user }, list.join(','))
      if (!changed.ok) return changed
      lasts = { ...lasts, ...lasting(changed) }
    }
    return this.#noted(done, 'server-rated', { cluster, server: address, rating, user, ...lasts })
  }

  async setSetting({ value, ...target }: Parameters<ChangesFace['setSetting']>[0]): Promise<Result<SettingView>> {
    const { changes, sizes } = this.#parts
    const account = target.cluster === '' ? undefined : splitAccount(target.name, value)
    if (account?.ok === false) return account
    if (account) return changes.setTogether({ ...target, name: account.value.name }, account.value.values)
    // A plan is more than its name: its sizes become settings of the cluster, too.
    const isPlan = findSetting(target.name) === 'prov-service-plan' && target.cluster !== '' && value !== ''
    if (!isPlan) return changes.set(target, value)
    const values = sizes(value)
    return values.ok ? changes.setTogether(target, values.value) : values
  }

  async editSettings(...[target, values]: Parameters<ChangesFace['editSettings']>): Promise<Result<void>> {
    const [first, ...others] = Object.keys(values)
    if (first === undefined) return done
    const unknown = [first, ...others].find((name) => findSetting(name) === undefined)
    if (unknown !== undefined) return fail('unknown-setting', `${unknown} is not a setting`)
    if (target.cluster !== '') return noValue(await this.#parts.changes.setTogether({ ...target, name: first }, values))
    for (const [name, value] of Object.entries(values)) {
      const { changes } = this.#parts
      const one = { ...target, name }
      const changed = value === undefined ? await changes.clear(one) : await changes.set(one, value)
      if (!changed.ok) return changed
    }
    return done
  }

  switchSetting(target: SettingTarget, on?: boolean): Promise<Result<SettingView>> {
    return this.#parts.changes.switch(target, on)
  }

  clearSetting(target: SettingTarget): Promise<Result<SettingView>> {
    return this.#parts.changes.clear(target)
  }

  settingChanges(cluster: string): ReturnType<ChangesFace['settingChanges']> {
    return this.#parts.changes.list(cluster)
  }

  undoSetting(...[requester, change]: Parameters<ChangesFace['undoSetting']>): Promise<Result<SettingView>> {
    return this.#parts.changes.undo(requester, change)
  }

  async reloadSettings(user: string, cluster?: string): Promise<Result<ConfigurationRemarks>> {
    const of = cluster === undefined ? {} : { cluster }
    return this.#noted(await this.#parts.reload(cluster), 'settings-reloaded', { user, ...of })
  }

  async #listed(
    changing: Promise<Result<SettingView>>,
    code: LogCode,
    { may: _, ...change }: ServerChange & Partial<ProxyChange>,
  ): Promise<Result<void>> {
    const changed = await changing
    return this.#noted(noValue(changed), code, { ...change, ...lasting(changed) })
  }

  #noted<T>(result: Result<T>, code: LogCode, fields: Readonly<Record<string, unknown>>): Result<T> {
    if (result.ok) this.#parts.log('info', code, fields)
    else this.#parts.log('warn', code, { ...fields, refused: result.failure.message })
    return result
  }
}

const rated = [
  ['db-servers-prefered-master', 'preferred'],
  ['db-servers-ignored-hosts', 'ignored'],
] as const satisfies readonly (readonly [string, Rating])[]
