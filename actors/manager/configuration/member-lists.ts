// Databases and proxies that are added to and removed from a cluster: the lists of hosts in its settings.

import { done, fail, type Result } from '../../../lib/base/result.js'
import { addressText } from '../../../lib/model/server/server.js'
import { proxyServices } from '../../../lib/proxy/kit/services.js'
import { splitAddress } from '../../../lib/settings/kit/address.js'
import type { GatewayView } from '../../protocol/cluster.js'
import type { ProxyChange, ServerChange, SettingView } from '../../protocol/manager/changes.js'
import type { Clusters } from './clusters.js'
import type { SettingChanges } from './setting-changes.js'

export interface MemberListsParts {
  readonly clusters: Clusters
  readonly changes: SettingChanges
  readonly members: (cluster: string) => GatewayView | undefined
  readonly refreshMembers: () => Promise<void>
  /** Whether a host name has an address now. */
  readonly resolves: (host: string) => Promise<boolean>
}

export class MemberLists {
  readonly #parts: MemberListsParts

  constructor(parts: MemberListsParts) {
    this.#parts = parts
  }

  async addServer(change: ServerChange): Promise<Result<SettingView>> {
    const { cluster, address, force = false } = change
    const hosts = this.#hosts(cluster)
    if (!hosts) return fail('unknown-cluster', `no cluster ${cluster}`)
    if (hosts.includes(address)) return fail('server-exists', `${cluster} watches ${address} already`)
    const host = splitAddress(address)?.host ?? address
    if (!force && !(await this.#parts.resolves(host)))
      return fail(
        'bad-request',
        `host: ${host} does not resolve to an address; with force=true it is added all the same`,
      )
    return this.#set(change, 'db-servers-hosts', [...hosts, address])
  }

  async dropServer(change: ServerChange): Promise<Result<SettingView>> {
    const { cluster, address } = change
    const hosts = this.#hosts(cluster)
    if (!hosts) return fail('unknown-cluster', `no cluster ${cluster}`)
    if (!hosts.includes(address)) return fail('unknown-server', `${cluster} has no server ${address}`)
    const members = this.#parts.members(cluster)
    const member = members?.servers.find((server) => addressText(server) === address)
    if (member && members?.primary === member.id && hosts.length > 1)
      return fail('is-primary', `${address} is the primary of ${cluster}: switch over first`)
    return this.#set(
      change,
      'db-servers-hosts',
      hosts.filter((host) => host !== address),
    )
  }

  /** Entries in the list of a disabled kind are not proxies of the cluster: the list starts empty. */
  async addProxy({ kind, ...change }: ProxyChange): Promise<Result<SettingView>> {
    const { cluster, address } = change
    const names = this.#proxies(cluster, kind)
    if (!names) return fail('unknown-cluster', `no cluster ${cluster}`)
    if (names.includes(address)) return fail('server-exists', `${cluster} has the ${kind} ${address} already`)
    const listed = await this.#set(change, `${kind}-servers`, [...names, address])
    if (!listed.ok || names.length > 0) return listed
    return this.#parts.changes.switch({ ...requesterOf(change), name: kind }, true)
  }

  /** Removing the last one also disables its kind. */
  async dropProxy({ kind, ...change }: ProxyChange): Promise<Result<SettingView>> {
    const { cluster, address } = change
    const names = this.#proxies(cluster, kind)
    if (!names) return fail('unknown-cluster', `no cluster ${cluster}`)
    if (!names.includes(address)) return fail('unknown-proxy', `${cluster} has no ${kind} ${address}`)
    const left = names.filter((name) => name !== address)
    if (left.length > 0) return this.#set(change, `${kind}-servers`, left)
    return this.#parts.changes.switch({ ...requesterOf(change), name: kind }, false)
  }

  #hosts(cluster: string): readonly string[] | undefined {
    return this.#parts.clusters.settings(cluster)?.['db-servers-hosts'].map(normal)
  }

  #proxies(cluster: string, kind: ProxyChange['kind']): readonly string[] | undefined {
    const settings = this.#parts.clusters.settings(cluster)
    return settings && proxyServices(settings).flatMap(({ software, name }) => (software === kind ? [name] : []))
  }

  async #set(change: ServerChange, name: string, hosts: readonly string[]): Promise<Result<SettingView>> {
    const changed = await this.#parts.changes.set({ ...requesterOf(change), name }, hosts.join(','))
    if (changed.ok) await this.#parts.refreshMembers()
    return changed
  }
}

const requesterOf = ({ cluster, user, may }: ServerChange) => ({ cluster, user, ...(may ? { may } : {}) })

/** How long a change lasts: what file, environment or flag set takes precedence again at the next start. */
export function lasting(changed: Result<SettingView>): { readonly until?: 'restart' } {
  return changed.ok && changed.value.origin === 'runtime' ? { until: 'restart' } : {}
}

export const noValue = (result: Result<unknown>): Result<void> => (result.ok ? done : result)

/** `host:port` of a host list's entry, port filled in. */
export function normal(entry: string): string {
  const address = splitAddress(entry)
  return address ? addressText(address) : entry
}
