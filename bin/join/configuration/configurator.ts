// The configurator of the running manager as the routes see it.
import type { ConfiguratorFace, TagsView, TagView, TagWish } from '../../../http/api/configurator-face.js'
import type { Result } from '../../../lib/base/result.js'
import type { RuleKind, RuleSet } from '../../../lib/configure/index.js'
import type { Clusters } from '../clusters.js'
import { type Note, Tags } from './tags.js'

export interface ConfiguratorParts {
  readonly clusters: Clusters
  readonly rules: Readonly<Record<RuleKind, RuleSet>>
  readonly log: Note
}

export class Configurator implements ConfiguratorFace {
  readonly #tags: Tags

  constructor({ clusters, rules, log }: ConfiguratorParts) {
    this.#tags = new Tags(clusters, rules, log)
  }

  tags(): readonly TagView[] {
    return this.#tags.list()
  }

  addTag(wish: TagWish): Promise<Result<TagsView>> {
    return this.#tags.add(wish)
  }

  dropTag(wish: Omit<TagWish, 'replace'>): Promise<Result<TagsView>> {
    return this.#tags.drop(wish)
  }
}
