// Changes of a cluster's tags through the API: checked by the rules, saved, in force when the call returns.

import type { LogCode, WriteLog } from '../../../lib/base/log-codes.js'
import { ok, type Result } from '../../../lib/base/result.js'
import {
  addTag,
  choosableTags,
  dropTag,
  type RuleKind,
  type RuleSet,
  type TagSet,
} from '../../../lib/configure/index.js'
import type { TagKind, TagRequest, TagsView, TagView } from '../../protocol/manager/configurator.js'
import type { Clusters } from '../configuration/clusters.js'
import { impliedTags } from '../delivery/proxy-archives.js'

/** The setting that holds the tags of each kind. */
export const tagLists = { database: 'prov-db-tags', proxy: 'prov-proxy-tags' } as const satisfies Record<
  TagKind,
  string
>

export type Note = WriteLog<'info' | 'warn'>

export class Tags {
  readonly #clusters: Clusters
  readonly #sets: Readonly<Record<TagKind, TagSet>>
  readonly #note: Note

  constructor(clusters: Clusters, { database, proxy }: Readonly<Record<RuleKind, RuleSet>>, note: Note) {
    this.#clusters = clusters
    this.#sets = { database, proxy: withoutImplied(proxy) }
    this.#note = note
  }

  list(): readonly TagView[] {
    return listTags(this.#sets)
  }

  add({ cluster, kind, tag, replace, user }: TagRequest): Promise<Result<TagsView>> {
    const make = (tags: readonly string[]) => addTag(this.#sets[kind], tags, { tag, replace })
    return this.#change({ cluster, kind, make }, 'tag-added', { tag, user })
  }

  drop({ cluster, kind, tag, user }: Omit<TagRequest, 'replace'>): Promise<Result<TagsView>> {
    const make = (tags: readonly string[]) => dropTag(this.#sets[kind], tags, tag)
    return this.#change({ cluster, kind, make }, 'tag-dropped', { tag, user })
  }

  async #change({ cluster, kind, make }: Change, code: LogCode, who: object): Promise<Result<TagsView>> {
    const name = tagLists[kind]
    let view: TagsView = { tags: [], added: [], dropped: [] }
    const edited = await this.#clusters.edit(cluster, (settings) => {
      const before = settings[name]
      const after = make(before)
      if (!after.ok) return after
      view = compareTagLists(before, after.value)
      return ok(view.added.length + view.dropped.length === 0 ? {} : { [name]: after.value })
    })
    const fields = { cluster, kind, ...who }
    if (edited.ok) this.#note('info', code, { ...fields, ...(edited.value.lasts ? {} : { until: 'restart' }) })
    else this.#note('warn', code, { ...fields, refused: edited.failure.message })
    return edited.ok ? ok(view) : edited
  }
}

/** The tags that a cluster can have, those of databases first. */
export function listTags({ database, proxy }: Readonly<Record<TagKind, TagSet>>): readonly TagView[] {
  const ofProxies = choosableTags(withoutImplied(proxy)).map((each) => ({ ...each, category: 'proxy' }))
  return [...choosableTags(database), ...ofProxies].map(({ tag, category }, index) => ({
    id: index + 1,
    name: tag,
    category,
  }))
}

const withoutImplied = ({ rules }: TagSet): TagSet => ({ rules: rules.filter(({ tag }) => !impliedTags.includes(tag)) })

interface Change {
  readonly cluster: string
  readonly kind: TagKind
  readonly make: (tags: readonly string[]) => Result<readonly string[]>
}

export const compareTagLists = (before: readonly string[], after: readonly string[]): TagsView => ({
  tags: after,
  added: after.filter((tag) => !before.includes(tag)),
  dropped: before.filter((tag) => !after.includes(tag)),
})
