// Discovery on the running clusters: asks their servers, derives tags and resources, takes over what may be changed.
import type { DiscoveryView, DiscoveryWish, ProposedSettingView } from '../../../http/api/configurator-face.js'
import { ok, type Result } from '../../../lib/base/result.js'
import {
  type Discovery,
  discoverTags,
  type ProposedSetting,
  type RuleSet,
  readConfigureSettings,
} from '../../../lib/configure/index.js'
import { givenValue } from '../../../lib/settings/configuration.js'
import { exportSettings, type SettingName, type Settings } from '../../../lib/settings/index.js'
import type { Clusters } from '../clusters.js'
import type { Servers } from './servers.js'
import { compareTagLists, type Note } from './tags.js'

export interface DiscovererParts {
  readonly clusters: Clusters
  readonly servers: Servers
  readonly rules: RuleSet
  readonly log: Note
}

type Changes = Readonly<Partial<Record<SettingName, unknown>>>

export class Discoverer {
  readonly #parts: DiscovererParts

  constructor(parts: DiscovererParts) {
    this.#parts = parts
  }

  /**
   * What the servers that answer show. When no server answers, its failure. A setting that file, environment or flag
   * give stays as it is. What is taken over describes what runs, so that no server needs a restart for it.
   */
  async run({ cluster, plan, user }: DiscoveryWish): Promise<Result<DiscoveryView>> {
    const { clusters, servers, log } = this.#parts
    const seen = await servers.readAll(cluster)
    const silent = seen.flatMap(({ member, configuration }) =>
      configuration.ok ? [] : [{ name: member.name, failure: configuration.failure }],
    )
    const [first] = silent
    if (first && silent.length === seen.length) return { ok: false, failure: first.failure }
    const settings = servers.settings(cluster)
    if (!settings.ok) return settings
    const found = this.#find(settings.value, seen)
    if (!found.ok) return found
    const view = this.#view(cluster, settings.value, found.value)
    const remarks = [...silent.map(({ name, failure }) => `${name} was not asked: ${failure.message}`), ...view.remarks]
    if (plan) return ok({ ...view, remarks, applied: false })
    const edited = await clusters.edit(cluster, () => ok(changesOf(view)), { settled: true })
    const fields = { cluster, user, added: view.tags.added, dropped: view.tags.dropped }
    if (edited.ok) log('info', 'tags-discovered', fields)
    else log('warn', 'tags-discovered', { ...fields, refused: edited.failure.message })
    return edited.ok ? ok({ ...view, remarks, applied: true }) : edited
  }

  #find(settings: Settings, seen: Awaited<ReturnType<Servers['readAll']>>): Result<Discovery> {
    const configured = readConfigureSettings(exportSettings(settings))
    if (!configured.ok) return configured
    const { tags, resources } = configured.value
    const servers = seen.flatMap(({ member, configuration }) =>
      configuration.ok ? [{ name: member.name, configuration: configuration.value }] : [],
    )
    return ok(discoverTags({ rules: this.#parts.rules, tags, resources, servers }))
  }

  #view(cluster: string, settings: Settings, found: Discovery): DiscoveryView {
    const fixedTags = this.#fixed(cluster, 'prov-db-tags')
    const tags = fixedTags === undefined ? found.tags : settings['prov-db-tags']
    return {
      applied: false,
      tags: compareTagLists(settings['prov-db-tags'], tags),
      proposals: found.proposals,
      settings: found.settings.map((proposed) => this.#proposedView(cluster, settings, proposed)),
      remarks: [...found.remarks, ...(fixedTags === undefined ? [] : [`prov-db-tags stays as it is: ${fixedTags}.`])],
    }
  }

  #proposedView(cluster: string, settings: Settings, { name, value, evidence }: ProposedSetting): ProposedSettingView {
    const kept = this.#fixed(cluster, name)
    const before = settings[name]
    return { name, before, after: value, evidence, ...(kept === undefined ? {} : { kept }) }
  }

  /** Why a setting is not for the discovery to change. */
  #fixed(cluster: string, name: SettingName): string | undefined {
    const { configuration } = this.#parts.clusters
    const own = configuration.clusters.get(cluster)
    if (!own) return undefined
    const given = givenValue(configuration.server, own, name)
    return given && `the ${given.origin.kind} gives it`
  }
}

const changesOf = ({ tags, settings }: DiscoveryView): Changes => ({
  ...(tags.added.length + tags.dropped.length === 0 ? {} : { 'prov-db-tags': tags.tags }),
  ...Object.fromEntries(
    settings.flatMap(({ name, before, after, kept }) =>
      kept === undefined && before !== after ? [[name, after]] : [],
    ),
  ),
})
