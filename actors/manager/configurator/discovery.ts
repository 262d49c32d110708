// Discovery on the running clusters: reads their servers, derives tags and resources, applies what may be changed.

import { ok, type Result } from '../../../lib/base/result.js'
import {
  type Discovery,
  discoverTags,
  type ProposedSetting,
  type RuleSet,
  readConfigureSettings,
} from '../../../lib/configure/index.js'
import { effectiveValue, givenValue } from '../../../lib/settings/configuration/configuration.js'
import { exportSettings, type SettingName, type Settings } from '../../../lib/settings/index.js'
import type { DiscoveryRequest, DiscoveryView, ProposedSettingView } from '../../protocol/manager/configurator.js'
import type { Clusters } from '../configuration/clusters.js'
import type { Servers } from './servers.js'
import { compareTagLists, type Note } from './tags.js'

export interface DiscovererParts {
  readonly clusters: Clusters
  readonly servers: Servers
  readonly rules: RuleSet
  readonly log: Note
}

/** Why it is discovered: at the first connection, or on request. */
interface Occasion {
  readonly isFirst: boolean
  /** Evaluated again at the moment of the change. */
  readonly isWanted: () => boolean
}

interface Asked extends Pick<Occasion, 'isFirst'> {
  readonly cluster: string
}

const onRequest: Occasion = { isFirst: false, isWanted: () => true }

type Changes = Readonly<Partial<Record<SettingName, unknown>>>

export class Discoverer {
  readonly #parts: DiscovererParts

  constructor(parts: DiscovererParts) {
    this.#parts = parts
  }

  /**
   * What the servers that answer show. When no server answers, its failure. A setting that file, environment or flag set
   * stays as it is. What is applied describes the running servers, so that no server needs a restart for it.
   */
  run(request: DiscoveryRequest): Promise<Result<DiscoveryView>> {
    return this.#run(request, onRequest)
  }

  /**
   * At the first connection no value that a user set is changed. The tags become a saved change even where they are
   * the defaults; nothing is applied when a user set tags while the servers were read.
   */
  runFirst(cluster: string, isWanted: () => boolean): Promise<Result<DiscoveryView>> {
    return this.#run({ cluster, plan: false, user: 'manager' }, { isFirst: true, isWanted })
  }

  async #run({ cluster, plan, user }: DiscoveryRequest, occasion: Occasion): Promise<Result<DiscoveryView>> {
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
    const view = this.#view({ cluster, ...occasion }, settings.value, found.value)
    const remarks = [...silent.map(({ name, failure }) => `${name} was not read: ${failure.message}`), ...view.remarks]
    if (plan) return ok({ ...view, remarks, applied: false })
    const edited = await clusters.edit(cluster, () => ok(occasion.isWanted() ? changesOf(view, occasion) : {}), {
      settled: true,
    })
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

  #view(asked: Asked, settings: Settings, found: Discovery): DiscoveryView {
    const fixedTags = this.#fixed(asked, 'prov-db-tags')
    const tags = fixedTags === undefined ? found.tags : settings['prov-db-tags']
    return {
      applied: false,
      tags: compareTagLists(settings['prov-db-tags'], tags),
      proposals: found.proposals,
      settings: found.settings.map((proposed) => this.#proposedView(asked, settings, proposed)),
      remarks: [...found.remarks, ...(fixedTags === undefined ? [] : [`prov-db-tags is unchanged: ${fixedTags}.`])],
    }
  }

  #proposedView(asked: Asked, settings: Settings, { name, value, evidence }: ProposedSetting): ProposedSettingView {
    const kept = this.#fixed(asked, name)
    const before = settings[name]
    return { name, before, after: value, evidence, ...(kept === undefined ? {} : { kept }) }
  }

  /** Why a setting must not be changed by the discovery. */
  #fixed({ cluster, isFirst }: Asked, name: SettingName): string | undefined {
    const { configuration } = this.#parts.clusters
    const own = configuration.clusters.get(cluster)
    if (!own) return undefined
    if (isFirst && effectiveValue(configuration.server, own, name).origin.kind !== 'default')
      return 'it was set explicitly'
    const given = givenValue(configuration.server, own, name)
    return given && `the ${given.origin.kind} sets it`
  }
}

const changesOf = ({ tags, settings }: DiscoveryView, { isFirst }: Occasion): Changes => ({
  ...(!isFirst && tags.added.length + tags.dropped.length === 0 ? {} : { 'prov-db-tags': tags.tags }),
  ...Object.fromEntries(
    settings.flatMap(({ name, before, after, kept }) =>
      kept === undefined && before !== after ? [[name, after]] : [],
    ),
  ),
})
