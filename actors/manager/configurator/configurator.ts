// The configurator of the running manager as the routes see it.

import type { Result } from '../../../lib/base/result.js'
import type { Known, RuleKind, RuleSet } from '../../../lib/configure/index.js'
import type { Finding } from '../../../lib/model/finding.js'
import type { SettingName, Settings } from '../../../lib/settings/index.js'
import type {
  ConfigurationView,
  ConfiguratorFace,
  DiscoveryRequest,
  DiscoveryView,
  DriftQuestion,
  DriftRequest,
  DriftView,
  DynamicRequest,
  DynamicView,
  PreviewRequest,
  PreviewView,
  ServerPreview,
  TagRequest,
  TagsView,
  TagView,
} from '../../protocol/manager/configurator.js'
import type { Clusters } from '../configuration/clusters.js'
import { Discoverer } from './discovery.js'
import { Drifts } from './drift.js'
import { DriftWatch } from './drift-watch.js'
import { Dynamics } from './dynamic.js'
import { FirstConnections } from './first-connection.js'
import { Plans } from './plans.js'
import { Previews } from './previews.js'
import { Servers, type ServersParts } from './servers.js'
import { type Note, Tags } from './tags.js'

export interface ConfiguratorParts extends Pick<ServersParts, 'cluster' | 'members'> {
  readonly clusters: Clusters
  readonly rules: Readonly<Record<RuleKind, RuleSet>>
  readonly known: Known
  readonly log: Note
  /** The content of archives has changed. */
  readonly changed: (cluster: string) => void
  readonly onFindings: (cluster: string) => void
}

export class Configurator implements ConfiguratorFace {
  readonly plans: Plans
  readonly #tags: Tags
  readonly #discoverer: Discoverer
  readonly #previews: Previews
  readonly #rules: ConfiguratorParts['rules']

  readonly #drifts: Drifts
  readonly #dynamics: Dynamics
  readonly #first: FirstConnections
  readonly #watch: DriftWatch

  constructor({ clusters, rules, known, log, changed, onFindings, ...parts }: ConfiguratorParts) {
    const servers = new Servers({ ...parts, settings: (name) => clusters.settings(name) })
    this.plans = new Plans(clusters, log)
    this.#rules = rules
    this.#tags = new Tags(clusters, rules, log)
    this.#previews = new Previews({ servers, rules: rules.database })
    this.#discoverer = new Discoverer({ clusters, servers, rules: rules.database, log })
    this.#drifts = new Drifts({ servers, rules: rules.database, log, changed, onFindings })
    this.#dynamics = new Dynamics({ servers, drifts: this.#drifts, rules: rules.database, known, log })
    const names = () => [...clusters.configuration.clusters.keys()]
    this.#first = new FirstConnections({
      ...{ clusters, servers, discoverer: this.#discoverer },
      adopt: async (cluster) => void (await this.#drifts.adopt(cluster, { watch: false })),
    })
    this.#watch = new DriftWatch({
      ...{ drifts: this.#drifts, servers, clusters: names },
      connected: (cluster) => this.#first.check(cluster),
    })
  }

  /** Starts monitoring the servers automatically. */
  start(clusters: readonly string[]): void {
    for (const cluster of clusters) this.#dynamics.reconfigured(cluster, [])
    this.#watch.start()
  }

  /** Settings of a cluster have changed. */
  reconfigured(cluster: string, names: readonly SettingName[]): void {
    this.#dynamics.reconfigured(cluster, names)
    this.#watch.hurry(cluster)
  }

  /** Before a build of the cluster's archives. */
  async settle(cluster: string): Promise<void> {
    await this.#drifts.settle(cluster)
  }

  findings(cluster: string): readonly Finding[] {
    return this.#drifts.findings(cluster)
  }

  forget(cluster: string): void {
    this.#drifts.forget(cluster)
    this.#dynamics.forget(cluster)
    this.#first.forget(cluster)
  }

  close(): void {
    this.#watch.close()
  }

  /** Adopted settings are watched from then on: they describe servers that may not yet run on generated files. */
  async discover(request: DiscoveryRequest): Promise<Result<DiscoveryView>> {
    const found = await this.#discoverer.run(request)
    if (!found.ok || !found.value.applied) return found
    const adopted = await this.#drifts.adopt(request.cluster, { watch: true })
    this.#watch.hurry(request.cluster)
    return adopted.ok ? found : adopted
  }

  applyDynamic(request: DynamicRequest): Promise<Result<DynamicView>> {
    return this.#dynamics.run(request)
  }

  drift(question: DriftQuestion): Promise<Result<DriftView>> {
    return this.#drifts.check(question, { files: true })
  }

  async decideDrift(request: DriftRequest): Promise<Result<DriftView>> {
    const decided = await this.#drifts.decide(request)
    if (decided.ok && request.everywhere) this.#watch.hurry(request.cluster)
    return decided
  }

  preservedVariables(cluster: string): Promise<Result<string>> {
    return this.#drifts.preserved(cluster)
  }

  configuration(cluster: string): Result<ConfigurationView> {
    return this.#previews.configuration(cluster)
  }

  preview(request: PreviewRequest): Promise<Result<PreviewView>> {
    return this.#previews.preview(request)
  }

  /** What each server has in its files by either settings of its cluster. */
  compare(cluster: string, before: Settings, after: Settings): Promise<readonly ServerPreview[]> {
    return this.#previews.compare(cluster, before, after)
  }

  /** Changes of tags over other clusters: those of a rehearsal. */
  rehearsal(clusters: Clusters): Pick<ConfiguratorFace, 'addTag' | 'dropTag'> {
    const tags = new Tags(clusters, this.#rules, () => {})
    return { addTag: (request) => tags.add(request), dropTag: (request) => tags.drop(request) }
  }

  tags(): readonly TagView[] {
    return this.#tags.list()
  }

  addTag(request: TagRequest): Promise<Result<TagsView>> {
    return this.#tags.add(request)
  }

  dropTag(request: Omit<TagRequest, 'replace'>): Promise<Result<TagsView>> {
    return this.#tags.drop(request)
  }
}
