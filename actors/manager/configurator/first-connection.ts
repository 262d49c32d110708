// Discovers clusters when their servers first answer, once, unless their tags were set before.
import { effectiveValue } from '../../../lib/settings/configuration/configuration.js'
import type { Clusters } from '../configuration/clusters.js'
import type { Discoverer } from './discovery.js'
import type { Servers } from './servers.js'

export interface FirstConnectionParts {
  readonly clusters: Clusters
  readonly servers: Servers
  readonly discoverer: Discoverer
  /** Notes what the servers run with. */
  readonly adopt: (cluster: string) => Promise<void>
}

/** waits: a server has not reported its software yet. discovered: just now. settled: nothing to do. */
export type FirstConnection = 'waits' | 'discovered' | 'settled'

export class FirstConnections {
  readonly #parts: FirstConnectionParts
  readonly #done = new Set<string>()

  constructor(parts: FirstConnectionParts) {
    this.#parts = parts
  }

  /**
   * Discovers the cluster when that is due. Tags from a file, the environment, a flag or a user describe what the
   * servers should be. The tags that are found are saved as a change, so that no later start discovers again.
   */
  async check(cluster: string): Promise<FirstConnection> {
    if (this.#done.has(cluster) || !this.#isWanted(cluster)) return 'settled'
    const members = this.#parts.servers.members(cluster)
    if (members.length === 0) return this.#hasHosts(cluster) ? 'waits' : 'settled'
    if (members.some(({ software }) => software === undefined)) return 'waits'
    // Servers that run on a generated configuration were created from the tags.
    const isMade = members.some(({ generated }) => generated === true)
    const wanted = () => this.#isWanted(cluster)
    if (!isMade && !(await this.#parts.discoverer.runFirst(cluster, wanted)).ok) return 'settled'
    this.#done.add(cluster)
    if (!isMade) await this.#parts.adopt(cluster)
    return isMade ? 'settled' : 'discovered'
  }

  forget(cluster: string): void {
    this.#done.delete(cluster)
  }

  #hasHosts(cluster: string): boolean {
    return (this.#parts.clusters.settings(cluster)?.['db-servers-hosts'].length ?? 0) > 0
  }

  #isWanted(cluster: string): boolean {
    const { configuration } = this.#parts.clusters
    const scope = configuration.clusters.get(cluster)
    if (!scope || scope.settings['prov-orchestrator'] === 'local' || scope.settings['monitoring-observe']) return false
    return effectiveValue(configuration.server, scope, 'prov-db-tags').origin.kind === 'default'
  }
}
