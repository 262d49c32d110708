// What the routes may ask of the configurator of the running manager.
import type { Result } from '../../lib/base/result.js'

/** A tag as lists show it. */
export interface TagView {
  readonly id: number
  readonly name: string
  /** `proxy` for a tag of proxies; else what the tag is about: disk, engine, replication … */
  readonly category: string
}

/** Tags of the databases of a cluster, or of its proxies. */
export type TagKind = 'database' | 'proxy'

export interface TagWish {
  readonly cluster: string
  readonly kind: TagKind
  readonly tag: string
  /** Drops what contradicts it. */
  readonly replace: boolean
  readonly user: string
}

/** A list of tags after a change of it. */
export interface TagsView {
  readonly tags: readonly string[]
  readonly added: readonly string[]
  readonly dropped: readonly string[]
}

export interface ConfiguratorFace {
  /** Every tag there is, those of databases first. */
  tags(): readonly TagView[]
  /** In force and saved when answered; `unknown-tag`, `tag-conflict`. */
  addTag(wish: TagWish): Promise<Result<TagsView>>
  dropTag(wish: Omit<TagWish, 'replace'>): Promise<Result<TagsView>>
}
