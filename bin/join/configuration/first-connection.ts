// Discovers clusters that were added at run time when their servers first answer, once, unless somebody chose tags before.
import { effectiveValue } from '../../../lib/settings/configuration.js'
import type { Clusters } from '../clusters.js'
import type { Discoverer } from './discovery.js'
import type { Servers } from './servers.js'

export interface FirstConnectionParts {
  readonly clusters: Clusters
  readonly servers: Servers
  readonly discoverer: Discoverer
}

export class FirstConnections {
  readonly #parts: FirstConnectionParts
  readonly #done = new Set<string>()

  constructor(parts: FirstConnectionParts) {
    this.#parts = parts
  }

  /**
   * Discovers the cluster when that is due; false while it is still awaited. What a file declares has its tags from
   * there, or means the defaults.
   */
  async look(cluster: string): Promise<boolean> {
    if (this.#done.has(cluster) || !this.#isWanted(cluster)) return true
    const members = this.#parts.servers.members(cluster)
    if (members.length === 0) return true
    if (members.some(({ software }) => software === undefined)) return false
    // Servers that run on a generated configuration were made from the tags.
    const isMade = members.some(({ generated }) => generated === true)
    const found = isMade || (await this.#parts.discoverer.run({ cluster, plan: false, user: 'manager' })).ok
    if (found) this.#done.add(cluster)
    return found
  }

  forget(cluster: string): void {
    this.#done.delete(cluster)
  }

  #isWanted(cluster: string): boolean {
    const { configuration } = this.#parts.clusters
    const scope = configuration.clusters.get(cluster)
    if (!scope?.added || scope.settings['prov-orchestrator'] === 'local') return false
    return effectiveValue(configuration.server, scope, 'prov-db-tags').origin.kind === 'default'
  }
}
